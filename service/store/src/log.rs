//! The interface of every event log.

use std::{collections::HashMap, fmt::Debug, future, pin::Pin, sync::Arc};

use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::future::FutureExt;
use tokio::sync::watch;

use crate::{
    AppendError, Catalogue, Damage, Heads, Listing, LogAnswer, MAX_APPEND_BYTES,
    MAX_APPEND_RECORDS, MAX_READ_STREAMS, MAX_RECORD_BYTES, ReadError, SessionBoard, StorageError,
    StreamId,
};

/// The future of an append: the stream's new head once the records are durable.
pub type Append<'a> = Pin<Box<dyn Future<Output = Result<Sequence, AppendError>> + Send + 'a>>;

/// Records in order, with their sequences.
pub type NumberedRecords = Vec<(Sequence, Vec<u8>)>;

/// Records of several streams, each in order, or the reason why one cannot be read.
pub type RecordsOfStreams = HashMap<StreamId, Result<NumberedRecords, ReadError>>;

/// The future of a failure: ready once the log has failed.
pub type Failed<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The future of a close: ready once every pending append is answered.
pub type Close<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A stream of a log that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitedStream<'a> {
    /// The stream.
    pub stream: StreamId,
    /// The sequence of its last record.
    pub head: Sequence,
    /// The text with which its end was noted; `None` if it has not ended, or that is not known.
    pub brief: Option<&'a [u8]>,
}

/// An append-only log of many streams of opaque records.
///
/// Used as `Arc<dyn EventLog>`. Records of a stream have gapless sequences from 1. A record of an
/// [`append`](Self::append) is visible only once it is durable, so nothing that a read returns of it is ever taken back.
///
/// A log on a disk of this machine answers reads at once: it may wait for the disk in the call, on the caller's thread.
/// The answer of a log behind a network is waited for without blocking.
///
/// ```
/// use dragontooth_service_store::{AppendError, EventLog, MemoryLog, StreamId};
/// use dragontooth_service_vocabulary::Sequence;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let log = MemoryLog::new();
/// let stream = StreamId([7; 16]);
/// let head = log.append(stream, Sequence::START, vec![b"one".to_vec(), b"two".to_vec()]).await?;
/// assert_eq!(head, Sequence(2));
/// assert_eq!(log.read(stream, Sequence(1), 10).await?, [(Sequence(2), b"two".to_vec())]);
///
/// // An append names the head that it was decided on, so a second writer is refused.
/// let late = log.append(stream, Sequence::START, vec![b"three".to_vec()]).await;
/// assert!(matches!(late, Err(AppendError::Conflict { actual: Sequence(2), .. })));
/// # Ok(())
/// # }
/// ```
pub trait EventLog: Debug + Send + Sync {
    /// Appends `records` in order to `stream` if its head is `expected`, all of them or none.
    ///
    /// The future resolves to the new head, after the records are durable. It never blocks its
    /// thread; it waits while the log is busy. The append starts when the future is first polled;
    /// after dropping the future later, the records may or may not be appended.
    ///
    /// Appending nothing writes nothing and still compares `expected` with the head.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if the stream has another head, a limit's error
    /// ([`MAX_RECORD_BYTES`](crate::MAX_RECORD_BYTES),
    /// [`MAX_APPEND_RECORDS`](crate::MAX_APPEND_RECORDS),
    /// [`MAX_APPEND_BYTES`](crate::MAX_APPEND_BYTES)), [`AppendError::Damaged`] for a damaged
    /// stream, [`AppendError::Closed`] after [`close`](Self::close), or a storage error.
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_>;

