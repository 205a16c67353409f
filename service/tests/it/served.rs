use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use dragontooth_service::{Config, Limits, OfflineTokens, Service, Storage};
use dragontooth_service_client::{Client, ServerAddress, Token};
use dragontooth_service_vocabulary::{IdentityName, NewToken, Scope};
use futures::future::join_all;

use crate::raw::Raw;

/// A service for one test, in this process, on a free port of the loopback.
#[derive(Debug)]
pub(crate) struct Served(Service);

impl Served {
    /// A service whose log is deleted with it.
    pub(crate) async fn in_memory() -> Self {
        Self::start(Storage::Memory, &Limits::default()).await
    }

    /// A service with its log in a folder.
    pub(crate) async fn in_folder(folder: &Path) -> Self {
        Self::start(Storage::Folder(folder.to_owned()), &Limits::default()).await
    }

    /// A service with its log in a folder and these limits.
    pub(crate) async fn in_folder_with(folder: &Path, limits: &Limits) -> Self {
        Self::start(Storage::Folder(folder.to_owned()), limits).await
    }

    /// A service with these limits.
    pub(crate) async fn with_limits(limits: &Limits) -> Self {
        Self::start(Storage::Memory, limits).await
    }

    /// A service on an exclusive address, so that another run can use it again.
    pub(crate) async fn alone_in_folder(folder: &Path) -> Self {
        Self::again_in_folder(folder, lone_address()).await
    }

    /// A service on the address that an earlier run had.
    pub(crate) async fn again_in_folder(folder: &Path, listen: SocketAddr) -> Self {
        let config = Config {
            listen,
            storage: Storage::Folder(folder.to_owned()),
            ..Config::default()
        };
        Self::with_config(config).await
    }

    pub(crate) async fn start(storage: Storage, limits: &Limits) -> Self {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage,
            limits: *limits,
            ..Config::default()
        };
        Self::with_config(config).await
    }

    /// A service of any configuration.
    pub(crate) async fn with_config(config: Config) -> Self {
        Self(Service::start(config).await.unwrap())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// A typed client for the player called `name`.
    pub(crate) async fn client(&self, name: &str) -> Client {
        client(self.address(), name).await
    }

    /// The generated clients for the player called `name`.
    pub(crate) async fn raw(&self, name: &str) -> Raw {
        Raw::connect(self.address(), name).await
    }

    /// The generated clients for the players of these names.
    pub(crate) async fn raws<const N: usize>(&self, names: [&str; N]) -> [Raw; N] {
        let raws = join_all(names.map(|name| self.raw(name))).await;
        raws.try_into().expect("there are as many")
    }

    pub(crate) async fn stop(self) {
        self.0.stop().await;
    }
}

/// A free port of a loopback address that only the caller uses: ports that other tests and programs open on
/// 127.0.0.1 cannot take it while its service restarts.
pub(crate) fn lone_address() -> SocketAddr {
    static CALLS: AtomicU8 = AtomicU8::new(1);
    let [low, high, ..] = std::process::id().to_le_bytes();
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    (Ipv4Addr::new(127, 64 | (high & 63), low, call), 0).into()
}

/// A typed client of any service for the player called `name`.
pub(crate) async fn client(address: SocketAddr, name: &str) -> Client {
    let address: ServerAddress = address.to_string().parse().unwrap();
    let token = Token::new(token(name)).unwrap();
    Client::connect(&address, &token).await.unwrap()
}

/// The same for any of several addresses, which connects with its first call.
pub(crate) fn lazy_client(addresses: &[SocketAddr], name: &str) -> Client {
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let address: ServerAddress = addresses.join(",").parse().unwrap();
    let token = Token::new(token(name)).unwrap();
    Client::connect_lazily(&address, &token).unwrap()
}

/// Issues a token with this scope through the log of a service that does not run yet.
pub(crate) async fn issue_offline(offline: OfflineTokens, name: &str, scope: Scope) -> String {
    let new = NewToken {
        name: IdentityName::new(name).unwrap(),
        scopes: [scope].into_iter().collect(),
        ttl: None,
        request_id: None,
    };
    let (_, secret) = offline.issue(new).await.unwrap();
    offline.close().await;
    secret
}

/// The token of the player called `name`.
pub(crate) fn token(name: &str) -> String {
    format!("the-token-of-{name}")
}
