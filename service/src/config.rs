use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// The configuration of a service.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen. Port 0 lets the system choose one.
    pub listen: SocketAddr,
    /// Where the event log is.
    pub storage: Storage,
    /// The limits on callers.
    pub limits: Limits,
    /// The longest time of a shutdown. Connections that are still open after nine tenths of it are cut.
    pub shutdown_timeout: Duration,
    /// Where the side port listens; without it there is none.
    pub side_listen: Option<SocketAddr>,
    /// The tokens that are accepted.
    pub auth: AuthMode,
    /// The certificate of the service; with `None` anyone on the network path can read the connections.
    pub tls: Option<ServerTlsFiles>,
    /// Listen on any address without TLS.
    pub insecure_no_tls: bool,
    /// Let anybody play who reaches any address.
    pub insecure_open_players: bool,
}

impl Default for Config {
    /// On the loopback at port 4640, in memory.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 4640)),
            storage: Storage::Memory,
            limits: Limits::default(),
            shutdown_timeout: Duration::from_secs(10),
            side_listen: None,
            auth: AuthMode::Open,
            tls: None,
            insecure_no_tls: false,
            insecure_open_players: false,
        }
    }
}

/// The files of TLS, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTlsFiles {
    /// The service's certificate with its chain.
    pub cert: PathBuf,
    /// The key of that certificate.
    pub key: PathBuf,
    /// The authorities of the clients' certificates, which are demanded then; none to demand no certificate.
    pub client_ca: Option<PathBuf>,
}

/// The service would be open to more people than its operator may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsafeConfig {
    /// Others than this machine could read every token on its way.
    #[error(
        "{0} can be reached by other machines, and without TLS anyone on the network path can read the tokens: set --tls-cert and \
         --tls-key, or listen on the loopback, or set --insecure-no-tls if something else protects the connections"
    )]
    NoTls(SocketAddr),
    /// Anybody who reaches it could play.
    #[error(
        "{0} can be reached by other machines, and anyone who reaches it may play: set --auth tokens and issue tokens by \
         `dragontooth-service token create`, or listen on the loopback, or set --insecure-open-players if that is intended"
    )]
    OpenPlayers(SocketAddr),
}

impl Config {
    /// Checks that only those can get in whom the operator has explicitly allowed.
    ///
    /// # Errors
    ///
    /// The address is not the loopback, there is no TLS or anyone may play, and no setting says that this is
    /// intended.
    pub fn check_safety(&self) -> Result<(), UnsafeConfig> {
        self.dangers().next().map_or(Ok(()), Err)
    }

    /// The ways in that the operator has not explicitly allowed.
    pub(crate) fn dangers(&self) -> impl Iterator<Item = UnsafeConfig> {
        let is_open = !self.listen.ip().to_canonical().is_loopback();
        let no_tls = is_open && self.tls.is_none() && !self.insecure_no_tls;
        let open_players = is_open && self.auth == AuthMode::Open && !self.insecure_open_players;
        let no_tls = no_tls.then_some(UnsafeConfig::NoTls(self.listen));
        let open_players = open_players.then_some(UnsafeConfig::OpenPlayers(self.listen));
        no_tls.into_iter().chain(open_players)
    }
}

/// Where the event log is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory: gone when the service ends.
    Memory,
    /// In a folder, which is made if it does not exist.
    Folder(PathBuf),
}

/// The tokens that are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthMode {
    /// Any token: a secret that a client chooses makes it a player that may play, watch and create
    /// matches, and matches can be read without one. Issued tokens are accepted too.
    #[default]
    Open,
    /// Only issued tokens, each within its scopes.
    Tokens,
}

