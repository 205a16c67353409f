//! The log.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use dragontooth_service_store::{
    Append, AppendError, Catalogue, Close, EventLog, Failed, GroupCommit, Heads, Listing,
    LogAnswer, NumberedRecords, ReadError, RecordsOfStreams, SessionBoard, StorageError, StreamId,
    VisitedStream, check_limits,
};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::FutureExt;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

use crate::{
    PostgresError, PostgresOptions,
    batch::{MAX_BATCH_APPENDS, Pending},
    catalogue::PostgresCatalogue,
    condition::Condition,
    feed::Feed,
    peers::Peers,
    reader::Reader,
    schema,
    session::Connector,
    sessions::Board,
    writer::{News, Writer},
    writer_session::{self, WriterSession},
};

/// A log in a PostgreSQL database, which other services may use too.
///
/// One connection writes: a task gathers the waiting appends and writes them by one statement, in a transaction of its
/// own, while the next ones gather. Others read, and one hears what other
/// services append and tells them what this one does.
///
/// The database may go away and come back: it restarts, or a standby is promoted. Meanwhile
/// [`health`](EventLog::health) says so, and appends and reads are refused. Appends that were under way are answered when it is back and tells what
/// became of them. The log fails for good only when somebody has taken the database for itself.
///
/// It needs a Tokio runtime for as long as it lives. Dropping it ends its connections; call
/// [`close`](EventLog::close) first to wait for what has begun.
#[derive(Debug)]
pub struct PostgresLog {
    /// `None` once the log is closed.
    queue: RwLock<Option<mpsc::Sender<Pending>>>,
    reader: Arc<Reader>,
    sessions: Arc<Board>,
    condition: watch::Receiver<Condition>,
    available: watch::Receiver<bool>,
    written: watch::Receiver<()>,
    heard: Arc<Heads>,
    tasks: [JoinHandle<()>; 3],
}

/// Makes the tables of a log in a database, or brings older ones to the format of this program. Returns the format that they had, 0
/// if there were none.
///
/// # Errors
///
/// A [`PostgresError`] that says what to do.
pub async fn migrate_postgres(options: &PostgresOptions) -> Result<i32, PostgresError> {
    let connector = Connector::new(options)?;
    let opened = WriterSession::open(&connector, options.requires_standby).await?;
    Ok(opened.format_before())
}

/// Returns true if there is a log in the database, and refuses one whose tables have an older format.
async fn find(options: &PostgresOptions) -> Result<bool, PostgresError> {
    let session = Connector::new(options)?.connect().await?;
    let row = session
        .query_one("SELECT to_regclass('dragontooth.log') IS NOT NULL", &[])
        .await?;
    let is_there = row.try_get(0)?;
    if is_there {
        schema::refuse_older(&session).await?;
    }
    Ok(is_there)
}

impl PostgresLog {
    /// Opens the log in a database, and makes its tables if there are none.
    ///
    /// # Errors
    ///
    /// A [`PostgresError`] that says what to do.
    pub async fn open(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let connector = Arc::new(Connector::new(options)?);
        let opened = WriterSession::open(&connector, options.requires_standby).await?;
        Ok(Self::with(connector, opened, options, None))
    }

    /// The same for a service: waits, too, until the database acknowledges a write, however long its synchronous standbys are away.
    /// `on_write` is called after each batch; it must not block.
    ///
    /// # Errors
    ///
    /// As of [`open`](Self::open).
    pub async fn open_to_serve(
        options: &PostgresOptions,
        on_write: fn(GroupCommit),
    ) -> Result<Self, PostgresError> {
        let connector = Arc::new(Connector::new(options)?);
        let requires_standby = options.requires_standby;
        let opened = match WriterSession::open(&connector, requires_standby).await {
            Ok(opened) => opened.acknowledged(&connector).await,
            Err(error @ PostgresError::Unacknowledged) => Err(error),
            Err(error) => return Err(error),
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => writer_session::open_again(&connector, requires_standby, error).await?,
        };
        Ok(Self::with(connector, opened, options, Some(on_write)))
    }

    /// The same, but tables of an older format stay as they are.
    ///
    /// # Errors
    ///
    /// As of [`open`](Self::open), and [`PostgresError::Older`].
    pub async fn open_unchanged(options: &PostgresOptions) -> Result<Self, PostgresError> {
        find(options).await?;
        Self::open(options).await
    }

    /// The same, but a database without a log is not given one.
    ///
    /// # Errors
    ///
    /// As of [`open_unchanged`](Self::open_unchanged), and [`PostgresError::Missing`].
    pub async fn open_existing(options: &PostgresOptions) -> Result<Self, PostgresError> {
        if find(options).await? {
            Self::open(options).await
        } else {
            let place = options.address.place();
            Err(PostgresError::Missing { place })
        }
    }

