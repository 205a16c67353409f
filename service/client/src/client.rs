use std::sync::Arc;
use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{PlayerId, RequestId};
use tonic::body::Body;
use tonic::codegen::{InterceptedService, Service, StdError, http};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::transport::{Endpoint, Uri};
use tonic::{Request, Status};
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;
use v1::admin_service_client::AdminServiceClient;
use v1::game_service_client::GameServiceClient;
use v1::match_service_client::MatchServiceClient;
use v1::player_service_client::PlayerServiceClient;

use crate::address::origin;
use crate::from_proto::{identity, player_id, quotas};
use crate::replicas::{CONNECT_TIMEOUT, Repeatable, Replicas};
use crate::transport::{CALL_TIMEOUT, Transport};
use crate::{ClientError, Identity, LimitQuota, ServerAddress, Tls, Token};

/// Interval of keep-alive pings, also while idle.
pub const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// Timeout of a keep-alive ping.
pub const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest message accepted from a service, in bytes: larger than the record of a match of a
/// hundred thousand events.
pub const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

/// A connection to a service, for one player. Clones share it.
///
/// When the connection breaks, pending calls fail and the next call reconnects. If the address lists several replicas,
/// calls that may be sent twice go to the next one at once instead, in the order of the list: those that only read,
/// and those with a request id. All later calls stay there until that one fails. One that does not answer
/// within [`CONNECT_TIMEOUT`] is left, but for the last, which has [`CALL_TIMEOUT`].
///
/// ```no_run
/// use dragontooth_service_client::{Client, Resume, Token, WatchUpdate};
/// use dragontooth_service_vocabulary::{NewMatch, Sequence};
///
/// # async fn watch_a_match() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::connect(&"127.0.0.1:4640".parse()?, &Token::random()).await?;
/// let created = client.create_match(NewMatch::new("kamisado", 3)).await?;
/// let mut watch = client.watch(created.id, Sequence::START, Resume::Never);
/// while let Some(update) = watch.next().await {
///     if let WatchUpdate::Events(events) = update? {
///         for event in events {
///             println!("{}: {:?}", event.recorded.sequence, event.event());
///         }
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    transport: Transport,
    pub(crate) games: GameServiceClient<Authorized>,
    pub(crate) matches: MatchServiceClient<Authorized>,
    pub(crate) players: PlayerServiceClient<Authorized>,
    pub(crate) admin: AdminServiceClient<Authorized>,
}

/// A transport that adds the player's token to every call.
pub(crate) type Authorized = InterceptedService<Transport, Bearer>;

/// Adds the token to a call.
#[derive(Clone, Debug)]
pub(crate) struct Bearer(MetadataValue<Ascii>);

impl Client {
    /// Connects to the service at `address`. An https address is verified against the certificates
    /// of the system, or of the file in `SSL_CERT_FILE`.
    ///
    /// # Errors
    ///
    /// The service cannot be reached, there are no certificates to verify it against, or the token would be
    /// sent to another machine in the clear.
    pub async fn connect(address: &ServerAddress, token: &Token) -> Result<Self, ClientError> {
        Self::connect_with(address, token, &Tls::default()).await
    }

    /// Connects to the service at `address` with the settings in `tls`.
    ///
    /// # Errors
    ///
    /// The service cannot be reached or fails the verification; `tls` is invalid or used with an
    /// address without TLS; or the token would be sent to another machine in the clear.
    pub async fn connect_with(
        address: &ServerAddress,
        token: &Token,
        tls: &Tls,
    ) -> Result<Self, ClientError> {
        let transport = match endpoints(address, tls)? {
            Endpoints::One(endpoint) => {
                let connecting = endpoint.connect().await;
                Transport::One(connecting.map_err(ClientError::unreachable)?)
            }
            Endpoints::Any(replicas) => {
                replicas.connect().await?;
                Transport::Any(Arc::new(replicas))
            }
        };
        Ok(Self::over(transport, token))
    }

