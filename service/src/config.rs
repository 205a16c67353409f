use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How the service is to run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen. Port 0 lets the system choose one.
    pub listen: SocketAddr,
    /// Where the event log is.
    pub storage: Storage,
    /// What is allowed at most.
    pub limits: Limits,
    /// How long a shutdown may take. Connections that are open after nine tenths of it are cut.
    pub shutdown_timeout: Duration,
    /// Where the side port listens; without it there is none.
    pub side_listen: Option<SocketAddr>,
    /// Whose tokens are taken.
    pub auth: AuthMode,
    /// The certificate that the service shows; none for connections that anybody on the way can read.
    pub tls: Option<TlsFiles>,
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
pub struct TlsFiles {
    /// The service's certificate with its chain.
    pub cert: PathBuf,
    /// The key of that certificate.
    pub key: PathBuf,
    /// The authorities of the clients' certificates, which are demanded then; none to demand no certificate.
    pub client_ca: Option<PathBuf>,
}

/// Why a service would be open to more people than its operator may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsafe {
    /// Others than this machine could read every token on its way.
    #[error(
        "{0} can be reached by other machines, and without TLS anybody on the way reads the tokens: set --tls-cert and \
         --tls-key, or listen on the loopback, or say --insecure-no-tls if something else protects the way"
    )]
    NoTls(SocketAddr),
    /// Anybody who reaches it could play.
    #[error(
        "{0} can be reached by other machines, and anybody who reaches it may play: set --auth tokens and issue tokens by \
         `dragontooth-service token create`, or listen on the loopback, or say --insecure-open-players if that is meant"
    )]
    OpenPlayers(SocketAddr),
}

impl Config {
    /// Whether nobody gets in of whom the operator has not said so.
    ///
    /// # Errors
    ///
    /// The address is another than the loopback, and there is no TLS or anybody may play, and nothing says
    /// that this is meant.
    pub fn check_safety(&self) -> Result<(), Unsafe> {
        self.dangers().next().map_or(Ok(()), Err)
    }

    /// By what somebody gets in of whom the operator has not said so.
    pub(crate) fn dangers(&self) -> impl Iterator<Item = Unsafe> {
        let is_open = !self.listen.ip().to_canonical().is_loopback();
        let no_tls = is_open && self.tls.is_none() && !self.insecure_no_tls;
        let open_players = is_open && self.auth == AuthMode::Open && !self.insecure_open_players;
        let no_tls = no_tls.then_some(Unsafe::NoTls(self.listen));
        let open_players = open_players.then_some(Unsafe::OpenPlayers(self.listen));
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

/// Whose tokens are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuthMode {
    /// Whoever comes: any secret that a player chooses makes it a player that may play, watch and
    /// create matches, and matches are read without one. Issued tokens count too.
    #[default]
    Open,
    /// Only tokens that were issued, each for what its scopes allow.
    Tokens,
}

/// What is allowed at most. A request beyond a limit is refused and says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Matches that are not over.
    pub live_matches: usize,
    /// Matches that are not over, of one player who has created them.
    pub matches_of_player: usize,
    /// Requests that wait for one match. Whoever calls beyond it is refused; a `Play` stream is read
    /// no further.
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
    /// Bytes of a request.
    pub request_bytes: usize,
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
    /// States of matches that are kept in memory, so that ended ones need not be played again for
    /// whoever asks, nor long ones for whoever resumes; 0 for none.
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
    /// Connections from one address.
    pub connections_of_address: usize,
    /// How long a client may take to begin on its connection, with TLS or without.
    pub greeting_timeout: Duration,
    /// How long a connection lasts, a tenth less or more: then its streams end with a reason, and
    /// its client opens another. Zero for no end.
    pub connection_age: Duration,
    /// How long the calls on a connection of that age may take to end, before it is cut.
    pub connection_age_grace: Duration,
    /// How often an idle connection is asked whether it lives.
    pub keepalive_interval: Duration,
    /// How long it may take to say so.
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
            streams_of_connection: 2048,
            request_bytes: 1 << 20,
            response_bytes: 32 << 20,
            header_list_bytes: 16 << 10,
            waiting_messages: 4096,
            create_requests: 200_000,
            kept_states: 4096,
            actions_per_second: 0,
            action_burst: 4000,
            calls_per_second: 0,
            call_burst: 1000,
            connections: 10_000,
            connections_of_address: 4096,
            greeting_timeout: Duration::from_secs(10),
            connection_age: Duration::ZERO,
            connection_age_grace: Duration::from_secs(10),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}

impl Limits {
    /// The usual ones of a service that listens on `address`. On the loopback nobody is too fast.
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
