//! The log.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use dragontooth_service_store::{
    Append, AppendError, Catalogue, Close, EventLog, Failed, Heads, Listing, LogAnswer,
    MAX_READ_RECORDS, MAX_READ_STREAMS, NumberedRecords, ReadError, RecordsOfStreams, SessionBoard,
    StorageError, StreamId, VisitedStream, check_limits,
};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::FutureExt;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::{
    PostgresError, PostgresOptions,
    batch::{MAX_BATCH_APPENDS, Pending},
    catalogue::PostgresCatalogue,
    feed::Feed,
    peers::Peers,
    reader::Reader,
    rows::{clamped, sequence, stream, unfit, uuid},
    session::Connector,
    sessions::Board,
    writer::{Condition, News, Writer, WriterSession},
};

/// The streams that are visited by one query: far fewer than its time limit allows.
const VISITED_AT_ONCE: i64 = 10_000;

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

impl PostgresLog {
    /// Opens the log in a database, and makes its tables if there are none.
    ///
    /// # Errors
    ///
    /// A [`PostgresError`] that says what to do.
    pub async fn open(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let connector = Arc::new(Connector::new(options)?);
        let opened = WriterSession::open(&connector, options.requires_standby).await?;
        Ok(Self::with(connector, opened, options))
    }

    /// Opens a log that is there: a database without one is not given one.
    ///
    /// # Errors
    ///
    /// As of [`open`](Self::open), and [`PostgresError::Missing`].
    pub async fn open_existing(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let session = Connector::new(options)?.connect().await?;
        let row = session
            .query_one("SELECT to_regclass('dragontooth.log') IS NOT NULL", &[])
            .await?;
        if row.try_get(0)? {
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
    ) -> Self {
        let (sender, queue) = mpsc::channel(MAX_BATCH_APPENDS);
        let (conditions, condition) = watch::channel(Condition::Here);
        let (availability, available) = watch::channel(true);
        let (end, written) = watch::channel(());
        let reader = Arc::new(Reader::new(Arc::clone(&connector)));
        let peers = Arc::<Peers>::default();
        let sessions = Arc::new(Board::new(Arc::clone(&connector), Arc::clone(&peers)));
        let (told, heard) = (Arc::<Heads>::default(), Arc::<Heads>::default());
        let feed = Feed::new(
            Arc::clone(&connector),
            Arc::clone(&told),
            Arc::clone(&heard),
        );
        let hearing = tokio::spawn(feed.run());
        let requires_standby = options.requires_standby;
        let news = News { told, peers };
        let writer = Writer::new(connector, requires_standby, queue, conditions, news);
        let writing = tokio::spawn(async move {
            writer.run(opened).await;
            drop(end);
        });
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

    async fn read_records(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Result<NumberedRecords, ReadError> {
        let Ok(from) = i64::try_from(after.0) else {
            return Ok(Vec::new());
        };
        let (id, limit) = (uuid(stream), clamped(limit, MAX_READ_RECORDS));
        let rows = self
            .reader
            .query(
                "SELECT seq, record FROM dragontooth.event WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3",
                &[(&id, Type::UUID), (&from, Type::INT8), (&limit, Type::INT8)],
            )
            .await
            .map_err(ReadError::Storage)?;
        let mut expected = after;
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            let sequence = sequence(&row, 0)?;
            expected = expected.next();
            if sequence != expected {
                return Err(ReadError::Gap {
                    stream,
                    expected,
                    found: sequence,
                });
            }
            records.push((sequence, row.try_get(1).map_err(unfit)?));
        }
        Ok(records)
    }

    async fn read_records_of(
        &self,
        after: Vec<(StreamId, Sequence)>,
        limit: usize,
    ) -> Result<RecordsOfStreams, ReadError> {
        let ids: Vec<_> = after.iter().map(|(stream, _)| uuid(*stream)).collect();
        let from: Vec<_> = after.iter().map(|(_, from)| from.0.cast_signed()).collect();
        let limit = clamped(limit, MAX_READ_RECORDS);
        let rows = self
            .reader
            .query(
                "SELECT e.stream, e.seq, e.record FROM unnest($1, $2) AS w (id, after) CROSS JOIN LATERAL \
                    (SELECT stream, seq, record FROM dragontooth.event WHERE stream = w.id AND seq > w.after \
                        ORDER BY seq LIMIT $3) e",
                &[
                    (&ids, Type::UUID_ARRAY),
                    (&from, Type::INT8_ARRAY),
                    (&limit, Type::INT8),
                ],
            )
            .await
            .map_err(ReadError::Storage)?;
        let mut last: HashMap<_, _> = after.into_iter().collect();
        let mut records = RecordsOfStreams::with_capacity(last.len());
        for row in rows {
            let (stream, found) = (stream(&row, 0)?, sequence(&row, 1)?);
            let last = last.entry(stream).or_default();
            let expected = last.next();
            if found != expected {
                return Err(ReadError::Gap {
                    stream,
                    expected,
                    found,
                });
            }
            *last = found;
            let record = row.try_get(2).map_err(unfit)?;
            records.entry(stream).or_default().push((found, record));
        }
        Ok(records)
    }

    async fn read_head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        let id = uuid(stream);
        let rows = self
            .reader
            .query(
                "SELECT head FROM dragontooth.stream WHERE id = $1",
                &[(&id, Type::UUID)],
            )
            .await
            .map_err(ReadError::Storage)?;
        rows.first()
            .map_or(Ok(Sequence::START), |row| sequence(row, 0))
    }

    async fn read_heads(
        &self,
        streams: Vec<StreamId>,
    ) -> Result<HashMap<StreamId, Sequence>, ReadError> {
        let ids: Vec<_> = streams.into_iter().map(uuid).collect();
        let text = "SELECT s.id, s.head FROM unnest($1) AS w (id) CROSS JOIN LATERAL \
            (SELECT id, head FROM dragontooth.stream WHERE id = w.id) s";
        let rows = self.reader.query(text, &[(&ids, Type::UUID_ARRAY)]).await;
        let mut heads = HashMap::with_capacity(ids.len());
        for row in rows.map_err(ReadError::Storage)? {
            heads.insert(stream(&row, 0)?, sequence(&row, 1)?);
        }
        Ok(heads)
    }

    async fn read_summaries(
        &self,
        streams: Vec<StreamId>,
    ) -> Result<HashMap<StreamId, Vec<u8>>, ReadError> {
        let ids: Vec<_> = streams.into_iter().map(uuid).collect();
        let text = "SELECT s.stream, s.summary FROM unnest($1) AS w (id) CROSS JOIN LATERAL \
            (SELECT stream, summary FROM dragontooth.summary WHERE stream = w.id AND summary IS NOT NULL) s";
        let rows = self.reader.query(text, &[(&ids, Type::UUID_ARRAY)]).await;
        let mut summaries = HashMap::with_capacity(ids.len());
        for row in rows.map_err(ReadError::Storage)? {
            summaries.insert(stream(&row, 0)?, row.try_get(1).map_err(unfit)?);
        }
        Ok(summaries)
    }

    async fn read_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError> {
        let (after, limit) = (after.map(uuid), clamped(limit, MAX_READ_STREAMS));
        let limit = (&limit as _, Type::INT8);
        let rows = if let Some(after) = &after {
            let text = "SELECT id, head FROM dragontooth.stream WHERE id > $2 ORDER BY id LIMIT $1";
            self.reader.query(text, &[limit, (after, Type::UUID)]).await
        } else {
            let text = "SELECT id, head FROM dragontooth.stream ORDER BY id LIMIT $1";
            self.reader.query(text, &[limit]).await
        };
        let mut streams = Vec::new();
        for row in rows.map_err(ReadError::Storage)? {
            streams.push((stream(&row, 0)?, sequence(&row, 1)?));
        }
        Ok(streams)
    }

    async fn read_summary(&self, stream: StreamId) -> Result<Option<Vec<u8>>, ReadError> {
        let id = uuid(stream);
        let rows = self
            .reader
            .query(
                "SELECT summary FROM dragontooth.summary WHERE stream = $1",
                &[(&id, Type::UUID)],
            )
            .await
            .map_err(ReadError::Storage)?;
        rows.first()
            .map_or(Ok(None), |row| row.try_get(0).map_err(unfit))
    }

    async fn write_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> Result<(), StorageError> {
        let id = uuid(stream);
        let id = (&id as _, Type::UUID);
        let written = if let Some(summary) = &summary {
            let text = "INSERT INTO dragontooth.summary (stream, summary) VALUES ($1, $2) \
                ON CONFLICT (stream) DO UPDATE SET summary = excluded.summary";
            self.reader.query(text, &[id, (summary, Type::BYTEA)]).await
        } else {
            // The match is examined again at the next start.
            let text = "WITH gone AS (DELETE FROM dragontooth.summary WHERE stream = $1) \
                UPDATE dragontooth.stream SET stage = 0 WHERE id = $1 AND stage = 3";
            self.reader.query(text, &[id]).await
        };
        written.map(drop)
    }

    /// Only those that the catalogue does not know: after a restore, and after the step to the format that has it.
    async fn visit_unlisted(
        &self,
        each: &mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> Result<(), ReadError> {
        let mut next = Some(Uuid::nil());
        while let Some(from) = next {
            let rows = self
                .reader
                .query(
                    "SELECT id, head FROM dragontooth.stream WHERE stage = 0 AND id >= $1 ORDER BY id LIMIT $2",
                    &[(&from, Type::UUID), (&VISITED_AT_ONCE, Type::INT8)],
                )
                .await
                .map_err(ReadError::Storage)?;
            next = None;
            for row in rows {
                let (stream, head) = (stream(&row, 0)?, sequence(&row, 1)?);
                next = uuid(stream).as_u128().checked_add(1).map(Uuid::from_u128);
                let brief = None;
                each(VisitedStream {
                    stream,
                    head,
                    brief,
                });
            }
        }
        Ok(())
    }

    async fn keep_name(&self, name: &[u8], fresh: StreamId) -> Result<StreamId, StorageError> {
        let fresh = uuid(fresh);
        // It is not synced: the first append to the stream comes later in the same write-ahead log.
        let text = "INSERT INTO dragontooth.name AS n (name, stream) VALUES ($1, $2) \
            ON CONFLICT (name) DO UPDATE SET stream = n.stream RETURNING stream";
        let parameters = [(&name as _, Type::BYTEA), (&fresh as _, Type::UUID)];
        let rows = self.reader.query(text, &parameters).await?;
        let kept = rows.first().map(|row| row.try_get::<_, Uuid>(0));
        let kept = kept
            .transpose()
            .map_err(|error| StorageError::new("read the stream of a name", error))?;
        Ok(StreamId(kept.unwrap_or(fresh).into_bytes()))
    }

    async fn keep_key(&self, fresh: [u8; 32]) -> Result<[u8; 32], StorageError> {
        let fresh = &fresh[..];
        let rows = self
            .reader
            .query(
                // Unlike what else is written here, it is durable when it is returned.
                "UPDATE dragontooth.log SET secret_key = coalesce(secret_key, $1) \
                    WHERE set_config('synchronous_commit', 'on', true) = 'on' RETURNING secret_key",
                &[(&fresh, Type::BYTEA)],
            )
            .await?;
        let key = rows.first().map(|row| row.try_get::<_, &[u8]>(0));
        let key = key
            .transpose()
            .map_err(|error| StorageError::new("read the secret key", error))?;
        let key = key.and_then(|key| key.try_into().ok());
        key.ok_or_else(|| {
            let missing = std::io::Error::from(std::io::ErrorKind::InvalidData);
            StorageError::new("read the secret key", missing)
        })
    }
}

impl PostgresLog {
    async fn read_time(&self) -> Result<Option<Timestamp>, StorageError> {
        let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8";
        let rows = self.reader.query(text, &[]).await?;
        let micros = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose();
        let micros = micros.map_err(|error| StorageError::new("read the time", error))?;
        Ok(micros.map(|micros| Timestamp::from_micros(micros.unsigned_abs())))
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
        self.read_records(stream, after, limit)
            .boxed()
            .right_future()
    }

    fn read_many(
        &self,
        after: Vec<(StreamId, Sequence)>,
        limit: usize,
    ) -> LogAnswer<'_, Result<RecordsOfStreams, ReadError>> {
        self.read_records_of(after, limit).boxed().right_future()
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        self.read_head(stream).boxed().right_future()
    }

    fn heads(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Sequence>, ReadError>> {
        self.read_heads(streams).boxed().right_future()
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        self.read_streams(after, limit).boxed().right_future()
    }

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        self.read_summary(stream).boxed().right_future()
    }

    fn summaries(
        &self,
        streams: Vec<StreamId>,
    ) -> LogAnswer<'_, Result<HashMap<StreamId, Vec<u8>>, ReadError>> {
        self.read_summaries(streams).boxed().right_future()
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        self.write_summary(stream, summary).boxed().right_future()
    }

    fn visit<'a>(
        &'a self,
        each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        self.visit_unlisted(each).boxed().right_future()
    }

    fn secret_key(&self, fresh: [u8; 32]) -> LogAnswer<'_, Result<[u8; 32], StorageError>> {
        self.keep_key(fresh).boxed().right_future()
    }

    fn reserve<'a>(
        &'a self,
        name: &'a [u8],
        fresh: StreamId,
    ) -> LogAnswer<'a, Result<StreamId, StorageError>> {
        self.keep_name(name, fresh).boxed().right_future()
    }

    fn catalogue(&self) -> Option<Arc<dyn Catalogue>> {
        let catalogue = PostgresCatalogue::new(Arc::clone(&self.reader));
        Some(Arc::new(catalogue))
    }

    fn feed(&self) -> Option<Arc<Heads>> {
        Some(Arc::clone(&self.heard))
    }

    fn time(&self) -> LogAnswer<'_, Result<Option<Timestamp>, StorageError>> {
        self.read_time().boxed().right_future()
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
