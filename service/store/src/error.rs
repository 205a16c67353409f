//! The errors of appending and reading.

use std::{error::Error, io, sync::Arc};

use dragontooth_service_vocabulary::Sequence;

use crate::{Damage, MAX_APPEND_BYTES, MAX_APPEND_RECORDS, MAX_RECORD_BYTES, StreamId};

/// An append was not acknowledged.
///
/// After every variant except [`AppendError::Storage`] nothing of the append is in the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// The stream's head is not the one that the append was decided on.
    #[error("stream {stream} is at sequence {actual}, not at the expected {expected}")]
    Conflict {
        /// The stream appended to.
        stream: StreamId,
        /// The head that the append named.
        expected: Sequence,
        /// The head that the stream has.
        actual: Sequence,
    },
    /// A record is longer than [`MAX_RECORD_BYTES`].
    #[error("record {index} of the append has {len_bytes} bytes, the limit is {MAX_RECORD_BYTES}")]
    RecordTooLarge {
        /// The record's place in the append, from 0.
        index: usize,
        /// The record's length.
        len_bytes: usize,
    },
    /// There are more than [`MAX_APPEND_RECORDS`] records.
    #[error("the append has {count} records, the limit is {MAX_APPEND_RECORDS}")]
    TooManyRecords {
        /// The number of records.
        count: usize,
    },
    /// The records together are longer than [`MAX_APPEND_BYTES`].
    #[error("the append has {len_bytes} bytes, the limit is {MAX_APPEND_BYTES}")]
    AppendTooLarge {
        /// The length of all records.
        len_bytes: usize,
    },
    /// The stream is damaged and accepts no appends.
    #[error(transparent)]
    Damaged(Damage),
    /// The log has been closed.
    #[error("the event log is closed")]
    Closed,
    /// The storage failed during this append: it may or may not be found after a restart.
    #[error("the append may be lost")]
    Storage(#[source] StorageError),
    /// The storage is away for a while: nothing of this append is in the log, and a later one may succeed.
    #[error("the event log is away")]
    Unavailable(#[source] StorageError),
    /// The storage failed earlier: the log accepts nothing until it is opened again.
    #[error(
        "the storage of the event log has failed and it accepts no appends; restart to recover"
    )]
    Failed(#[source] StorageError),
}

/// A read failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// A record is missing from a stream.
    #[error("stream {stream} is damaged: sequence {found} follows where {expected} should be")]
    Gap {
        /// The stream read.
        stream: StreamId,
        /// The sequence that should be there.
        expected: Sequence,
        /// The sequence found instead.
        found: Sequence,
    },
    /// The stream has lost records or has other ones than were appended.
    #[error(transparent)]
    Damaged(Damage),
    /// A stored key is not a stream and a sequence.
    #[error("the store is damaged: it has a key of {len_bytes} bytes")]
    Key {
        /// The key's length.
        len_bytes: usize,
    },
    /// The storage failed.
    #[error("the read failed")]
    Storage(#[source] StorageError),
}

/// The failure of an operation of the storage engine, with the engine's error as the source.
///
/// Cheap to clone: one failure answers every append of a group.
#[derive(Debug, Clone, thiserror::Error)]
#[error("could not {operation}")]
pub struct StorageError {
    operation: &'static str,
    #[source]
    source: Arc<dyn Error + Send + Sync>,
}

impl StorageError {
    /// The failure of `operation`, a verb phrase such as "flush the store".
    pub fn new(operation: &'static str, source: impl Error + Send + Sync + 'static) -> Self {
        Self {
            operation,
            source: Arc::new(source),
        }
    }

    /// Returns true if the disk, or the user's quota of it, is full.
    pub(crate) fn is_for_lack_of_room(&self) -> bool {
        // `Error::source` would give the `Arc`, which cannot be downcast to the engine's error.
        let source: &(dyn Error + 'static) = &*self.source;
        let said = match source.downcast_ref::<sled::Error>() {
            Some(sled::Error::Io(error)) => Some(error),
            Some(_) => None,
            None => source.downcast_ref::<io::Error>(),
        };
        said.is_some_and(is_lack_of_room)
    }
}

/// Returns true if the system reports a full disk or quota.
pub(crate) fn is_lack_of_room(error: &io::Error) -> bool {
    [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded].contains(&error.kind())
}
