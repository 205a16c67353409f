//! Connections to the database.

use std::{
    io,
    ops::Deref,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{mpsc, watch},
    task::AbortHandle,
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, NoTls, Notification, error::Severity,
};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

use crate::{PostgresError, PostgresOptions, address::Instance};

/// The time limit for a login, which follows the connection.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The way to the database, as every connection takes it.
pub(crate) struct Connector {
    configs: Vec<Config>,
    /// The host at which a connection that may write is tried first: the one that is written to, or the one behind that which was passed over.
    first: AtomicUsize,
    /// The host that is written to, or was until now.
    written: AtomicUsize,
    tls: Option<MakeRustlsConnect>,
    place: String,
    instance: Instance,
    /// Counts how often the connection that writes was lost and made again.
    changes: AtomicU64,
}

impl Connector {
    /// The way that `options` describe. Nothing is connected yet.
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let instance = Instance::new();
        let configs = options.configs(instance)?;
        let tls = options.ca.as_deref().map(tls).transpose()?;
        let place = options.address.place();
        Ok(Self {
            configs,
            first: AtomicUsize::new(0),
            written: AtomicUsize::new(0),
            tls,
            place,
            instance,
            changes: AtomicU64::new(0),
        })
    }

    pub(crate) const fn instance(&self) -> Instance {
        self.instance
    }

    /// Has the other connections made at the host of the one that writes from now on.
    pub(crate) fn write_at(&self, at: Host) {
        self.written.store(at.0, Ordering::Release);
        self.note_change();
    }

    /// Notes that the connection that writes is lost or made again: what the others are connected to may be no primary any more.
    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of changes of the connection that writes so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Has connections tried first at the host of one that may write.
    pub(crate) fn stay(&self, at: Host) {
        self.first.store(at.0, Ordering::Release);
    }

    /// Has connections tried first at the host behind one that cannot be written to although it says so: such a primary hides no other.
    ///
    /// It has acknowledged nothing of what is under way, which is repeated at the next one; and what it commits later never gets to
    /// that, which accepts writes and so is no standby of it any more.
    pub(crate) fn pass_over(&self, past: Host) {
        let next = (past.0 + 1) % self.configs.len();
        self.first.store(next, Ordering::Release);
    }

    /// Connects to the first host that says that it accepts writes.
    pub(crate) async fn connect(&self) -> Result<Session, PostgresError> {
        let mut refused = None;
        let (count, first) = (self.configs.len(), self.first.load(Ordering::Acquire));
        for at in (first..count).chain(0..first) {
            // Nothing is listened to over it.
            let (hear, _) = mpsc::unbounded_channel();
            let error = match self.connect_in_time(Host(at), hear).await {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            // Of several, what a host says tells more than that another does not answer.
            let is_told = !matches!(error, PostgresError::Unreachable { .. });
            if is_told || refused.is_none() {
                refused = Some(error);
            }
        }
        Err(refused.unwrap_or_else(|| {
            PostgresError::unreachable(self.place.clone(), "the address names no host")
        }))
    }

    /// Connects to the host that the log writes to: another one may still hold what the log has left there. It stays the one while the
    /// log looks for another, and the services meet there until then. What is heard over the connection goes to `hear`.
    pub(crate) async fn connect_beside(
        &self,
        hear: mpsc::UnboundedSender<Notification>,
    ) -> Result<Session, PostgresError> {
        let written = Host(self.written.load(Ordering::Acquire));
        self.connect_in_time(written, hear).await
    }

    async fn connect_in_time(
        &self,
        at: Host,
        hear: mpsc::UnboundedSender<Notification>,
    ) -> Result<Session, PostgresError> {
        let config = &self.configs[at.0];
        let connecting = config.get_connect_timeout().copied().unwrap_or_default();
        let connected = self.connect_to(at, config, hear);
        let connected = timeout(connecting + LOGIN_TIMEOUT, connected).await;
        let late = |elapsed| Err(PostgresError::unreachable(self.place.clone(), elapsed));
        connected.unwrap_or_else(late)
    }

    async fn connect_to(
        &self,
        at: Host,
        config: &Config,
        hear: mpsc::UnboundedSender<Notification>,
    ) -> Result<Session, PostgresError> {
        let refused = |error| PostgresError::connecting(self.place.clone(), error);
        if let Some(tls) = &self.tls {
            let (client, connection) = config.connect(tls.clone()).await.map_err(refused)?;
            Ok(Session::drive(at, client, connection, hear))
        } else {
            let (client, connection) = config.connect(NoTls).await.map_err(refused)?;
            Ok(Session::drive(at, client, connection, hear))
        }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

fn tls(ca: &Path) -> Result<MakeRustlsConnect, PostgresError> {
    let failed = |source| PostgresError::Authorities {
        path: ca.to_owned(),
        source,
    };
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(ca).map_err(io::Error::other);
    for certificate in certificates.map_err(failed)? {
        let certificate = certificate.map_err(io::Error::other).map_err(failed)?;
        roots
            .add(certificate)
            .map_err(io::Error::other)
            .map_err(failed)?;
    }
    if roots.is_empty() {
        return Err(failed(io::Error::other("it has no certificate")));
    }
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The place of a host in the address, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Host(usize);

/// A connection. It is cut when it is dropped.
#[derive(Debug)]
pub(crate) struct Session {
    host: Host,
    client: Client,
    /// A warning has come.
    warned: Arc<AtomicBool>,
    ended: watch::Receiver<()>,
    driver: AbortHandle,
}

impl Session {
    fn drive<S, T>(
        host: Host,
        client: Client,
        mut connection: Connection<S, T>,
        hear: mpsc::UnboundedSender<Notification>,
    ) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let warned = Arc::new(AtomicBool::new(false));
        let (end, ended) = watch::channel(());
        let noted = Arc::clone(&warned);
        let driver = tokio::spawn(async move {
            let mut messages = stream::poll_fn(|cx| connection.poll_message(cx));
            while let Some(Ok(message)) = messages.next().await {
                if let AsyncMessage::Notice(notice) = &message
                    && notice.parsed_severity() == Some(Severity::Warning)
                {
                    tracing::warn!(message = notice.message(), "the database warns");
                    noted.store(true, Ordering::Release);
                }
                if let AsyncMessage::Notification(heard) = message {
                    // Nobody may listen.
                    let _ = hear.send(heard);
                }
            }
            drop(end);
        });
        Self {
            host,
            client,
            warned,
            ended,
            driver: driver.abort_handle(),
        }
    }

    /// The host that it is to.
    pub(crate) const fn host(&self) -> Host {
        self.host
    }

    /// Returns true if a warning has come since the last call. One that concerns a statement comes before its answer.
    pub(crate) fn take_warning(&self) -> bool {
        self.warned.swap(false, Ordering::AcqRel)
    }

    /// Ready once the connection has ended.
    pub(crate) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl Session {
    /// The client, for a transaction.
    pub(crate) const fn client_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
