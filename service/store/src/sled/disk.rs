//! The two steps that make a group durable, and the lookup of heads.

use std::fs::File;

use dragontooth_service_vocabulary::Sequence;
use sled::{Batch, Tree};

use super::{
    applied,
    data_length::DataLength,
    record::{self, Record},
    witness::Witness,
};
use crate::{ReadError, StorageError, StreamId};

/// The storage, as the writer uses it.
pub(super) trait Disk: Send + 'static {
    /// The sequence of the last record of a stream.
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError>;

    /// Writes all records; they survive a loss of power once this returns `Ok`.
    ///
    /// After an error the records may or may not be stored, and nothing more may be written.
    fn commit(&mut self, records: &[Record]) -> Result<(), StorageError>;
}

/// The tree of records, a separate handle on the file that sled keeps it in, the note of its length, and the witness.
#[derive(Debug)]
pub(super) struct SledDisk {
    pub(super) events: Tree,
    pub(super) file: File,
    pub(super) data_length: DataLength,
    pub(super) witness: Witness,
}

/// Makes everything written so far durable.
///
/// sled's `flush` returns when the kernel has started to write the data; it covers neither the size of a grown
/// file nor the disk's cache. `sync_data` on any handle of the file covers both. Blocking, because sled's
/// `flush_async` can hang when several callers wait for it.
pub(super) fn sync(events: &Tree, file: &File) -> Result<(), StorageError> {
    events
        .flush()
        .map_err(|source| StorageError::new("flush the store", source))?;
    file.sync_data()
        .map_err(|source| StorageError::new("sync the store's file", source))
}

impl Disk for SledDisk {
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        applied::head(&self.events, stream)
    }

    fn commit(&mut self, records: &[Record]) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        for (stream, sequence, record) in records {
            batch.insert(&record::encode_key(*stream, *sequence), record);
        }
        self.events
            .apply_batch(batch)
            .map_err(|source| StorageError::new("write to the store", source))?;
        sync(&self.events, &self.file)?;
        // A note that lags only hides a cut from the opening; the witness still knows what was lost.
        let _ = self.data_length.note(&self.file);
        self.witness.note(records);
        Ok(())
    }
}
