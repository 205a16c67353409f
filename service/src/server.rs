use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_store::{
    EventLog, MatchLog, MatchLogError, MemoryLog, OpenError, SledLog, TokenLog, TokenLogError,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic_health::server::HealthReporter;
use tracing::{info, warn};

use crate::access::{Gate, RECORD_USES_INTERVAL, Tokens};
use crate::config::{Config, Storage, Unsafe};
use crate::connections::{Accepting, ConnectionLimits, accept};
use crate::grpc;
use crate::matches::Matches;
use crate::tls::{self, TlsError};
use crate::wall_clock::WallClock;

/// A running service.
#[derive(Debug)]
pub struct Service {
    address: SocketAddr,
    matches: Arc<Matches>,
    tokens: Arc<Tokens>,
    health: HealthReporter,
    accepting: Accepting,
    shutdown_timeout: Duration,
}

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// It would be open to more people than its operator may think.
    #[error(transparent)]
    Unsafe(#[from] Unsafe),
    /// The files of TLS cannot be used.
    #[error("cannot use the files of TLS")]
    Tls(#[from] TlsError),
    /// The certificate, its key or the clients' authorities are none.
    #[error("cannot use the certificate or its key")]
    Certificate(#[from] tonic::transport::Error),
    /// The event log cannot be opened.
    #[error("cannot open the event log")]
    Open(#[from] OpenError),
    /// The event log cannot be read.
    #[error("cannot read the event log")]
    Read(#[from] MatchLogError),
    /// The tokens cannot be read.
    #[error("cannot read the tokens")]
    Tokens(#[from] TokenLogError),
    /// The descriptions of the API for reflection are unfit.
    #[error("cannot describe the API")]
    Reflection(#[from] tonic_reflection::server::Error),
}

impl Service {
    /// Opens the event log, takes up the matches that are not over, and serves.
    ///
    /// # Errors
    ///
    /// The address or the log is not to be had.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        config.check_safety()?;
        let tls = config.tls.as_ref().map(tls::read).transpose()?;
        let listener =
            TcpListener::bind(config.listen)
                .await
                .map_err(|source| StartError::Listen {
                    address: config.listen,
                    source,
                })?;
        let address = listener.local_addr().map_err(|source| StartError::Listen {
            address: config.listen,
            source,
        })?;
        let log = open(&config.storage)?;
        let clock = WallClock::start();
        let tokens = Tokens::open(TokenLog::new(Arc::clone(&log)), clock)?;
        let matches = Matches::recover(MatchLog::new(log), clock, config.limits)?;
        let gate = Gate::new(config.auth, Arc::clone(&tokens));
        let (routes, health) = grpc::routes(&matches, &gate, config.limits).await?;
        tokio::spawn(record_uses(Arc::clone(&tokens), matches.draining().clone()));
        let only_tls = tls.is_some();
        let server = match tls {
            Some(tls) => Server::builder().tls_config(tls)?,
            None => Server::builder(),
        };
        let server = server
            .tcp_nodelay(true)
            .max_concurrent_streams(config.limits.streams_of_connection)
            .http2_max_header_list_size(config.limits.header_list_bytes)
            .http2_keepalive_interval(Some(config.limits.keepalive_interval))
            .http2_keepalive_timeout(Some(config.limits.keepalive_timeout))
            .add_routes(routes);
        let limits = ConnectionLimits {
            greeting_timeout: config.limits.greeting_timeout,
            age: config.limits.connection_age,
            age_grace: config.limits.connection_age_grace,
        };
        let open = Arc::clone(matches.guard().connections());
        let accepting = accept(listener, open, limits, only_tls, move |incoming, end| {
            server.clone().serve_with_incoming_shutdown(incoming, end)
        });
        info!(%address, "serving");
        Ok(Self {
            address,
            matches,
            tokens,
            health,
            accepting,
            shutdown_timeout: config.shutdown_timeout,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shuts down: refuses what is new, makes durable what has begun, ends the streams with a
    /// reason, closes the connections and the event log. Connections that do not close within the
    /// shutdown timeout are cut.
    pub async fn stop(self) {
        let Self {
            matches,
            tokens,
            health,
            mut accepting,
            shutdown_timeout,
            ..
        } = self;
        grpc::not_serving(&health).await;
        tokens.close().await;
        matches.drain().await;
        grpc::end_health(health).await;
        let mut in_use = matches.in_use();
        drop(matches);
        let closed = async {
            accepting.stop().await;
            // The tasks of the connections let go of the log a moment later.
            while in_use.changed().await.is_ok() {}
        };
        if tokio::time::timeout(shutdown_timeout, closed).await.is_ok() {
            info!("stopped");
        } else {
            accepting.cut();
            warn!("connections were cut");
        }
    }
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

fn open(storage: &Storage) -> Result<Arc<dyn EventLog>, OpenError> {
    Ok(match storage {
        Storage::Memory => Arc::new(MemoryLog::new()),
        Storage::Folder(folder) => Arc::new(SledLog::open(folder)?),
    })
}
