//! The messages by which the services on a database tell each other what they have appended.

use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};

use dragontooth_service_store::{Heads, NewHead, StorageError, StreamId};
use dragontooth_service_vocabulary::{PlayerId, Sequence};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, interval, sleep, timeout},
};
use tokio_postgres::{Error, Notification};
use uuid::Uuid;

use crate::{
    condition::Condition,
    peers::Peers,
    session::{Connector, Session},
    sessions::GONE,
};

/// The channel of the heads of streams.
const HEADS: &str = "dragontooth_heads";

/// Bytes of a message, at most: PostgreSQL takes fewer than 8,000.
const MAX_MESSAGE_BYTES: usize = 7_800;

/// The time between two looks at the connection, as the server may be no primary any more.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// The time limit of a statement.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The pauses between attempts to reach the database.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A message costs no sync: it tells of what is durable.
const SETTINGS: &str = "SET synchronous_commit = off; SET statement_timeout = '10s'; SET jit = off; \
    SET enable_seqscan = off; LISTEN dragontooth_heads";

/// A message without heads.
const ANNOUNCE: &str = "SELECT pg_notify($1, '')";

const TELL: &str = "SELECT pg_notify($1, message) FROM unnest($2::text[]) message";

/// The connection that tells and hears.
#[derive(Debug)]
pub(crate) struct Feed {
    connector: Arc<Connector>,
    condition: watch::Receiver<Condition>,
    told: Arc<Heads>,
    heard: Arc<Heads>,
    peers: Arc<Peers>,
}

impl Feed {
    /// Tells others of the heads in `told`, adds those that others have moved to `heard`, and notes that there are others in `peers`.
    pub(crate) const fn new(
        connector: Arc<Connector>,
        condition: watch::Receiver<Condition>,
        told: Arc<Heads>,
        heard: Arc<Heads>,
        peers: Arc<Peers>,
    ) -> Self {
        Self {
            connector,
            condition,
            told,
            heard,
            peers,
        }
    }

    /// Runs as long as the writer does, and connects again as often as it takes.
    pub(crate) async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            // The connection that writes finds the primary, and a connection made before that would be made again.
            let is_here = |condition: &Condition| matches!(condition, Condition::Here);
            if self.condition.wait_for(is_here).await.is_err() {
                return;
            }
            let changes = self.connector.changes();
            let (hear, heard) = mpsc::unbounded_channel();
            let failed = match self.connector.connect_beside(hear).await {
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
        &self,
        session: &Session,
        heard: mpsc::UnboundedReceiver<Notification>,
        changes: u64,
    ) -> Result<Never, StorageError> {
        in_time(session.batch_execute(SETTINGS)).await?;
        let row = in_time(session.query_one("SELECT pg_backend_pid()", &[])).await?;
        let own: i32 = row.try_get(0).map_err(failed)?;
        let (told, to) = (Arc::clone(&self.told), Arc::clone(&self.heard));
        tokio::select! {
            ended = tell(session, &told) => ended,
            ended = hear(heard, &to, own, &self.peers) => ended,
            ended = self.look(session, changes) => ended,
        }
    }

    /// Looks at the connection and says that this service is there, again and again: the others tell of their events only while they hear of
    /// somebody.
    async fn look(&self, session: &Session, changes: u64) -> Result<Never, StorageError> {
        let mut ticks = interval(LOOK_INTERVAL);
        let mut announced = None::<Instant>;
        loop {
            ticks.tick().await;
            if self.connector.changes() != changes {
                return Err(lost());
            }
            in_time(session.execute(ANNOUNCE, &[&HEADS])).await?;
            // Before the first time, and if the whole program was stopped for a while, the others may have taken it for gone and told nothing.
            if announced.is_none_or(|at| at.elapsed() >= GONE) {
                self.heard.note_gap();
            }
            announced = Some(Instant::now());
        }
    }
}

/// It goes on until it fails.
type Never = std::convert::Infallible;

async fn tell(session: &Session, told: &Heads) -> Result<Never, StorageError> {
    loop {
        let mut taken = Taken {
            heads: told.take().await,
            from: told,
        };
        let messages = messages(taken.heads.iter().map(|(stream, new)| (*stream, *new)));
        in_time(session.execute(TELL, &[&HEADS, &messages])).await?;
        taken.heads.clear();
    }
}

/// Heads that are being told. Those of a message that did not get through are told over the next connection.
struct Taken<'a> {
    heads: HashMap<StreamId, NewHead>,
    from: &'a Heads,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.from.add(self.heads.drain());
    }
}

async fn hear(
    mut heard: mpsc::UnboundedReceiver<Notification>,
    to: &Heads,
    own: i32,
    peers: &Peers,
) -> Result<Never, StorageError> {
    loop {
        let Some(notification) = heard.recv().await else {
            return Err(lost());
        };
        if notification.process_id() != own {
            peers.note_heard();
            to.add(heads_in(notification.payload()));
        }
    }
}

/// The end of a head by which the catalogue has changed. Earlier versions take it for a player that they cannot read, behind those that they can.
const LISTED: &str = "*";

/// The heads as texts: `id:head`, `:player` for each of those concerned, and `:*` if the catalogue has changed, separated by spaces.
fn messages(heads: impl IntoIterator<Item = (StreamId, NewHead)>) -> Vec<String> {
    let mut messages = vec![String::new()];
    for (stream, new) in heads {
        let id = Uuid::from_bytes(stream.0);
        let mut head = format!("{}:{}", id.simple(), new.head.0);
        for player in new.players.into_iter().flatten() {
            let player = Uuid::from_bytes(player.bytes());
            write!(head, ":{}", player.simple()).expect("a text takes what is written to it");
        }
        if new.is_listed {
            head.push(':');
            head.push_str(LISTED);
        }
        if messages
            .last()
            .is_some_and(|last| last.len() + head.len() > MAX_MESSAGE_BYTES)
        {
            messages.push(String::new());
        }
        if let Some(last) = messages.last_mut() {
            last.push_str(&head);
            last.push(' ');
        }
    }
    messages
}

/// The heads in a message. What is none is left out: the look at the heads themselves makes good for it.
fn heads_in(message: &str) -> impl Iterator<Item = (StreamId, NewHead)> {
    message.split_ascii_whitespace().filter_map(|head| {
        let listed = head.strip_suffix(LISTED);
        let mut parts = listed.unwrap_or(head).split(':');
        let id = Uuid::try_parse(parts.next()?).ok()?;
        let head = Sequence(parts.next()?.parse().ok()?);
        let mut players = parts.map(|player| {
            let player = Uuid::try_parse(player).ok()?;
            Some(PlayerId::from_bytes(player.into_bytes()))
        });
        let players = [players.next().flatten(), players.next().flatten()];
        let new = NewHead {
            head,
            players,
            is_listed: listed.is_some(),
        };
        Some((StreamId(id.into_bytes()), new))
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
