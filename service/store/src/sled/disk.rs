//! The two steps that make a group durable, and where the heads are looked up.

use std::fs::File;

use sled::{Batch, Tree};

use super::{applied, key, record::Record, witness::Witness};
use crate::{ReadError, Sequence, StorageError, StreamId};

/// What the writer needs of the storage.
pub(super) trait Disk: Send + 'static {
    /// The sequence of the last record of a stream.
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError>;

    /// Writes all records; they outlive a loss of power once this returns `Ok`.
    ///
    /// After an error nothing is known of them, and nothing more may be written.
    fn commit(&mut self, records: &[Record]) -> Result<(), StorageError>;
}

/// The tree of records, a handle of our own on the file that sled keeps it in, and the witness.
#[derive(Debug)]
pub(super) struct SledDisk {
    pub(super) events: Tree,
    pub(super) file: File,
    pub(super) witness: Witness,
}

/// Makes everything written so far durable.
///
/// sled's `flush` returns when the kernel has started to write the data; the size of a grown file
/// and the disk's own cache are not part of that. `sync_data` on any handle of the file is. Blocking:
/// sled's `flush_async` can hang when several wait for it.
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
            batch.insert(&key::encode(*stream, *sequence), record);
        }
        self.events
            .apply_batch(batch)
            .map_err(|source| StorageError::new("write to the store", source))?;
        sync(&self.events, &self.file)?;
        self.witness.note(records);
        Ok(())
    }
}