    pub(crate) fn with(
        connector: Arc<Connector>,
        opened: WriterSession,
        options: &PostgresOptions,
        on_write: Option<fn(GroupCommit)>,
    ) -> Self {
        connector.write_at(opened.session.host());
        let (sender, queue) = mpsc::channel(MAX_BATCH_APPENDS);
        let (conditions, condition) = watch::channel(Condition::Here);
        let (availability, available) = watch::channel(true);
        let (end, written) = watch::channel(());
        let reader = Arc::new(Reader::new(Arc::clone(&connector), condition.clone()));
        let peers = Arc::<Peers>::default();
        let sessions = Arc::new(Board::new(Arc::clone(&connector), Arc::clone(&peers)));
        let (told, heard) = (Arc::<Heads>::default(), Arc::<Heads>::default());
        let feed = Feed::new(
            Arc::clone(&connector),
            condition.clone(),
            Arc::clone(&told),
            Arc::clone(&heard),
            Arc::clone(&peers),
        );
        let hearing = tokio::spawn(feed.run());
        let requires_standby = options.requires_standby;
        let news = News { told, peers };
        let mut writer = Writer::new(connector, requires_standby, queue, conditions, news);
        writer.on_write = on_write;
        let writing = tokio::spawn(writer.run(opened, end));
        let mut watched = condition.clone();
        let telling = tokio::spawn(async move {
            while watched.changed().await.is_ok() {
                let is_here = matches!(*watched.borrow_and_update(), Condition::Here);
                availability
                    .send_if_modified(|available| std::mem::replace(available, is_here) != is_here);
            }
        });
        Self {
            queue: RwLock::new(Some(sender)),
            reader,
            sessions,
            condition,
            available,
            written,
            heard,
            tasks: [writing, telling, hearing],
        }
    }

    fn queue(&self) -> Option<mpsc::Sender<Pending>> {
        let queue = self.queue.read().unwrap_or_else(PoisonError::into_inner);
        queue.clone()
    }

    async fn append_or_refuse(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> Result<Sequence, AppendError> {
        check_limits(&records)?;
        let queue = self.queue().ok_or(AppendError::Closed)?;
        self.condition.borrow().check()?;
        let (pending, answer) = Pending::new(stream, expected, records, listing);
        queue.send(pending).await.map_err(|_| AppendError::Closed)?;
        drop(queue);
        // Without an answer the log has been dropped.
        answer.await.unwrap_or(Err(AppendError::Closed))
    }
}

impl EventLog for PostgresLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(self.append_or_refuse(stream, expected, records, Listing::default()))
    }

    fn append_listed(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
        listing: Listing,
    ) -> Append<'_> {
        Box::pin(self.append_or_refuse(stream, expected, records, listing))
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        self.reader
            .records(stream, after, limit)
            .boxed()
            .right_future()
    }

    fn read_many(
        &self,
        after: Vec<(StreamId, Sequence)>,
        limit: usize,
    ) -> LogAnswer<'_, Result<RecordsOfStreams, ReadError>> {
        self.reader.records_of(after, limit).boxed().right_future()
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        self.reader.head(stream).boxed().right_future()
    }

    fn heads(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Sequence>, ReadError>> {
        self.reader.heads(streams).boxed().right_future()
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        self.reader.streams(after, limit).boxed().right_future()
    }

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        self.reader.summary(stream).boxed().right_future()
    }

    fn summaries(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Vec<u8>>, ReadError>> {
        self.reader.summaries(streams).boxed().right_future()
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        self.reader
            .keep_summary(stream, summary)
            .boxed()
            .right_future()
    }

    fn visit<'a>(
        &'a self,
        each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        self.reader.visit_unlisted(each).boxed().right_future()
    }

    fn secret_key(&self, fresh: [u8; 32]) -> LogAnswer<'_, Result<[u8; 32], StorageError>> {
        self.reader.secret_key(fresh).boxed().right_future()
    }

    fn reserve<'a>(
        &'a self,
        name: &'a [u8],
        fresh: StreamId,
    ) -> LogAnswer<'a, Result<StreamId, StorageError>> {
        self.reader.reserve(name, fresh).boxed().right_future()
    }

    fn reserved<'a>(
        &'a self,
        name: &'a [u8],
    ) -> LogAnswer<'a, Result<Option<StreamId>, StorageError>> {
        self.reader.reserved(name).boxed().right_future()
    }

    fn catalogue(&self) -> Option<Arc<dyn Catalogue>> {
        let catalogue = PostgresCatalogue::new(Arc::clone(&self.reader));
        Some(Arc::new(catalogue))
    }

    fn feed(&self) -> Option<Arc<Heads>> {
        Some(Arc::clone(&self.heard))
    }

    fn time(&self) -> LogAnswer<'_, Result<Option<Timestamp>, StorageError>> {
        self.reader.time().boxed().right_future()
    }

    fn sessions(&self) -> Option<Arc<dyn SessionBoard>> {
        Some(Arc::clone(&self.sessions) as _)
    }

    fn health(&self) -> Result<(), AppendError> {
        if self.queue().is_none() {
            return Err(AppendError::Closed);
        }
        self.condition.borrow().check()
    }

    fn failed(&self) -> Failed<'_> {
        let mut condition = self.condition.clone();
        Box::pin(async move {
            let has_failed = |condition: &Condition| matches!(condition, Condition::Failed(_));
            if condition.wait_for(has_failed).await.is_err() {
                futures::future::pending::<()>().await;
            }
        })
    }

    fn availability(&self) -> Option<watch::Receiver<bool>> {
        Some(self.available.clone())
    }

    fn close(&self) -> Close<'_> {
        let mut written = self.written.clone();
        let queue = self.queue.write();
        drop(queue.unwrap_or_else(PoisonError::into_inner).take());
        Box::pin(async move { while written.changed().await.is_ok() {} })
    }
}

impl Drop for PostgresLog {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
