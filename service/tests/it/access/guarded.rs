use std::net::SocketAddr;

use dragontooth_proto::v1;
use dragontooth_service::{AuthMode, Config, Limits, OfflineTokens, Storage};
use dragontooth_service_vocabulary::Scope;
use tempfile::TempDir;
use v1::Scope as WireScope;

use crate::raw::Raw;
use crate::served::{Served, issue_offline};

/// A service that accepts only issued tokens, and the operator that issues them.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) served: Served,
    pub(crate) operator: Raw,
    secret: String,
    folder: TempDir,
}

impl Guarded {
    /// A service whose operator's token was issued before its start.
    pub(crate) async fn start() -> Self {
        Self::start_in(AuthMode::Tokens).await
    }

    /// An open service that also has issued tokens.
    pub(crate) async fn start_open() -> Self {
        Self::start_in(AuthMode::Open).await
    }

    async fn start_in(auth: AuthMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let offline = OfflineTokens::open(folder.path()).await.unwrap();
        let secret = issue_offline(offline, "the operator", Scope::Admin).await;
        Self::serve(folder, secret, auth, &Limits::default()).await
    }

    async fn serve(folder: TempDir, secret: String, auth: AuthMode, limits: &Limits) -> Self {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage: Storage::Folder(folder.path().to_owned()),
            auth,
            limits: *limits,
            ..Config::default()
        };
        let served = Served::with_config(config).await;
        let operator = Raw::with_secret(served.address(), &secret).await;
        Self {
            served,
            operator,
            secret,
            folder,
        }
    }

    /// The same service after a restart.
    pub(crate) async fn restart(self) -> Self {
        self.restart_with(&Limits::default()).await
    }

    /// The same with these limits.
    pub(crate) async fn restart_with(self, limits: &Limits) -> Self {
        self.served.stop().await;
        Self::serve(self.folder, self.secret, AuthMode::Tokens, limits).await
    }

    /// The operator's token.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.served.address()
    }

    /// Issues a token. Returns it, its secret, and clients that use it.
    pub(crate) async fn issue(&self, request: v1::CreateTokenRequest) -> (v1::Token, Raw) {
        let issued = self.operator.create_token(request).await.unwrap();
        let raw = Raw::with_secret(self.address(), &issued.secret).await;
        (issued.token.unwrap(), raw)
    }

    /// Clients with a new token for `name` that has all scopes but `admin`.
    pub(crate) async fn player(&self, name: &str) -> Raw {
        let scopes = [WireScope::Play, WireScope::Watch, WireScope::Create];
        self.issue(token_request(name, &scopes)).await.1
    }
}

/// A request for a token that never expires.
pub(crate) fn token_request(name: &str, scopes: &[WireScope]) -> v1::CreateTokenRequest {
    v1::CreateTokenRequest {
        name: name.to_owned(),
        scopes: scopes.iter().map(|scope| (*scope).into()).collect(),
        ..v1::CreateTokenRequest::default()
    }
}