    /// As [`append`](Self::append), but resolves before the records are durable: once the system has them, so that
    /// they survive the end of the process, and reads return them. They are durable before a later
    /// [`append`](Self::append) resolves, and [`MAX_SYNC_DELAY`](crate::MAX_SYNC_DELAY) later in any case; a loss of
    /// power before that costs the ends of streams.
    ///
    /// # Errors
    /// As of [`append`](Self::append). If the storage fails later, that is not reported here.
    fn append_early(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
    ) -> Append<'_> {
        self.append(stream, expected, records)
    }

    /// As [`append`](Self::append), with what it changes in the log's [catalogue](Self::catalogue), all of it or nothing. A log without
    /// one leaves that to the caller.
    ///
    /// # Errors
    /// As of [`append`](Self::append).
    fn append_listed(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> Append<'_> {
        let _ = listing;
        self.append(stream, expected, records)
    }

    /// The records of `stream` after the sequence `after`, in order, with their sequences.
    ///
    /// At most `limit` and at most [`MAX_READ_RECORDS`](crate::MAX_READ_RECORDS) records; an empty
    /// list if there are none after `after` or the stream is unknown. Cheap for what was written or read
    /// recently.
    ///
    /// # Errors
    /// [`ReadError::Gap`] if a record is missing, [`ReadError::Damaged`] for a damaged
    /// stream, or a storage error, after which the stream may still be whole.
    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>>;

    /// As [`read`](Self::read) for several streams at once, each from its own sequence. A damaged stream has its own error;
    /// streams without records there may be left out.
    ///
    /// # Errors
    /// A storage error, after which all may still be whole.
    fn read_many(
        &self,
        after: Vec<(StreamId, Sequence)>,
        limit: usize,
    ) -> LogAnswer<'_, Result<RecordsOfStreams, ReadError>> {
        let read = async move {
            let mut records = HashMap::with_capacity(after.len());
            for (stream, after) in after {
                let read = self.read(stream, after, limit).await;
                if matches!(read, Err(ReadError::Storage(_))) {
                    return read.map(|_| records);
                }
                records.insert(stream, read);
            }
            Ok(records)
        };
        read.boxed().right_future()
    }

    /// The sequence of the last record of `stream`, [`Sequence::START`] if it has none.
    ///
    /// # Errors
    /// A storage error.
    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>>;

    /// The heads of several streams at once. Streams without records may be left out.
    ///
    /// # Errors
    /// A storage error.
    fn heads(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Sequence>, ReadError>> {
        let read = async move {
            let mut heads = HashMap::with_capacity(streams.len());
            for stream in streams {
                heads.insert(stream, self.head(stream).await?);
            }
            Ok(heads)
        };
        read.boxed().right_future()
    }

    /// The streams that have records, with their heads, in the order of their ids.
    ///
    /// Starts with the first id greater than `after`, or with the first of all. At most `limit` and
    /// at most [`MAX_READ_STREAMS`](crate::MAX_READ_STREAMS) streams; only an empty page
    /// is the last one. A page is not a snapshot: a stream that is appended to meanwhile has its head from
    /// before or after.
    ///
    /// # Errors
    /// A storage error or the error of a damaged store.
    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>>;

    /// The summary that is kept beside the records of `stream`, as it was [kept](Self::keep_summary); `None` if there
    /// is none.
    ///
    /// # Errors
    /// A storage error.
    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        let _ = stream;
        future::ready(Ok(None)).left_future()
    }

    /// The summaries of several streams at once, as [`summary`](Self::summary). Streams without one may be left out.
    ///
    /// # Errors
    /// A storage error.
    fn summaries(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Vec<u8>>, ReadError>> {
        let read = async move {
            let mut summaries = HashMap::with_capacity(streams.len());
            for stream in streams {
                if let Some(summary) = self.summary(stream).await? {
                    summaries.insert(stream, summary);
                }
            }
            Ok(summaries)
        };
        read.boxed().right_future()
    }

    /// Keeps a summary beside the records of `stream` in place of the one before, or removes it.
    ///
    /// A summary follows from the records and is not durable by itself: after a crash it may be missing, or the one
    /// before may be there. A log may also keep none at all.
    ///
    /// # Errors
    /// A storage error. The records are not affected.
    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        let _ = (stream, summary);
        future::ready(Ok(())).left_future()
    }

    /// Notes that `stream` has ended with the record `last` at `head`. [`visit`](Self::visit) gives `brief`, at most 1,024
    /// bytes, after the log has been opened again, without a look at the stream.
    ///
    /// Like a summary it follows from the records, may be lost, and goes with the summary when that is removed.
    ///
    /// # Errors
    /// A storage error. The records are not affected.
    fn note_end<'a>(
        &'a self,
        stream: StreamId,
        head: Sequence,
        last: &'a [u8],
        brief: &'a [u8],
    ) -> LogAnswer<'a, Result<(), StorageError>> {
        let _ = (stream, head, last, brief);
        future::ready(Ok(())).left_future()
    }

    /// Calls `each` with every stream that is not damaged, those first that are known to have ended, in the order in
    /// which that was noted, and then the others in the order of their ids. A log with a [catalogue](Self::catalogue) leaves out
    /// those that are in it.
    ///
    /// For the start of a service: later calls may know of no stream that it has ended.
    ///
    /// # Errors
    /// A storage error or the error of a damaged store.
    fn visit<'a>(
        &'a self,
        each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        let page_after = |after| self.streams(after, MAX_READ_STREAMS);
        visit_pages(page_after, each).boxed().right_future()
    }

    /// The secret key that belongs to the log: `fresh`, random bytes, the first time, and later what it was then. A
    /// log that ends with its process may return `fresh` each time. Backups do not contain it.
    ///
    /// # Errors
    /// A storage error.
    fn secret_key(&self, fresh: [u8; 32]) -> LogAnswer<'_, Result<[u8; 32], StorageError>> {
        future::ready(Ok(fresh)).left_future()
    }

    /// The stream that a name stands for: `fresh` the first time, and later what it was then, also for others that share
    /// the log. Once the stream has records, its name is as durable as they are. A log of one service may return `fresh` each time.
    ///
    /// # Errors
    /// A storage error.
    fn reserve<'a>(
        &'a self,
        name: &'a [u8],
        fresh: StreamId,
    ) -> LogAnswer<'a, Result<StreamId, StorageError>> {
        let _ = name;
        future::ready(Ok(fresh)).left_future()
    }

    /// The stream that a name stands for since it was [reserved](Self::reserve); `None` if it was not, or in a log of one service.
    ///
    /// # Errors
    /// A storage error.
    fn reserved<'a>(
        &'a self,
        name: &'a [u8],
    ) -> LogAnswer<'a, Result<Option<StreamId>, StorageError>> {
        let _ = name;
        future::ready(Ok(None)).left_future()
    }

    /// The catalogue that the log keeps of its matches itself. `None` for a log of one service, which builds its own.
    fn catalogue(&self) -> Option<Arc<dyn Catalogue>> {
        None
    }

    /// The heads of streams to which other services on the same log have appended; `None` for a log of one service.
    ///
    /// A head comes soon after it is durable, or never if the message is lost. One that is known already may come
    /// again. The same heads are given to all callers, so that only one task may take them.
    fn feed(&self) -> Option<Arc<Heads>> {
        None
    }

    /// The time of the log's own clock, which all services follow that share the log. `None` for a log of one service, which follows the
    /// clock of its machine.
    ///
    /// # Errors
    /// A storage error.
    fn time(&self) -> LogAnswer<'_, Result<Option<Timestamp>, StorageError>> {
        future::ready(Ok(None)).left_future()
    }

    /// The board for the players' sessions at the services that share the log. `None` for a log of one service.
    fn sessions(&self) -> Option<Arc<dyn SessionBoard>> {
        None
    }

    /// The streams that were damaged when this log was opened. [`streams`](Self::streams) leaves them out,
    /// and reading and appending to them is refused.
    fn damaged(&self) -> Vec<Damage> {
        Vec::new()
    }

    /// Returns `Ok` if the log accepts appends.
    ///
    /// # Errors
    /// [`AppendError::Closed`] or [`AppendError::Failed`]: the answer to the next append.
    fn health(&self) -> Result<(), AppendError>;

    /// Ready once the storage has failed, immediately if it failed earlier. From then on every append is
    /// refused with [`AppendError::Failed`]. Never ready for a log that cannot fail.
    fn failed(&self) -> Failed<'_>;

    /// Tells whether the log is there, of one that may be away for a while and come back by itself: [`health`](Self::health)
    /// has the reason. `None` for a log that stays once it is open.
    fn availability(&self) -> Option<watch::Receiver<bool>> {
        None
    }

    /// Refuses new appends and waits until every append that has begun is answered.
    ///
    /// Reading continues to work. Closing again waits in the same way and changes nothing.
    fn close(&self) -> Close<'_>;
}

