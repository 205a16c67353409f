use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use dragontooth_service::{Service, StartError, Storage};
use dragontooth_service_client::{
    Client, ClientError, InvalidServerAddress, Reason, ServerAddress, Tls, TlsFileError, TlsFiles,
    retry,
};
use dragontooth_service_vocabulary::{PlayerId, Scope};

use super::credentials::{Credential, Holder};
use crate::config::Remote;
use crate::record::ServiceKind;

/// Longest time that the runner tries to reach a service for the first time.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// The service on which a run is played.
#[derive(Debug)]
pub(super) struct Host {
    address: ServerAddress,
    tls: Tls,
    tls_files: TlsFiles,
    embedded: Option<Service>,
}

/// The service cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The embedded service does not start.
    #[error("the embedded service does not start")]
    Start(#[from] StartError),
    /// The embedded service listens nowhere that can be reached.
    #[error("the embedded service cannot be reached")]
    Address(#[from] InvalidServerAddress),
    /// The files of TLS cannot be used.
    #[error("the service cannot be reached over TLS")]
    Tls(#[from] TlsFileError),
    /// The service cannot be reached or refuses the runner.
    #[error("the service at {address} cannot be used")]
    Unusable {
        /// The address.
        address: ServerAddress,
        /// The cause.
        source: ClientError,
    },
    /// The service does not take a token.
    #[error("the service at {address} refuses {holder}")]
    Token {
        /// The address.
        address: ServerAddress,
        /// The holder of the token.
        holder: Holder,
        /// The cause.
        source: ClientError,
    },
    /// A token lacks a scope that it needs.
    #[error("{holder} lacks the scope {scope}")]
    Scope {
        /// The holder of the token.
        holder: Holder,
        /// The missing scope.
        scope: Scope,
    },
}

impl Host {
    /// A service that is already running elsewhere.
    pub(super) fn elsewhere(remote: &Remote) -> Result<Self, TlsFileError> {
        Ok(Self {
            address: remote.address.clone(),
            tls: remote.tls.read()?,
            tls_files: remote.tls.clone(),
            embedded: None,
        })
    }

    /// Starts a service with its data in `folder`.
    pub(super) async fn embedded(folder: &Path) -> Result<Self, HostError> {
        Self::start(Storage::Folder(folder.to_owned())).await
    }

    /// Starts a service that keeps nothing.
    pub(super) async fn in_memory() -> Result<Self, HostError> {
        Self::start(Storage::Memory).await
    }

    async fn start(storage: Storage) -> Result<Self, HostError> {
        let service = Service::start(dragontooth_service::Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            storage,
            ..dragontooth_service::Config::default()
        })
        .await?;
        let address = format!("http://{}", service.address()).parse()?;
        Ok(Self {
            address,
            tls: Tls::default(),
            tls_files: TlsFiles::default(),
            embedded: Some(service),
        })
    }

    /// The kind of the service.
    pub(super) const fn kind(&self) -> ServiceKind {
        match self.embedded {
            Some(_) => ServiceKind::Embedded,
            None => ServiceKind::Remote,
        }
    }

    /// The address of the service.
    pub(super) const fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// The files of TLS, for programs that connect to it.
    pub(super) const fn tls_files(&self) -> &TlsFiles {
        &self.tls_files
    }

    /// Connects a client, and returns it with the player that its token identifies.
    pub(super) async fn client(
        &self,
        credential: &Credential,
    ) -> Result<(Client, PlayerId), HostError> {
        let Credential {
            token,
            holder,
            scopes,
        } = credential;
        let unusable = |source| self.unusable(holder, source);
        let client = Client::connect_lazily_with(&self.address, token, &self.tls);
        let client = client.map_err(unusable)?;
        let identity = retry(FIRST_PATIENCE, || client.identity())
            .await
            .map_err(unusable)?;
        let allowed = |scope: &&Scope| identity.scopes.contains(scope);
        match scopes.iter().find(|scope| !allowed(scope)) {
            Some(&scope) => Err(HostError::Scope {
                holder: holder.clone(),
                scope,
            }),
            None => Ok((client, identity.player)),
        }
    }

    /// The error for a client that cannot connect.
    fn unusable(&self, holder: &Holder, source: ClientError) -> HostError {
        let address = self.address.clone();
        match source.reason() {
            Some(
                Reason::TokenMalformed
                | Reason::TokenUnknown
                | Reason::TokenExpired
                | Reason::TokenRevoked,
            ) => HostError::Token {
                address,
                holder: holder.clone(),
                source,
            },
            Some(_) | None => HostError::Unusable { address, source },
        }
    }

    /// Waits until the embedded service cannot write its log, as on a full disk. Never returns for a
    /// remote service, which may be restarted by its operator.
    pub(super) async fn log_failed(&self) {
        match &self.embedded {
            Some(service) => service.log_failed().await,
            None => std::future::pending().await,
        }
    }

    /// Stops an embedded service.
    pub(super) async fn close(self) {
        if let Some(service) = self.embedded {
            service.stop().await;
        }
    }
}
