use std::sync::Arc;
use std::time::SystemTime;

use dragontooth_service_store::{EventLog, MatchLog, TokenLog};
use tokio::task::JoinSet;

use super::log::{Database, Line, SimulatedLog};
use crate::access::Tokens;
use crate::config::Limits;
use crate::log_time;
use crate::matches::Matches;

/// A service on the simulated database.
pub(super) struct SimulatedService {
    pub(super) matches: Arc<Matches>,
    pub(super) log: Arc<SimulatedLog>,
    tasks: JoinSet<()>,
}

impl SimulatedService {
    pub(super) async fn start(database: &Arc<Database>) -> Self {
        Self::start_on(database.connect()).await
    }

    pub(super) async fn start_on(log: Arc<SimulatedLog>) -> Self {
        let event_log: Arc<dyn EventLog> = Arc::clone(&log) as _;
        let clock = log_time::start_clock(&*event_log, SystemTime::now).await;
        let clock = clock.unwrap();
        let tokens = Tokens::open(TokenLog::new(Arc::clone(&event_log)), clock.clone()).await;
        let match_log = MatchLog::new(Arc::clone(&event_log));
        let matches = Matches::recover(match_log, tokens.unwrap(), clock, &Limits::default()).await;
        let (matches, live) = matches.unwrap();
        matches.continue_all(live);
        let mut tasks = JoinSet::new();
        let following = Arc::clone(&matches);
        tasks.spawn(async move { following.follow_matches().await });
        let exchanging = Arc::clone(&matches);
        tasks.spawn(async move { exchanging.exchange_sessions().await });
        let returning = Arc::clone(&matches);
        tasks.spawn(async move {
            let mut available = event_log.availability().expect("it may be away");
            while available.wait_for(|is_here| !is_here).await.is_ok()
                && available.wait_for(|is_here| *is_here).await.is_ok()
            {
                returning.log_is_back().await;
            }
        });
        Self {
            matches,
            log,
            tasks,
        }
    }

    /// Ends it at once.
    pub(super) fn kill(mut self) {
        self.log.set(Line::Dead);
        self.tasks.abort_all();
    }
}
