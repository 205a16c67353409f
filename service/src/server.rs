use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use dragontooth_service_client::PemFileError;
use dragontooth_service_postgres::{PostgresError, PostgresLog};
use dragontooth_service_store::{
    Durability, EventLog, MatchLog, MatchLogError, MemoryLog, OpenError, RESTORE_COMMAND, SledLog,
    SledOptions, StorageError, TokenLog, TokenLogError,
};
use futures::future::join_all;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic_health::server::HealthReporter;
use tracing::{info, warn};

use crate::access::{Gate, RECORD_USES_INTERVAL, Tokens};
use crate::config::{Config, Limits, Storage, UnsafeConfig};
use crate::connections::{AcceptHandle, ConnectionLimits, Protocol, accept};
use crate::grpc::{self, AdmissionLayer, MeasureLayer};
use crate::log_time;
use crate::matches::Matches;
use crate::metrics;
use crate::random_bytes::random_bytes;
use crate::side::{Phase, Readiness, SidePort};
use crate::tls::{PortServer, TlsError};
use crate::web::{WebLayer, WebThreads};

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
    address: SocketAddr,
    matches: Arc<Matches>,
    health: HealthReporter,
    accepting: AcceptHandle,
    web: Option<WebPort>,
    shutdown_timeout: Duration,
    readiness: Readiness,
    side: Option<SidePort>,
    log_watched: JoinHandle<()>,
}

/// The port of the web page.
#[derive(Debug)]
struct WebPort {
    address: SocketAddr,
    accepting: AcceptHandle,
    threads: WebThreads,
}

