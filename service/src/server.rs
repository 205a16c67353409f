//! A service from its start to its end.

mod in_process;
mod log_watch;
mod ports;
mod start_error;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{EventLog, MatchLog, MemoryLog, SledLog, SledOptions, TokenLog};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tonic_health::server::HealthReporter;
use tracing::{info, warn};

use self::in_process::Calls;
use self::log_watch::{record_uses, watch_log};
use self::ports::{OpenPorts, Ports};
use crate::access::{Gate, Tokens};
use crate::config::{Config, Storage};
use crate::grpc;
use crate::log_time;
use crate::matches::{LiveMatches, Matches};
use crate::metrics;
use crate::random_bytes::random_bytes;
use crate::side::{Phase, Readiness};

pub use in_process::InProcess;
pub use start_error::StartError;

/// A running service.
///
/// ```no_run
/// use dragontooth_service::{Config, Service};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = Config {
///     listen: "127.0.0.1:0".parse()?,
///     ..Config::default()
/// };
/// let service = Service::start(config).await?;
/// println!("serving on {}", service.address());
/// service.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Service {
    matches: Arc<Matches>,
    calls: Arc<Calls>,
    health: HealthReporter,
    ports: Ports,
    shutdown_timeout: Duration,
    readiness: Readiness,
    log_watched: JoinHandle<()>,
}

impl Service {
    /// Opens the event log, resumes the matches that are not over, and serves.
    ///
    /// # Errors
    ///
    /// The address or the log cannot be used.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_on(config, open).await
    }

    /// The same with a way of opening the event log.
    async fn start_on(config: Config, open: impl OpenLog) -> Result<Self, StartError> {
        Self::start_with(config, open, SystemTime::now).await
    }

    /// The same with a clock of the system.
    async fn start_with(
        config: Config,
        open: impl OpenLog,
        system_time: fn() -> SystemTime,
    ) -> Result<Self, StartError> {
        config.check_safety()?;
        let readiness = Readiness::new();
        let ports = OpenPorts::open(&config, &readiness).await?;
        let (tokens, (matches, live), page_key) = recover(&config, open, system_time).await?;
        let gate = Gate::new(config.auth, config.own_players.clone(), Arc::clone(&tokens));
        let (routes, health) = grpc::routes(&matches, &gate, &config.limits, page_key).await?;
        tokio::spawn(record_uses(tokens, matches.draining().clone()));
        // Before anything takes up matches that no service sees to.
        matches.continue_all(live);
        let log_watched = tokio::spawn(watch_log(
            Arc::clone(&matches),
            readiness.clone(),
            health.clone(),
        ));
        let calls = in_process::calls(&routes, &matches, &gate, &config.limits);
        let ports = ports.serve(&config, &matches, &gate, &routes);
        readiness.reach(Phase::Ready);
        info!(address = %ports.address(), "serving");
        Ok(Self {
            matches,
            calls,
            health,
            ports,
            shutdown_timeout: config.shutdown_timeout,
            readiness,
            log_watched,
        })
    }

    /// The address it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.ports.address()
    }

    /// Returns a connection from this process.
    #[must_use]
    pub fn in_process(&self) -> InProcess {
        InProcess::new(&self.calls, &self.matches)
    }

    /// The address of the web page, if there is one.
    #[must_use]
    pub fn web_address(&self) -> Option<SocketAddr> {
        self.ports.web_address()
    }

    /// The address of the side port, if there is one.
    #[must_use]
    pub fn side_address(&self) -> Option<SocketAddr> {
        self.ports.side_address()
    }

    /// Ready once the event log has failed: nothing more is written until it is opened again.
    pub async fn log_failed(&self) {
        self.matches.log().failed().await;
    }

    /// Shuts down: refuses what is new, makes durable what has begun, ends the streams with a
    /// reason, closes the connections and the event log. The streams wait for what has begun no longer
    /// than a third of the shutdown timeout; what has not come to its end after nine tenths of it is cut. Returns `false` if
    /// the event log was not closed by then.
    pub async fn stop(self) -> bool {
        let Self {
            matches,
            calls,
            health,
            mut ports,
            shutdown_timeout,
            readiness,
            log_watched,
        } = self;
        readiness.reach(Phase::Draining);
        let mut in_use = matches.in_use();
        let deadline = tokio::time::Instant::now() + shutdown_timeout / 10 * 9;
        let closed = async {
            matches.begin_drain();
            // It ends with that; after it nothing else changes the health.
            let _ = log_watched.await;
            grpc::not_serving(&health).await;
            matches.drain(shutdown_timeout / 3).await;
        };
        if tokio::time::timeout_at(deadline, closed).await.is_err() {
            ports.cut();
            warn!("the event log was not closed in time");
            return false;
        }
        let ended = async {
            grpc::end_health(health).await;
            drop((matches, calls));
            ports.stop().await;
            // The tasks of the connections release the log a moment later.
            while in_use.changed().await.is_ok() {}
        };
        let ended = tokio::time::timeout_at(deadline, ended).await;
        if ended.is_ok() {
            info!("stopped");
        } else {
            ports.cut();
            warn!("connections were cut");
        }
        true
    }
}

