use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use dragontooth_service::{Durability, Limits, Service, StartError, Storage, own_player};
use dragontooth_service_client::{
    Client, ClientError, InvalidServerAddress, Reason, ServerAddress, Tls, TlsFileError, TlsFiles,
    retry,
};
use dragontooth_service_vocabulary::{PlayerId, Scope};

use super::credentials::{Credential, Credentials, Holder};
use crate::config::Remote;
use crate::record::ServiceKind;

/// Longest time that the runner tries to reach a service for the first time.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// Connections that a bot may have on the embedded service beside two for each concurrent match: few enough that
/// one bot does not take all the files that the runner may open, usually 1,024.
const MORE_CONNECTIONS_OF_A_BOT: usize = 32;

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
    /// Nothing answers, or the connection was lost.
    #[error("no service answers at {address}: {fault}")]
    Silent {
        /// The address.
        address: ServerAddress,
        /// The first cause.
        fault: String,
    },
    /// The service refuses the runner or cannot be spoken to.
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

impl HostError {
    /// The error for a service that cannot be used, whoever asks.
    pub(super) fn unusable(address: ServerAddress, source: ClientError) -> Self {
        if !matches!(source, ClientError::Unreachable { .. }) {
            return Self::Unusable { address, source };
        }
        Self::Silent {
            address,
            fault: source.first_cause(),
        }
    }
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

    /// Starts a service with its data in `folder`, for the runner and the bots of an event alone: a program
    /// that makes up tokens cannot take the connections of the others. `concurrency` matches are played at once.
    pub(super) async fn embedded(
        folder: &Path,
        durability: Durability,
        credentials: &Credentials,
        concurrency: NonZeroUsize,
    ) -> Result<Self, HostError> {
        let of_bots = credentials.bots.iter().flatten();
        let all = std::iter::once(&credentials.runner).chain(of_bots);
        let players = all.map(|credential| own_player(credential.token.reveal()));
        Self::start(dragontooth_service::Config {
            storage: Storage::Folder(folder.to_owned()),
            durability,
            own_players: Some(players.collect()),
            limits: Limits {
                connections_of_player: MORE_CONNECTIONS_OF_A_BOT
                    .saturating_add(concurrency.get().saturating_mul(2)),
                ..Limits::default()
            },
            ..dragontooth_service::Config::default()
        })
        .await
    }

    /// Starts a service that keeps nothing.
    pub(super) async fn in_memory() -> Result<Self, HostError> {
        Self::start(dragontooth_service::Config::default()).await
    }

    async fn start(config: dragontooth_service::Config) -> Result<Self, HostError> {
        let service = Service::start(dragontooth_service::Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            ..config
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
        let client = match &self.embedded {
            Some(service) => Client::in_process(service.in_process(), token),
            None => {
                Client::connect_lazily_with(&self.address, token, &self.tls).map_err(unusable)?
            }
        };
        let identity = retry(&client, FIRST_PATIENCE, || client.identity())
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
            Some(_) | None => HostError::unusable(address, source),
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

#[cfg(test)]
mod tests {
    use dragontooth_service_client::Token;

    use super::*;
    use crate::drive::credentials::Holder;

    fn credential(scopes: &'static [Scope]) -> Credential {
        Credential {
            token: Token::random(),
            holder: Holder::new(None, None, "test".to_owned()),
            scopes,
        }
    }

    #[tokio::test]
    async fn the_embedded_service_takes_the_tokens_of_its_event_alone() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = Credentials {
            runner: credential(&[Scope::Create]),
            bots: vec![None, Some(credential(&[Scope::Play]))],
        };
        let host = Host::embedded(
            folder.path(),
            Durability::Match,
            &credentials,
            NonZeroUsize::MIN,
        );
        let host = host.await.unwrap();
        host.client(&credentials.runner).await.unwrap();
        let bot = credentials.bots[1].as_ref().unwrap();
        host.client(bot).await.unwrap();
        let made_up = host.client(&credential(&[])).await.unwrap_err();
        assert!(matches!(made_up, HostError::Token { .. }), "{made_up}");
        host.close().await;
    }
}
