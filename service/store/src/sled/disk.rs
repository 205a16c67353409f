//! The steps that make a group durable, and the lookup of heads.

use std::sync::Arc;

use dragontooth_service_vocabulary::Sequence;
use sled::Tree;

use super::{
    applied, journal::Journal, mover::Mover, recent_records::RecentRecords, record::Record,
    witness::Witness,
};
use crate::{ReadError, StorageError, StreamId};

/// The storage, as the writer uses it.
pub(super) trait Disk: Send + 'static {
    /// The sequence of the last record of a stream of which the writer has appended nothing yet, or long ago.
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError>;

    /// Writes all records; they survive the end of the process once this returns `Ok`.
    ///
    /// After an error the records may or may not be stored, and nothing more may be written.
    fn write(&mut self, records: &[Record]) -> Result<(), StorageError>;

    /// Makes what was written survive a loss of power.
    ///
    /// After an error nothing more may be written.
    fn sync(&mut self) -> Result<(), StorageError>;

    /// Ends the writing, after the last commit.
    fn close(&mut self) -> Result<(), StorageError>;
}

/// The journal, the thread that moves records from it into sled, and the witness.
#[derive(Debug)]
pub(super) struct SledDisk {
    pub(super) events: Tree,
    pub(super) recent: Arc<RecentRecords>,
    pub(super) journal: Journal,
    pub(super) mover: Mover,
    pub(super) witness: Witness,
}

impl Disk for SledDisk {
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        match self.recent.head(stream) {
            Some(head) => Ok(head),
            None => applied::head(&self.events, stream),
        }
    }

    fn write(&mut self, records: &[Record]) -> Result<(), StorageError> {
        if !self.journal.has_room_for(records) {
            self.sync()?;
            // Until then the other file has records that are nowhere else.
            self.mover.wait()?;
            self.journal.turn();
            self.mover.begin();
        }
        self.journal
            .write(records)
            .map_err(|source| StorageError::new("write to the journal", source))?;
        self.witness.remember(records);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.journal
            .sync()
            .map_err(|source| StorageError::new("sync the journal", source))?;
        self.witness.note();
        Ok(())
    }

    fn close(&mut self) -> Result<(), StorageError> {
        self.sync()?;
        self.mover.wait()?;
        self.mover.begin();
        self.mover.wait()?;
        self.journal
            .clear()
            .map_err(|source| StorageError::new("empty the journal", source))
    }
}