/// A way of opening the event log.
trait OpenLog: AsyncFnOnce(&Storage) -> Result<Arc<dyn EventLog>, StartError> + Send + 'static {}

impl<T: AsyncFnOnce(&Storage) -> Result<Arc<dyn EventLog>, StartError> + Send + 'static> OpenLog
    for T
{
}

/// Opens the event log and reads its matches, on a thread that may wait for the disk. Returns the key of the tokens of
/// pages too.
async fn recover(
    config: &Config,
    open: impl OpenLog,
    system_time: fn() -> SystemTime,
) -> Result<(Arc<Tokens>, (Arc<Matches>, LiveMatches), [u8; 32]), StartError> {
    let storage = config.storage.clone();
    let (durability, limits) = (config.durability, config.limits);
    let recover = async move || {
        let begun = Instant::now();
        let log = open(&storage).await?;
        let clock = log_time::start_clock(&*log, system_time)
            .await
            .map_err(StartError::Time)?;
        let tokens = Tokens::open(TokenLog::new(Arc::clone(&log)), clock.clone()).await;
        let tokens = tokens.map_err(|source| {
            let folder = match &storage {
                Storage::Memory => "memory".to_owned(),
                Storage::Folder(folder) => folder.display().to_string(),
                Storage::Postgres(options) => options.address.place(),
            };
            StartError::Tokens { folder, source }
        })?;
        let fresh = random_bytes();
        let page_key = log.secret_key(fresh).await.unwrap_or_else(|error| {
            warn!(%error, "the tokens of pages end with this process");
            fresh
        });
        let log = MatchLog::new(log).with_durability(durability);
        let matches = Matches::recover(log, Arc::clone(&tokens), clock, &limits).await?;
        metrics::recovered(begun.elapsed());
        Ok((tokens, matches, page_key))
    };
    match tokio::task::spawn_blocking(|| Handle::current().block_on(recover())).await {
        Ok(recovered) => recovered,
        // It is never cancelled, so it has panicked.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn open(storage: &Storage) -> Result<Arc<dyn EventLog>, StartError> {
    Ok(match storage {
        Storage::Memory => Arc::new(MemoryLog::new()),
        Storage::Folder(folder) => {
            let options = SledOptions {
                on_write: Some(metrics::wrote),
                ongoing_write: Some(&metrics::ONGOING_WRITE),
                ..SledOptions::default()
            };
            Arc::new(SledLog::open_with(folder, &options)?)
        }
        Storage::Postgres(options) => {
            let log = PostgresLog::open_to_serve(options, metrics::wrote).await?;
            info!(database = %options.address.place(), "event log opened");
            Arc::new(log)
        }
    })
}

#[cfg(test)]
mod absence_tests;
#[cfg(test)]
mod clock_skew_tests;
#[cfg(test)]
#[expect(dead_code, reason = "the tests of the log itself use the rest")]
#[path = "../postgres/tests/it/server.rs"]
mod database_server;
#[cfg(test)]
mod drain_tests;
#[cfg(test)]
mod late_answers_tests;
#[cfg(test)]
mod test_service;
#[cfg(test)]
mod tests;
