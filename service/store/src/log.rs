//! What every event log does.

use std::{fmt::Debug, pin::Pin};

use crate::{AppendError, Damage, ReadError, Records, Sequence, StreamId, Streams};

/// The future of an append: the stream's new head once the records are durable.
pub type Append<'a> = Pin<Box<dyn Future<Output = Result<Sequence, AppendError>> + Send + 'a>>;

/// The future of a failure: ready once the log has failed.
pub type Failed<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The future of a close: ready once every pending append is answered.
pub type Close<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An append-only log of many streams of opaque records.
///
/// Used as `Arc<dyn EventLog>`. Records of a stream have gapless sequences from 1. Nothing that a
/// read shows is ever taken back: a record is visible only once it is durable.
pub trait EventLog: Debug + Send + Sync {
    /// Appends `records` in order to `stream` if its head is `expected`, all of them or none.
    ///
    /// The future resolves to the new head, after the records are durable. It never blocks its
    /// thread; where the log is busy it waits. The append starts when the future is first polled;
    /// dropping the future later leaves open whether the records are appended.
    ///
    /// Appending nothing writes nothing and still compares `expected` with the head.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the head is another, a limit's error
    /// ([`MAX_RECORD_BYTES`](crate::MAX_RECORD_BYTES),
    /// [`MAX_APPEND_RECORDS`](crate::MAX_APPEND_RECORDS),
    /// [`MAX_APPEND_BYTES`](crate::MAX_APPEND_BYTES)), [`AppendError::Damaged`] for a stream that is
    /// not what it was, [`AppendError::Closed`] after [`close`](Self::close), or a storage error.
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_>;

    /// The records of `stream` after the sequence `after`, in order, with their sequences.
    ///
    /// At most `limit` and at most [`MAX_READ_RECORDS`](crate::MAX_READ_RECORDS) records; nothing
    /// if there is none after `after`, also in an unknown stream. Cheap for what was written or read
    /// lately; older records may have to come from the disk, on the caller's thread.
    ///
    /// # Errors
    /// [`ReadError::Gap`] if a record is missing, [`ReadError::Damaged`] for a stream that is not what
    /// it was, or a storage error, which says nothing of the stream.
    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<(Sequence, Vec<u8>)>, ReadError>;

    /// The sequence of the last record of `stream`, [`Sequence::EMPTY`] if it has none.
    ///
    /// # Errors
    /// A storage error.
    fn head(&self, stream: StreamId) -> Result<Sequence, ReadError>;

    /// The streams that have records, with their heads, in the order of their ids.
    ///
    /// Starts with the first id greater than `after`, or with the first of all. At most `limit` and
    /// at most [`MAX_READ_STREAMS`](crate::MAX_READ_STREAMS) streams; fewer do not mean that there
    /// are no more, only an empty page does. A page is not one moment: a stream that is appended to
    /// meanwhile shows its head before or after.
    ///
    /// # Errors
    /// A storage error or the error of a damaged store.
    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError>;

    /// The streams of which this log has found, when it was opened, that they are not what they were;
    /// [`streams`](Self::streams) leaves them out, and what is asked of them is refused.
    fn damaged(&self) -> Vec<Damage> {
        Vec::new()
    }

    /// Whether the log takes appends.
    ///
    /// # Errors
    /// [`AppendError::Closed`] or [`AppendError::Failed`], as the next append would be answered.
    fn health(&self) -> Result<(), AppendError>;

    /// Ready once the storage has failed, at once if it had before: from then on every append is
    /// refused with [`AppendError::Failed`]. Never ready for a log that does not fail.
    fn failed(&self) -> Failed<'_>;

    /// Refuses new appends and waits until every append that has begun is answered.
    ///
    /// Reading goes on. Closing again waits in the same way and changes nothing.
    fn close(&self) -> Close<'_>;
}

impl dyn EventLog + '_ {
    /// All records of `stream` after the sequence `after`, read page by page.
    #[must_use]
    pub fn records(&self, stream: StreamId, after: Sequence) -> Records<'_> {
        Records::new(self, stream, after)
    }

    /// All streams with their heads, read page by page.
    #[must_use]
    pub fn all_streams(&self) -> Streams<'_> {
        Streams::new(self)
    }
}