/// Calls `each` with the streams of all pages.
pub(crate) async fn visit_pages<'a>(
    page_after: impl Fn(Option<StreamId>) -> LogAnswer<'a, Result<Vec<(StreamId, Sequence)>, ReadError>>,
    each: &mut (dyn FnMut(VisitedStream<'_>) + Send),
) -> Result<(), ReadError> {
    let mut after = None;
    loop {
        let page = page_after(after).await?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        after = Some(*last);
        for (stream, head) in page {
            let brief = None;
            each(VisitedStream {
                stream,
                head,
                brief,
            });
        }
    }
}

/// Refuses an append that breaks a limit.
///
/// # Errors
/// The error of the limit: see [`EventLog::append`].
pub fn check_limits(records: &[Vec<u8>]) -> Result<(), AppendError> {
    if records.len() > MAX_APPEND_RECORDS {
        return Err(AppendError::TooManyRecords {
            count: records.len(),
        });
    }
    let mut len_bytes = 0;
    for (index, record) in records.iter().enumerate() {
        if record.len() > MAX_RECORD_BYTES {
            return Err(AppendError::RecordTooLarge {
                index,
                len_bytes: record.len(),
            });
        }
        len_bytes += record.len();
    }
    if len_bytes > MAX_APPEND_BYTES {
        return Err(AppendError::AppendTooLarge { len_bytes });
    }
    Ok(())
}