/// The limits on callers. A request beyond a limit is refused with the name of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Matches that are not over.
    pub live_matches: usize,
    /// Matches that are not over, of one player who has created them.
    pub matches_of_player: usize,
    /// Requests that wait for one match. A call beyond it is refused; a `Play` stream is not read
    /// until there is room.
    pub match_mailbox: usize,
    /// Streams that watch one match.
    pub watchers_of_match: usize,
    /// Streams, of `Play` and of `WatchMatch`, of one caller: a player, or an address for calls
    /// without a token.
    pub streams_of_caller: usize,
    /// Streams, of `Play` and of `WatchMatch`, in all.
    pub streams: usize,
    /// Calls and streams that are under way at once on one connection. A client waits before it
    /// begins another.
    pub streams_of_connection: u32,
    /// Calls that a client cancels before the service has begun them, at once on one connection; and calls
    /// that break HTTP/2, in all on one connection. Beyond it the connection ends.
    pub resets_of_connection: usize,
    /// Calls and streams that are under way at once of one address without a token, of methods that need
    /// none.
    pub calls_of_address: usize,
    /// Bytes of a request.
    pub request_bytes: usize,
    /// The longest time until a request that is admitted has arrived; on a `Play` stream, from the first byte
    /// of a message to its last.
    pub request_timeout: Duration,
    /// Bytes of requests on one connection that wait for the rest of their request; no less than
    /// `request_bytes`, as in the next two.
    pub body_bytes_of_connection: usize,
    /// Bytes of requests of one caller that wait for the rest of their request.
    pub body_bytes_of_caller: usize,
    /// Bytes of requests that wait for the rest of their request, in all.
    pub body_bytes: usize,
    /// Bytes that a client may send on a stream before the service has read them.
    pub stream_window_bytes: u32,
    /// Bytes that a client may send on a connection before the service has read them.
    pub connection_window_bytes: u32,
    /// Bytes of an answer.
    pub response_bytes: usize,
    /// Bytes of the headers of a request, as HTTP/2 counts them.
    pub header_list_bytes: u32,
    /// Messages that wait for the reader of a `Play` stream. A reader with more is too slow and its
    /// stream is closed.
    pub waiting_messages: usize,
    /// Matches that are remembered by the request that created them, so that it creates no other when
    /// it is repeated.
    pub create_requests: usize,
    /// States of matches that are kept in memory, so that ended ones need not be replayed for every read,
    /// nor long ones for every watcher that resumes; 0 keeps none.
    pub kept_states: usize,
    /// Requests a second of one player that change a match; 0 for no limit.
    pub actions_per_second: u32,
    /// Such requests at once, after a rest; at least 1.
    pub action_burst: u32,
    /// Other calls a second of one caller: a player, or an address for calls without a token; 0 for
    /// no limit.
    pub calls_per_second: u32,
    /// Such calls at once, after a rest; at least 1.
    pub call_burst: u32,
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address on which no valid token has been seen yet. Beyond it the oldest of them
    /// ends.
    pub connections_of_address: usize,
    /// Connections of one player: those on which its token was the first valid one.
    pub connections_of_player: usize,
    /// The longest time until a client begins to speak on its connection, with TLS or without.
    pub greeting_timeout: Duration,
    /// The lifetime of a connection, plus or minus a tenth: then its streams end with a reason, and
    /// its client opens another. Zero means no limit.
    pub connection_age: Duration,
    /// Time for the calls on a connection of that age to end before it is cut.
    pub connection_age_grace: Duration,
    /// Interval at which an idle connection is pinged.
    pub keepalive_interval: Duration,
    /// The longest time until a ping is answered.
    pub keepalive_timeout: Duration,
}

impl Default for Limits {
    /// Those of a service on the loopback, where callers are trusted not to go too fast.
    fn default() -> Self {
        Self {
            live_matches: 100_000,
            matches_of_player: 25_000,
            match_mailbox: 64,
            watchers_of_match: 4096,
            streams_of_caller: 4096,
            streams: 50_000,
            streams_of_connection: 128,
            resets_of_connection: 1024,
            calls_of_address: 32,
            request_bytes: 128 << 10,
            request_timeout: Duration::from_secs(10),
            body_bytes_of_connection: 1 << 20,
            body_bytes_of_caller: 2 << 20,
            body_bytes: 64 << 20,
            stream_window_bytes: 64 << 10,
            connection_window_bytes: 256 << 10,
            response_bytes: 32 << 20,
            header_list_bytes: 8 << 10,
            waiting_messages: 4096,
            create_requests: 200_000,
            kept_states: 4096,
            actions_per_second: 0,
            action_burst: 4000,
            calls_per_second: 0,
            call_burst: 1000,
            connections: 10_000,
            connections_of_address: 64,
            connections_of_player: 1024,
            greeting_timeout: Duration::from_secs(10),
            connection_age: Duration::ZERO,
            connection_age_grace: Duration::from_secs(10),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// The defaults of a service that listens on `address`. On the loopback rates are not limited.
    #[must_use]
    pub fn usual_at(address: IpAddr) -> Self {
        let usual = Self::default();
        if address.is_loopback() {
            return usual;
        }
        Self {
            actions_per_second: 2000,
            calls_per_second: 500,
            ..usual
        }
    }
}