    /// Creates a client that connects to the service at `address` on its first call.
    ///
    /// # Errors
    ///
    /// There are no certificates to verify the service against, or the token would be sent to another machine in
    /// the clear.
    ///
    /// # Panics
    ///
    /// If called outside a Tokio runtime.
    pub fn connect_lazily(address: &ServerAddress, token: &Token) -> Result<Self, ClientError> {
        Self::connect_lazily_with(address, token, &Tls::default())
    }

    /// Creates a client that connects to the service at `address` on its first call; `tls` as in
    /// [`connect_with`](Self::connect_with).
    ///
    /// # Errors
    ///
    /// `tls` is invalid, or used with an address without TLS; or the token would be sent to another machine in the
    /// clear.
    ///
    /// # Panics
    ///
    /// If called outside a Tokio runtime.
    pub fn connect_lazily_with(
        address: &ServerAddress,
        token: &Token,
        tls: &Tls,
    ) -> Result<Self, ClientError> {
        let transport = match endpoints(address, tls)? {
            Endpoints::One(endpoint) => Transport::One(endpoint.connect_lazy()),
            Endpoints::Any(replicas) => Transport::Any(Arc::new(replicas)),
        };
        Ok(Self::over(transport, token))
    }

    /// Creates a client of a service in the same process, which takes the requests of gRPC without the network.
    pub fn in_process<S>(service: S, token: &Token) -> Self
    where
        S: Service<http::Request<Body>, Response = http::Response<Body>>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Error: Into<StdError>,
        S::Future: Send,
    {
        let service = BoxCloneSyncService::new(service.map_err(Into::into));
        Self::over(Transport::InProcess(service), token)
    }

    /// Returns a client for another player on the same connection.
    #[must_use]
    pub fn with_token(&self, token: &Token) -> Self {
        Self::over(self.transport.clone(), token)
    }

    /// Returns true if the client knows several replicas of the service: when one fails, another may answer at once.
    #[must_use]
    pub const fn has_alternatives(&self) -> bool {
        self.transport.has_alternatives()
    }

    /// Time in which each address is asked.
    pub(crate) fn round(&self) -> Duration {
        self.transport.round()
    }

    /// Returns the player of the token.
    ///
    /// # Errors
    ///
    /// The service cannot be reached or refuses the token.
    pub async fn who_am_i(&self) -> Result<PlayerId, ClientError> {
        let request = call(v1::WhoAmIRequest {});
        let answer = self.players.clone().who_am_i(request).await?;
        Ok(player_id(&answer.into_inner().player_id)?)
    }

    /// Returns the identity of the token and its scopes.
    ///
    /// # Errors
    ///
    /// The service cannot be reached or refuses the token.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        let request = call(v1::WhoAmIRequest {});
        let answer = self.players.clone().who_am_i(request).await?;
        Ok(identity(answer.into_inner())?)
    }

    /// Returns the name of a player's identity.
    ///
    /// # Errors
    ///
    /// No identity is that player, the token lacks the scope `watch`, or the call failed.
    pub async fn name_of(&self, player: PlayerId) -> Result<String, ClientError> {
        let request = call(v1::GetPlayerRequest {
            player_id: player.to_string(),
        });
        let answer = self.players.clone().get_player(request).await?;
        Ok(answer.into_inner().name)
    }

    /// Returns the player's quota under each limit of the service.
    ///
    /// # Errors
    ///
    /// The service cannot be reached or refuses the token.
    pub async fn quotas(&self) -> Result<Vec<LimitQuota>, ClientError> {
        let request = call(v1::GetQuotasRequest {});
        let answer = self.players.clone().get_quotas(request).await?;
        Ok(quotas(answer.into_inner())?)
    }

    fn over(transport: Transport, token: &Token) -> Self {
        let bearer = Bearer::new(token);
        let authorized = InterceptedService::new(transport.clone(), bearer);
        let games = GameServiceClient::new(authorized.clone());
        let matches = MatchServiceClient::new(authorized.clone());
        Self {
            transport,
            games: games.max_decoding_message_size(MAX_RESPONSE_BYTES),
            matches: matches.max_decoding_message_size(MAX_RESPONSE_BYTES),
            players: PlayerServiceClient::new(authorized.clone()),
            admin: AdminServiceClient::new(authorized),
        }
    }
}

