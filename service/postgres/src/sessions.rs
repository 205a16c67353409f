//! The players' sessions at all services on the database.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use dragontooth_service_store::{PlayerSession, SessionBoard, StorageError};
use dragontooth_service_vocabulary::{PlayerId, Timestamp};
use futures::{FutureExt, future::BoxFuture};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, timeout},
};
use tokio_postgres::{Error, Row, Statement};
use uuid::Uuid;

pub(crate) use self::others::GONE;
use self::others::{FORGOTTEN, Others};
use crate::{
    peers::Peers,
    session::{Connector, Session},
};

mod others;

/// The interval at which the service renews itself, at least, and posts who has called.
const RENEWAL: Duration = Duration::from_millis(400);

/// The time limit of an exchange.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// The interval at which what is old is removed.
const CLEANING: Duration = Duration::from_secs(20);

const SETTINGS: &str = "SET statement_timeout = '3s'; SET synchronous_commit = off; SET jit = off; \
    SET enable_seqscan = off; LISTEN dragontooth_session";

/// Renews the service, and posts sessions. A statement of an earlier connection that comes late changes nothing.
const POST: &str = "
WITH me AS (
    INSERT INTO dragontooth.replica AS r (name, renewed_at, since) VALUES ($1::text, clock_timestamp(), clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET renewed_at = excluded.renewed_at RETURNING since
), posted AS (
    INSERT INTO dragontooth.session AS s (replica, version, player, opened, seen, offer)
    SELECT $1::text, $2::int8, player, opened, seen, offer
    FROM unnest($3::uuid[], $4::int8[], $5::int8[], $7::bytea[]) AS n (player, opened, seen, offer)
    ON CONFLICT (replica, player) DO UPDATE
    SET version = excluded.version, opened = excluded.opened, seen = excluded.seen, offer = excluded.offer
    WHERE s.version < excluded.version
)
SELECT (extract(epoch FROM since) * 1000000)::int8, CASE WHEN $6 THEN pg_notify('dragontooth_session', $1)::text END FROM me";

/// The time, with the other services, each with the sessions that are newer than a version, or once without one. It comes without a name if there is
/// no other service.
const READ: &str = "
SELECT (extract(epoch FROM now) * 1000000)::int8, r.name,
    (extract(epoch FROM r.since) * 1000000)::int8, (extract(epoch FROM r.renewed_at) * 1000000)::int8,
    s.version, s.player, s.opened, s.seen, s.offer
FROM clock_timestamp() now
LEFT JOIN dragontooth.replica r ON r.name <> $1
LEFT JOIN unnest($2::text[], $3::int8[]) AS k (name, version) ON k.name = r.name
LEFT JOIN dragontooth.session s ON s.replica = r.name AND s.version > coalesce(k.version, 0)";

const CLEAN: &str = "
WITH old AS (
    DELETE FROM dragontooth.replica WHERE renewed_at < clock_timestamp() - $2 * interval '1 second'
)
DELETE FROM dragontooth.session s WHERE NOT EXISTS (SELECT FROM dragontooth.replica r WHERE r.name = s.replica)
    OR (s.replica = $1 AND s.opened IS NULL
        AND s.seen < (extract(epoch FROM clock_timestamp() - $2 * interval '1 second') * 1000000)::int8)";

/// The board in the database.
///
/// Each service alone writes its sessions and numbers their versions, so the others read what is newer than what they know. The tables are
/// not durable: a service whose row is gone writes all of its streams again, and the others forget what they knew of it.
#[derive(Debug)]
pub(crate) struct Board {
    connector: Arc<Connector>,
    /// What was posted and not written yet, and all open streams of this service.
    own: Mutex<Own>,
    /// The exchange under way.
    exchange: tokio::sync::Mutex<Exchange>,
    news: Arc<Notify>,
    peers: Arc<Peers>,
}

#[derive(Debug, Default)]
struct Own {
    waiting: HashMap<PlayerId, Waiting>,
    streams: HashMap<PlayerId, PlayerSession>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Waiting {
    session: PlayerSession,
    /// A stream was opened or has ended.
    is_news: bool,
}

#[derive(Debug, Default)]
struct Exchange {
    connected: Option<Connected>,
    version: i64,
    /// The time since which the service has a row.
    since: Timestamp,
    renewed: Option<Instant>,
    cleaned: Option<Instant>,
    others: Others,
}

#[derive(Debug)]
struct Connected {
    session: Session,
    post: Statement,
    read: Statement,
    clean: Statement,
    changes: u64,
}

impl Board {
    pub(crate) fn new(connector: Arc<Connector>, peers: Arc<Peers>) -> Self {
        Self {
            connector,
            own: Mutex::default(),
            exchange: tokio::sync::Mutex::default(),
            news: Arc::default(),
            peers,
        }
    }

    async fn exchange_now(&self) -> Result<Vec<PlayerSession>, StorageError> {
        let mut exchange = self.exchange.lock().await;
        let exchange = &mut *exchange;
        let changes = self.connector.changes();
        let connected = match exchange.connected.take() {
            Some(connected) if connected.changes == changes => connected,
            Some(_) | None => {
                exchange.renewed = None;
                self.peers.note_unknown();
                Connected::open(&self.connector, &self.news).await?
            }
        };
        let exchanged = timeout(TIME_LIMIT, self.exchange_by(&connected, exchange)).await;
        let others = exchanged
            .map_err(|elapsed| StorageError::new("exchange sessions in time", elapsed))?
            .map_err(|error| StorageError::new("exchange sessions", error))?;
        // One that has failed is not used again.
        exchange.connected = Some(connected);
        Ok(others)
    }

    async fn exchange_by(
        &self,
        connected: &Connected,
        exchange: &mut Exchange,
    ) -> Result<Vec<PlayerSession>, Error> {
        let name = self.connector.instance().name();
        let posted: Vec<_> = self.own().waiting.values().cloned().collect();
        let is_news = posted.iter().any(|waiting| waiting.is_news);
        if is_news || is_due(exchange.renewed, RENEWAL) {
            exchange.version += 1;
            let since = connected
                .post(&name, exchange.version, &posted, is_news)
                .await?;
            exchange.renewed = Some(Instant::now());
            let mut own = self.own();
            own.forget(&posted);
            if since != exchange.since {
                exchange.since = since;
                own.post_streams();
                self.news.notify_one();
            }
        }
        if is_due(exchange.cleaned, CLEANING) {
            let age = FORGOTTEN.as_secs_f64();
            connected
                .session
                .execute(&connected.clean, &[&name, &age])
                .await?;
            exchange.cleaned = Some(Instant::now());
        }
        let (names, versions) = exchange.others.versions();
        let rows = connected
            .session
            .query(&connected.read, &[&name, &names, &versions])
            .await?;
        let now = rows.first().map(|row| time(row, 0)).transpose()?;
        let mut update = exchange.others.update(now.unwrap_or_default());
        for row in &rows {
            let Some(name) = row.try_get(1)? else {
                continue;
            };
            update.renewed(name, time(row, 2)?, time(row, 3)?);
            if let Some(version) = row.try_get(4)? {
                let player: Uuid = row.try_get(5)?;
                let opened: Option<i64> = row.try_get(6)?;
                let session = PlayerSession {
                    player: PlayerId::from_bytes(player.into_bytes()),
                    opened: opened.map(|micros| Timestamp::from_micros(micros.unsigned_abs())),
                    seen: time(row, 7)?,
                    offer: row.try_get::<_, Option<&[u8]>>(8)?.map(Into::into),
                };
                update.posted(name, version, session);
            }
        }
        let changed = update.end();
        self.peers.note_seen(exchange.others.has_any());
        Ok(changed)
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionBoard for Board {
    fn post(&self, session: PlayerSession) {
        if self.own().post(session) {
            self.news.notify_one();
        }
    }

    fn exchange(&self) -> BoxFuture<'_, Result<Vec<PlayerSession>, StorageError>> {
        self.exchange_now().boxed()
    }

    fn has_news(&self) -> BoxFuture<'_, ()> {
        self.news.notified().boxed()
    }
}

impl Own {
    /// Returns true if it is news of a stream.
    fn post(&mut self, session: PlayerSession) -> bool {
        let player = session.player;
        let had_stream = match session.opened {
            Some(_) => self.streams.insert(player, session.clone()),
            None => self.streams.remove(&player),
        };
        let before = self.waiting.get(&player);
        let is_news = session.opened.is_some()
            || had_stream.is_some()
            || before.is_some_and(|before| before.is_news);
        self.waiting.insert(player, Waiting { session, is_news });
        is_news
    }

    fn post_streams(&mut self) {
        for (player, session) in &self.streams {
            let waiting = Waiting {
                session: session.clone(),
                is_news: true,
            };
            self.waiting.entry(*player).or_insert(waiting);
        }
    }

    /// Forgets what was written, unless it has changed since.
    fn forget(&mut self, written: &[Waiting]) {
        for waiting in written {
            let player = waiting.session.player;
            if self.waiting.get(&player) == Some(waiting) {
                self.waiting.remove(&player);
            }
        }
    }
}

impl Connected {
    async fn open(connector: &Connector, news: &Arc<Notify>) -> Result<Self, StorageError> {
        let changes = connector.changes();
        let (hear, mut heard) = mpsc::unbounded_channel();
        let connected = connector.connect_beside(hear).await;
        let session = connected.map_err(|error| StorageError::new("reach the database", error))?;
        let (own, news) = (connector.instance().name(), Arc::clone(news));
        // It ends with the connection.
        tokio::spawn(async move {
            while let Some(notification) = heard.recv().await {
                if notification.payload() != own {
                    news.notify_one();
                }
            }
        });
        let doing = "prepare to exchange sessions";
        let prepared = timeout(TIME_LIMIT, Self::prepare(session, changes)).await;
        prepared
            .map_err(|elapsed| StorageError::new(doing, elapsed))?
            .map_err(|error| StorageError::new(doing, error))
    }

    async fn prepare(session: Session, changes: u64) -> Result<Self, Error> {
        session.batch_execute(SETTINGS).await?;
        Ok(Self {
            post: session.prepare(POST).await?,
            read: session.prepare(READ).await?,
            clean: session.prepare(CLEAN).await?,
            session,
            changes,
        })
    }

    /// Returns the time since which the service has a row.
    async fn post(
        &self,
        name: &str,
        version: i64,
        posted: &[Waiting],
        is_news: bool,
    ) -> Result<Timestamp, Error> {
        let sessions = posted.iter().map(|waiting| &waiting.session);
        let players: Vec<_> = sessions
            .clone()
            .map(|session| Uuid::from_bytes(session.player.bytes()))
            .collect();
        let opened: Vec<_> = sessions
            .clone()
            .map(|session| session.opened.map(signed))
            .collect();
        let seen: Vec<_> = sessions
            .clone()
            .map(|session| signed(session.seen))
            .collect();
        let offers: Vec<_> = sessions.map(|session| session.offer.as_deref()).collect();
        let row = self
            .session
            .query_one(
                &self.post,
                &[&name, &version, &players, &opened, &seen, &is_news, &offers],
            )
            .await?;
        time(&row, 0)
    }
}

fn is_due(last: Option<Instant>, interval: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= interval)
}

fn signed(time: Timestamp) -> i64 {
    i64::try_from(time.micros()).unwrap_or(i64::MAX)
}

fn time(row: &Row, at: usize) -> Result<Timestamp, Error> {
    let micros: i64 = row.try_get(at)?;
    Ok(Timestamp::from_micros(micros.unsigned_abs()))
}
