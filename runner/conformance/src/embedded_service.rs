use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use dragontooth_service::{Config, Service, StartError, Storage};
use dragontooth_service_client::{
    Client, ClientError, InvalidServerAddress, ServerAddress, Token, retry,
};
use dragontooth_service_vocabulary::PlayerId;

/// Longest time that the kit tries to reach its service.
const PATIENCE: Duration = Duration::from_secs(10);

/// The service of the kit, which keeps nothing.
#[derive(Debug)]
pub(super) struct EmbeddedService {
    address: ServerAddress,
    service: Service,
}

/// The reason why the kit cannot examine a bot.
#[derive(Debug, thiserror::Error)]
pub enum KitError {
    /// The service does not start.
    #[error("the embedded service does not start")]
    Start(#[from] StartError),
    /// The service listens nowhere that can be reached.
    #[error("the embedded service cannot be reached")]
    Address(#[from] InvalidServerAddress),
    /// The service refuses the kit.
    #[error("the embedded service cannot be used")]
    Unusable(#[from] ClientError),
}

impl EmbeddedService {
    /// Starts it on any free port of this machine.
    pub(super) async fn start() -> Result<Self, KitError> {
        let service = Service::start(Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            storage: Storage::Memory,
            ..Config::default()
        })
        .await?;
        let address = format!("http://{}", service.address()).parse()?;
        Ok(Self { address, service })
    }

    /// The address it listens on.
    pub(super) const fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// A client with `token` that has reached the service, and the player that the token identifies.
    pub(super) async fn client(&self, token: &Token) -> Result<(Client, PlayerId), KitError> {
        let client = Client::connect_lazily(&self.address, token)?;
        let identity = retry(&client, PATIENCE, || client.identity()).await?;
        Ok((client, identity.player))
    }

    /// Stops it.
    pub(super) async fn close(self) {
        self.service.stop().await;
    }
}