/// The reason why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}, the setting `{setting}` (option `{}`)",
        option_of(setting)
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Which of its addresses it is: `listen`, `side.listen` or `web.listen`.
        setting: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// The threads that serve browsers cannot be started.
    #[error("cannot start the threads of the web page")]
    WebThreads(#[source] std::io::Error),
    /// It would be open to more people than its operator may think.
    #[error(transparent)]
    Unsafe(#[from] UnsafeConfig),
    /// The files of TLS cannot be used.
    #[error("cannot use the files of TLS")]
    Tls(#[from] PemFileError),
    /// The certificate, its key or the clients' authorities are none.
    #[error("cannot use the certificate or its key")]
    Certificate(#[from] tonic::transport::Error),
    /// The event log cannot be opened.
    #[error("cannot open the event log")]
    Open(#[from] OpenError),
    /// The event log on PostgreSQL cannot be opened.
    #[error("cannot open the event log")]
    OpenPostgres(#[from] PostgresError),
    /// The event log cannot be read.
    #[error("cannot read the event log")]
    Read(#[from] MatchLogError),
    /// The time of the event log cannot be read.
    #[error("cannot read the time of the event log")]
    Time(#[source] StorageError),
    /// The tokens cannot be read.
    #[error(
        "cannot read the tokens in {folder}, which say who may do what; keep a copy of the folder, restore \
         the last backup with `{RESTORE_COMMAND}`, and serve the new folder"
    )]
    Tokens {
        /// The data folder.
        folder: String,
        /// Why.
        source: TokenLogError,
    },
    /// The descriptions of the API for reflection are unfit.
    #[error("cannot describe the API")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// The option of the command line for one of the addresses.
fn option_of(setting: &str) -> &'static str {
    match setting {
        "side.listen" => "--side-listen",
        "web.listen" => "--web",
        _ => "--listen",
    }
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
        // Before the log is read: a key of another certificate is found here.
        let server = limited(Server::builder(), &config.limits);
        let server = PortServer::open(server, config.tls.clone())?;
        let (listener, address) = listen(config.listen, "listen").await?;
        let web = match config.web_listen {
            Some(address) => Some(listen_for_browsers(address).await?),
            None => None,
        };
        let readiness = Readiness::new();
        let side = match config.side_listen {
            Some(address) => Some(open_side(address, &config.storage, &readiness).await?),
            None => None,
        };
        let only_tls = server.has_tls();
        let (tokens, matches, page_key) = recover(
            config.storage,
            config.durability,
            open,
            &config.limits,
            system_time,
        )
        .await?;
        let gate = Gate::new(config.auth, config.own_players, Arc::clone(&tokens));
        let (routes, health) = grpc::routes(&matches, &gate, &config.limits, page_key).await?;
        tokio::spawn(record_uses(Arc::clone(&tokens), matches.draining().clone()));
        let log_watched = tokio::spawn(watch_log(
            Arc::clone(&matches),
            readiness.clone(),
            health.clone(),
        ));
        let limits = &config.limits;
        let connections = of_connections(limits);
        let open = || Arc::clone(matches.guard().connections());
        let web = web.map(|((listener, address), threads)| {
            let gate = gate.clone().with_public_watch(config.web_public_watch);
            let (server, routes) = (server.clone(), routes.clone());
            let page = WebLayer::new(&matches, config.tls.as_ref(), &config.web_hosts);
            let admission = AdmissionLayer::new(&matches, &gate, limits);
            let serve = move |incoming, end| {
                let (server, routes) = (server.clone(), routes.clone());
                let (page, admission) = (page.clone(), admission.clone());
                async move {
                    let server = server.current().await.accept_http1(true);
                    server
                        .layer(page)
                        .layer(MeasureLayer)
                        .layer(admission)
                        .add_routes(routes)
                        .serve_with_incoming_shutdown(incoming, end)
                        .await
                }
            };
            info!(%address, "web page open");
            let speaks = (Protocol::Web, only_tls);
            let runtime = threads.handle();
            let accepting = accept(runtime, listener, open(), connections, speaks, serve);
            WebPort {
                address,
                accepting,
                threads,
            }
        });
        let admission = AdmissionLayer::new(&matches, &gate, limits);
        let serve = move |incoming, end| {
            let (server, admission, routes) = (server.clone(), admission.clone(), routes.clone());
            async move {
                let server = server.current().await;
                server
                    .layer(MeasureLayer)
                    .layer(admission)
                    .add_routes(routes)
                    .serve_with_incoming_shutdown(incoming, end)
                    .await
            }
        };
        let accepting = accept(
            &Handle::current(),
            listener,
            open(),
            connections,
            (Protocol::Grpc, only_tls),
            serve,
        );
        readiness.reach(Phase::Ready);
        info!(%address, "serving");
        Ok(Self {
            address,
            matches,
            health,
            accepting,
            web,
            shutdown_timeout: config.shutdown_timeout,
            readiness,
            side,
            log_watched,
        })
    }

    /// The address it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the web page, if there is one.
    #[must_use]
    pub fn web_address(&self) -> Option<SocketAddr> {
        self.web.as_ref().map(|web| web.address)
    }

    /// The address of the side port, if there is one.
    #[must_use]
    pub fn side_address(&self) -> Option<SocketAddr> {
        self.side.as_ref().map(SidePort::address)
    }

    /// Ready once the event log has failed: nothing more is written until it is opened again.
    pub async fn log_failed(&self) {
        self.matches.log().failed().await;
    }

    /// Shuts down: refuses what is new, makes durable what has begun, ends the streams with a
    /// reason, closes the connections and the event log. The streams wait for what has begun no longer
    /// than a third of the shutdown timeout; what has not come to its end after nine tenths of it is cut.
    pub async fn stop(self) {
        let Self {
            matches,
            health,
            accepting,
            web,
            shutdown_timeout,
            readiness,
            side,
            log_watched,
            ..
        } = self;
        readiness.reach(Phase::Draining);
        let mut in_use = matches.in_use();
        let (web, threads) = web.map(|web| (web.accepting, web.threads)).unzip();
        let mut ports: Vec<AcceptHandle> = web.into_iter().chain([accepting]).collect();
        let drained = async {
            matches.begin_drain();
            // It ends with that; after it nothing else changes the health.
            let _ = log_watched.await;
            grpc::not_serving(&health).await;
            matches.drain(shutdown_timeout / 3).await;
            grpc::end_health(health).await;
            drop(matches);
            join_all(ports.iter_mut().map(AcceptHandle::stop)).await;
            // The tasks of the connections release the log a moment later.
            while in_use.changed().await.is_ok() {}
        };
        let drained = tokio::time::timeout(shutdown_timeout / 10 * 9, drained).await;
        if drained.is_ok() {
            info!("stopped");
        } else {
            ports.iter().for_each(AcceptHandle::cut);
            warn!("connections were cut");
        }
        drop((side, threads));
    }
}

impl From<TlsError> for StartError {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::File(error) => Self::Tls(error),
            TlsError::Pair(error) => Self::Certificate(error),
        }
    }
}

/// A way of opening the event log.
trait OpenLog: AsyncFnOnce(&Storage) -> Result<Arc<dyn EventLog>, StartError> + Send + 'static {}

impl<T: AsyncFnOnce(&Storage) -> Result<Arc<dyn EventLog>, StartError> + Send + 'static> OpenLog
    for T
{
}

async fn open_side(
    address: SocketAddr,
    storage: &Storage,
    readiness: &Readiness,
) -> Result<SidePort, StartError> {
    let data = match storage {
        Storage::Folder(folder) => Some(folder.clone()),
        Storage::Memory | Storage::Postgres(_) => None,
    };
    let port = SidePort::open(address, readiness.clone(), data).await;
    port.map_err(|source| StartError::Listen {
        address,
        setting: "side.listen",
        source,
    })
}

/// Opens the event log and resumes its matches, on a thread that may wait for the disk. Returns the key of the tokens of
/// pages too.
async fn recover(
    storage: Storage,
    durability: Durability,
    open: impl OpenLog,
    limits: &Limits,
    system_time: fn() -> SystemTime,
) -> Result<(Arc<Tokens>, Arc<Matches>, [u8; 32]), StartError> {
    let limits = *limits;
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

/// Reports the failure of the event log, and that it is away and back, until the service drains.
async fn watch_log(matches: Arc<Matches>, readiness: Readiness, health: HealthReporter) {
    tokio::select! {
        () = matches.draining().cancelled() => {}
        () = matches.log().failed() => {
            metrics::log_failed();
            readiness.reach(Phase::LogFailed);
            grpc::not_serving(&health).await;
        }
        () = follow_log(&matches, &readiness, &health) => {}
        () = matches.follow_matches() => {}
        () = matches.exchange_sessions() => {}
        () = matches.follow_tokens() => {}
        () = matches.follow_delayed_matches() => {}
        () = log_time::follow(matches.log().event_log(), matches.clock().clone()) => {}
    }
}

/// Reports that the event log is away and that it is back, as long as it may be either.
async fn follow_log(matches: &Matches, readiness: &Readiness, health: &HealthReporter) {
    if let Some(mut available) = matches.log().availability() {
        while available.wait_for(|available| !available).await.is_ok() {
            say_away(matches);
            readiness.reach(Phase::LogAway);
            grpc::not_serving(health).await;
            if available.wait_for(|available| *available).await.is_err() {
                break;
            }
            info!("the event log is back");
            matches.log_is_back().await;
            readiness.log_is_back();
            grpc::serving(health).await;
        }
    }
    // It stays as it is.
    std::future::pending::<()>().await;
}

fn say_away(matches: &Matches) {
    let why = matches.log().event_log().health().err();
    warn!(
        error = why.as_ref().and_then(std::error::Error::source),
        "the event log is away: no clock runs, and calls that need it are refused"
    );
}

/// Records from time to time when tokens were last used.
async fn record_uses(tokens: Arc<Tokens>, draining: CancellationToken) {
    loop {
        tokio::select! {
            () = draining.cancelled() => return,
            () = tokio::time::sleep(RECORD_USES_INTERVAL) => tokens.record_uses().await,
        }
    }
}

async fn open(storage: &Storage) -> Result<Arc<dyn EventLog>, StartError> {
    Ok(match storage {
        Storage::Memory => Arc::new(MemoryLog::new()),
        Storage::Folder(folder) => {
            let options = SledOptions {
                on_write: Some(metrics::wrote),
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

/// Opens the port of the web page, and starts the threads that serve it.
async fn listen_for_browsers(
    address: SocketAddr,
) -> Result<((TcpListener, SocketAddr), WebThreads), StartError> {
    let threads = WebThreads::start().map_err(StartError::WebThreads)?;
    Ok((listen(address, "web.listen").await?, threads))
}

/// The time limits of connections.
fn of_connections(limits: &Limits) -> ConnectionLimits {
    ConnectionLimits {
        greeting_timeout: limits.greeting_timeout,
        age: limits.connection_age,
        age_grace: limits.connection_age_grace,
    }
}

/// A server within the limits on connections.
fn limited(server: Server, limits: &Limits) -> Server {
    server
        .tcp_nodelay(true)
        .max_concurrent_streams(limits.streams_of_connection)
        .initial_stream_window_size(limits.stream_window_bytes)
        .initial_connection_window_size(limits.connection_window_bytes)
        .http2_max_header_list_size(limits.header_list_bytes)
        .http2_max_pending_accept_reset_streams(Some(limits.resets_of_connection))
        .http2_max_local_error_reset_streams(Some(limits.resets_of_connection))
        .http2_keepalive_interval(Some(limits.keepalive_interval))
        .http2_keepalive_timeout(Some(limits.keepalive_timeout))
}

/// Listens on the address of a setting. Returns the address that it has become, too.
async fn listen(
    address: SocketAddr,
    setting: &'static str,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let listened = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    listened.await.map_err(|source| StartError::Listen {
        address,
        setting,
        source,
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
mod late_answers;
#[cfg(test)]
mod tests;