/// A unary call with a timeout of [`CALL_TIMEOUT`] that may be sent twice: it reads, or does nothing the second time.
pub(crate) fn call<T>(message: T) -> Request<T> {
    let mut request = call_once(message);
    request.extensions_mut().insert(Repeatable);
    request
}

/// Like [`call`], for a message that may be sent twice only if it has a request id.
pub(crate) fn call_with_id<T>(message: T, request_id: Option<&RequestId>) -> Request<T> {
    match request_id {
        Some(_) => call(message),
        None => call_once(message),
    }
}

/// Like [`call`], for a message that must not be sent twice.
pub(crate) fn call_once<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(CALL_TIMEOUT);
    request
}

impl Bearer {
    fn new(token: &Token) -> Self {
        let mut value: MetadataValue<Ascii> = format!("Bearer {}", token.reveal())
            .parse()
            .expect("a token is visible ASCII, which a header may contain");
        value.set_sensitive(true);
        Self(value)
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request
            .metadata_mut()
            .insert("authorization", self.0.clone());
        Ok(request)
    }
}

/// The endpoints of an address.
enum Endpoints {
    One(Box<Endpoint>),
    Any(Replicas),
}

fn endpoints(address: &ServerAddress, tls: &Tls) -> Result<Endpoints, ClientError> {
    if let [replica] = address.uris() {
        let endpoint = endpoint(address, replica, tls)?;
        return Ok(Endpoints::One(Box::new(endpoint)));
    }
    let replicas = address.uris().iter();
    let replicas = replicas.map(|uri| Ok((origin(uri), endpoint(address, uri, tls)?)));
    let replicas: Vec<_> = replicas.collect::<Result<_, ClientError>>()?;
    Ok(Endpoints::Any(Replicas::new(replicas)))
}

fn endpoint(address: &ServerAddress, uri: &Uri, tls: &Tls) -> Result<Endpoint, ClientError> {
    let endpoint = Endpoint::from(uri.clone())
        .user_agent(concat!("dragontooth-client/", env!("CARGO_PKG_VERSION")))
        .map_err(ClientError::setup)?
        .connect_timeout(CONNECT_TIMEOUT)
        // Of streams, until they are open.
        .timeout(CALL_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true);
    if address.is_tls() {
        let nameless = tls.without_identity();
        return endpoint.clone().tls_config(tls.config()).map_err(|error| {
            if endpoint.tls_config(nameless.config()).is_ok() {
                ClientError::identity(error)
            } else {
                ClientError::setup(error)
            }
        });
    }
    if *tls != Tls::default() {
        return Err(ClientError::NoTls(address.to_string()));
    }
    if !address.may_have_token() {
        return Err(ClientError::ClearText(address.to_string()));
    }
    Ok(endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_shows_nowhere() {
        let bearer = Bearer::new(&Token::new("correct-horse-battery").unwrap());
        assert!(!format!("{bearer:?}").contains("horse"), "{bearer:?}");
    }

    #[tokio::test]
    async fn no_token_goes_to_another_machine_in_the_clear() {
        // No packet gets there: the address is for documentation.
        let address: ServerAddress = "http://192.0.2.1:4640".parse().unwrap();
        let token = Token::random();
        for refused in [
            Client::connect_lazily(&address, &token).map(|_| ()),
            Client::connect(&address, &token).await.map(|_| ()),
        ] {
            let error = refused.unwrap_err();
            assert!(matches!(error, ClientError::ClearText(_)), "{error:?}");
            assert!(!error.is_transient());
        }
        let allowed = address.insecure(true);
        assert!(Client::connect_lazily(&allowed, &token).is_ok());
    }

    #[tokio::test]
    async fn a_service_that_is_not_there_is_unreachable() {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        drop(listener);

        let connecting = Client::connect(&address, &Token::random()).await;
        let error = connecting.unwrap_err();
        assert!(
            matches!(error, ClientError::Unreachable { .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains("refused"), "{error}");

        let client = Client::connect_lazily(&address, &Token::random()).unwrap();
        let error = client.who_am_i().await.unwrap_err();
        assert!(
            matches!(error, ClientError::Unreachable { .. }),
            "{error:?}"
        );
        assert!(error.is_transient());
    }
}
