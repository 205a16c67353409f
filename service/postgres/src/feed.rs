//! The messages by which the services on a database tell each other what they have appended.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use dragontooth_service_store::{Heads, StorageError, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio::{
    sync::mpsc,
    time::{interval, sleep, timeout},
};
use tokio_postgres::{Error, Notification};
use uuid::Uuid;

use crate::session::{Connector, Session};

/// The channel of the heads of streams.
const HEADS: &str = "dragontooth_heads";

/// Heads in one message, at most: fewer than 8,000 bytes.
const MAX_HEADS: usize = 128;

/// The time between two looks at the heads themselves, in case a message was lost.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// The time limit of a statement.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The pauses between attempts to reach the database.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Ends noted before the last one that was seen, of which some may have become visible later.
const LATE_ENDS: i64 = 1024;

/// A message costs no sync: it tells of what is durable.
const SETTINGS: &str = "SET synchronous_commit = off; SET statement_timeout = '10s'; SET jit = off; \
    SET enable_seqscan = off; LISTEN dragontooth_heads";

const TELL: &str = "SELECT pg_notify($1, message) FROM unnest($2::text[]) message";

const NOT_ENDED: &str = "SELECT id, head FROM dragontooth.stream WHERE NOT ended";

const ENDED: &str =
    "SELECT stream, head, place FROM dragontooth.summary WHERE place > $1 ORDER BY place";

/// The connection that tells and hears.
#[derive(Debug)]
pub(crate) struct Feed {
    connector: Arc<Connector>,
    told: Arc<Heads>,
    heard: Arc<Heads>,
    /// The place of the last end that was seen.
    last_end: Option<i64>,
}

impl Feed {
    /// Tells others of the heads in `told`, and adds those that others have moved to `heard`.
    pub(crate) const fn new(
        connector: Arc<Connector>,
        told: Arc<Heads>,
        heard: Arc<Heads>,
    ) -> Self {
        Self {
            connector,
            told,
            heard,
            last_end: None,
        }
    }

    /// Runs for ever, and connects again as often as it takes.
    pub(crate) async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let changes = self.connector.changes();
            let (hear, heard) = mpsc::unbounded_channel();
            let failed = match self.connector.connect_hearing(hear).await {
                Ok(session) => {
                    pause = FIRST_PAUSE;
                    let Err(error) = self.serve(&session, heard, changes).await;
                    error
                }
                Err(error) => StorageError::new("reach the database", error),
            };
            tracing::warn!(
                error = &failed as &dyn std::error::Error,
                "other services on the database are not heard"
            );
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Tells and hears until the connection is lost.
    async fn serve(
        &mut self,
        session: &Session,
        heard: mpsc::UnboundedReceiver<Notification>,
        changes: u64,
    ) -> Result<Never, StorageError> {
        in_time(session.batch_execute(SETTINGS)).await?;
        let row = in_time(session.query_one("SELECT pg_backend_pid()", &[])).await?;
        let own: i32 = row.try_get(0).map_err(failed)?;
        if self.last_end.is_none() {
            // What has ended before is known from the start.
            let last = "SELECT coalesce(max(place), 0) FROM dragontooth.summary";
            let row = in_time(session.query_one(last, &[])).await?;
            self.last_end = Some(row.try_get(0).map_err(failed)?);
        }
        let (told, to) = (Arc::clone(&self.told), Arc::clone(&self.heard));
        tokio::select! {
            ended = tell(session, &told) => ended,
            ended = hear(heard, &to, own) => ended,
            ended = self.look(session, changes) => ended,
        }
    }

    /// Looks at the heads themselves, again and again.
    async fn look(&mut self, session: &Session, changes: u64) -> Result<Never, StorageError> {
        let mut ticks = interval(LOOK_INTERVAL);
        loop {
            ticks.tick().await;
            // The server may be no primary any more.
            if self.connector.changes() != changes {
                return Err(lost());
            }
            let rows = in_time(session.query(NOT_ENDED, &[])).await?;
            let from = self.last_end.unwrap_or_default() - LATE_ENDS;
            let ended = in_time(session.query(ENDED, &[&from])).await?;
            if let Some(last) = ended.last() {
                self.last_end = Some(last.try_get(2).map_err(failed)?);
            }
            let mut heads = Vec::with_capacity(rows.len() + ended.len());
            for row in rows.iter().chain(&ended) {
                let id: Uuid = row.try_get(0).map_err(failed)?;
                let head: i64 = row.try_get(1).map_err(failed)?;
                heads.push((StreamId(id.into_bytes()), Sequence(head.cast_unsigned())));
            }
            self.heard.add(heads);
        }
    }
}

/// It goes on until it fails.
type Never = std::convert::Infallible;

async fn tell(session: &Session, told: &Heads) -> Result<Never, StorageError> {
    loop {
        let heads: Vec<_> = told.take().await.into_iter().collect();
        let messages: Vec<_> = heads.chunks(MAX_HEADS).map(message).collect();
        // If it fails, the others find the heads when they look.
        in_time(session.execute(TELL, &[&HEADS, &messages])).await?;
    }
}

async fn hear(
    mut heard: mpsc::UnboundedReceiver<Notification>,
    to: &Heads,
    own: i32,
) -> Result<Never, StorageError> {
    loop {
        let Some(notification) = heard.recv().await else {
            return Err(lost());
        };
        if notification.process_id() != own {
            to.add(heads_in(notification.payload()));
        }
    }
}

/// The heads as text: `id:head`, separated by spaces.
fn message(heads: &[(StreamId, Sequence)]) -> String {
    let mut text = String::new();
    for (stream, head) in heads {
        let id = Uuid::from_bytes(stream.0);
        write!(text, "{}:{} ", id.simple(), head.0).expect("a text takes what is written to it");
    }
    text
}

/// The heads in a message. What is none is left out: the look at the heads themselves makes good for it.
fn heads_in(message: &str) -> impl Iterator<Item = (StreamId, Sequence)> {
    message.split_ascii_whitespace().filter_map(|head| {
        let (id, head) = head.split_once(':')?;
        let id = Uuid::try_parse(id).ok()?;
        Some((StreamId(id.into_bytes()), Sequence(head.parse().ok()?)))
    })
}

async fn in_time<T>(query: impl Future<Output = Result<T, Error>>) -> Result<T, StorageError> {
    match timeout(TIME_LIMIT, query).await {
        Ok(answer) => answer.map_err(failed),
        Err(elapsed) => Err(StorageError::new("hear from the database in time", elapsed)),
    }
}

fn failed(error: Error) -> StorageError {
    StorageError::new("hear from the database", error)
}

fn lost() -> StorageError {
    let ended = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    StorageError::new("keep the connection to the database", ended)
}
