use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{future, io};

use dragontooth_service_store::{PlayerSession, SessionBoard, StorageError};
use dragontooth_service_vocabulary::{PlayerId, Timestamp};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;

/// The time after which a service that is cut off or dead counts as gone.
const GONE: Duration = Duration::from_secs(6);

/// The sessions in the database, and its clock.
#[derive(Debug)]
pub(super) struct Sessions {
    begun: Instant,
    services: Mutex<Vec<AtService>>,
}

/// The sessions at a service, as it has written them.
#[derive(Clone, Debug)]
struct AtService {
    renewed: Timestamp,
    sessions: BTreeMap<PlayerId, PlayerSession>,
}

/// The board as one service has it.
#[derive(Debug)]
pub(super) struct SimulatedBoard {
    database: Arc<Sessions>,
    service: usize,
    available: watch::Receiver<bool>,
    posted: Mutex<BTreeMap<PlayerId, PlayerSession>>,
    heard: Mutex<BTreeMap<PlayerId, PlayerSession>>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            services: Mutex::default(),
        }
    }
}

impl Sessions {
    /// The time of the database.
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000).after(self.begun.elapsed())
    }

    /// The board for another service.
    pub(super) fn board(self: &Arc<Self>, available: watch::Receiver<bool>) -> Arc<SimulatedBoard> {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        services.push(AtService {
            renewed: self.now(),
            sessions: BTreeMap::new(),
        });
        Arc::new(SimulatedBoard {
            database: Arc::clone(self),
            service: services.len() - 1,
            available,
            posted: Mutex::default(),
            heard: Mutex::default(),
        })
    }

    /// Writes the sessions at one service. Returns those at the others, each put together from all of them.
    fn write(
        &self,
        service: usize,
        sessions: BTreeMap<PlayerId, PlayerSession>,
    ) -> BTreeMap<PlayerId, PlayerSession> {
        let now = self.now();
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        services[service] = AtService {
            renewed: now,
            sessions,
        };
        let others = services.iter().enumerate();
        let others = others.filter(|(at, _)| *at != service);
        let mut whole = BTreeMap::<PlayerId, PlayerSession>::new();
        for (_, other) in others {
            let is_gone = now.since(other.renewed) >= GONE;
            for session in other.sessions.values() {
                let mut session = session.clone();
                if is_gone && session.opened.take().is_some() {
                    session.seen = session.seen.max(other.renewed.after(GONE));
                }
                let player = whole.entry(session.player).or_insert(session.clone());
                player.opened = player.opened.max(session.opened);
                player.seen = player.seen.max(session.seen);
            }
        }
        whole
    }
}

impl SessionBoard for SimulatedBoard {
    fn post(&self, session: PlayerSession) {
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        posted.insert(session.player, session);
    }

    fn exchange(&self) -> BoxFuture<'_, Result<Vec<PlayerSession>, StorageError>> {
        if !*self.available.borrow() {
            let away = StorageError::new("reach the database", io::Error::other("it is away"));
            return future::ready(Err(away)).boxed();
        }
        let posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = self.database.write(self.service, posted.clone());
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = whole.values();
        let changed = changed.filter(|session| heard.get(&session.player) != Some(session));
        let changed = changed.cloned().collect();
        *heard = whole;
        future::ready(Ok(changed)).boxed()
    }

    /// Each change can wait for the next exchange.
    fn has_news(&self) -> BoxFuture<'_, ()> {
        future::pending().boxed()
    }
}
