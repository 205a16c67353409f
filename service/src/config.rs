use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use dragontooth_service_postgres::PostgresOptions;
use dragontooth_service_store::Durability;
use dragontooth_service_vocabulary::{HostNames, PlayerId};

/// The configuration of a service.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address and port for gRPC. Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The place of the event log.
    pub storage: Storage,
    /// The durability of the events there.
    pub durability: Durability,
    /// The limits on callers.
    pub limits: Limits,
    /// The time limit of a shutdown. Connections still open after nine tenths of it are cut.
    pub shutdown_timeout: Duration,
    /// The address of the side port; `None` means no side port.
    pub side_listen: Option<SocketAddr>,
    /// The address of the web page; `None` means no page.
    pub web_listen: Option<SocketAddr>,
    /// Allow reading matches on the web page without a token where only issued tokens are accepted.
    pub web_public_watch: bool,
    /// The host names by which browsers reach the web page without TLS, besides IP addresses and `localhost`.
    pub web_hosts: HostNames,
    /// The tokens that are accepted.
    pub auth: AuthMode,
    /// The players whose tokens of their own choice are accepted; `None` means any. See [`own_player`].
    ///
    /// [`own_player`]: crate::own_player
    pub own_players: Option<Vec<PlayerId>>,
    /// The certificate of the service; with `None` anyone on the network path can read the connections.
    pub tls: Option<ServerTlsFiles>,
    /// Allow listening without TLS on any address.
    pub insecure_no_tls: bool,
    /// Allow open access on any address: everyone who can connect may play.
    pub insecure_open_players: bool,
}

impl Default for Config {
    /// On the loopback at port 4640, in memory.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 4640)),
            storage: Storage::Memory,
            durability: Durability::default(),
            limits: Limits::default(),
            shutdown_timeout: Duration::from_secs(10),
            side_listen: None,
            web_listen: None,
            web_public_watch: false,
            web_hosts: HostNames::default(),
            auth: AuthMode::Open,
            own_players: None,
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
    /// The authorities that sign client certificates; `None` if clients need no certificate.
    pub client_ca: Option<PathBuf>,
}

/// The service would be open to more people than its operator may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsafeConfig {
    /// Tokens could be read on their way from other machines.
    #[error(
        "{0} can be reached by other machines, and without TLS anyone on the network path can read the tokens: set --tls-cert and \
         --tls-key, or listen on the loopback, or set --insecure-no-tls if something else protects the connections"
    )]
    NoTls(SocketAddr),
    /// Everyone who can connect could play.
    #[error(
        "{0} can be reached by other machines, and anyone who reaches it may play: set --auth tokens and issue tokens by \
         `dragontooth-service token create`, or listen on the loopback, or set --insecure-open-players if that is intended"
    )]
    OpenPlayers(SocketAddr),
}

impl Config {
    /// Checks that the operator has explicitly allowed everyone who can get in.
    ///
    /// # Errors
    ///
    /// An address is not the loopback, there is no TLS or anyone may play, and no setting says that this is
    /// intended.
    pub fn check_safety(&self) -> Result<(), UnsafeConfig> {
        self.dangers().next().map_or(Ok(()), Err)
    }

    /// The ways in that the operator has not explicitly allowed.
    pub(crate) fn dangers(&self) -> impl Iterator<Item = UnsafeConfig> {
        let no_tls = self.tls.is_none() && !self.insecure_no_tls;
        let open_players = self.auth == AuthMode::Open && !self.insecure_open_players;
        self.open_addresses().flat_map(move |address| {
            let no_tls = no_tls.then_some(UnsafeConfig::NoTls(address));
            let open_players = open_players.then_some(UnsafeConfig::OpenPlayers(address));
            no_tls.into_iter().chain(open_players)
        })
    }

    /// The defaults of the limits at the addresses of the service: if all are the loopback, rates are not limited.
    pub(crate) fn usual_limits(&self) -> Limits {
        let usual = Limits::default();
        if self.open_addresses().next().is_none() {
            return usual;
        }
        Limits {
            actions_per_second: 2000,
            calls_per_second: 500,
            ..usual
        }
    }

    /// The addresses for gRPC and the web page that are not the loopback.
    fn open_addresses(&self) -> impl Iterator<Item = SocketAddr> {
        let listen = [Some(self.listen), self.web_listen].into_iter().flatten();
        listen.filter(|address| !address.ip().to_canonical().is_loopback())
    }
}

/// The place of the event log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory: lost when the service stops.
    Memory,
    /// In a folder, created if it does not exist.
    Folder(PathBuf),
    /// In a PostgreSQL database that no other service uses.
    Postgres(PostgresOptions),
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
    /// Unfinished matches.
    pub live_matches: usize,
    /// The longest time within which both seats of a match must be taken, and the time that one has which names
    /// none; then it expires.
    pub join_timeout: Duration,
    /// Unfinished matches created by one player.
    pub matches_of_player: usize,
    /// Invitations from one player to another that wait for an answer.
    pub invitations_of_pair: usize,
    /// Invitations from one player that wait for an answer.
    pub invitations_of_inviter: usize,
    /// Invitations to one player that wait for an answer.
    pub invitations_of_invitee: usize,
    /// Players that one player blocks.
    pub blocks_of_player: usize,
    /// Players that others block, in total.
    pub blocks: usize,
    /// Players that are present by an offer that they made by a call.
    pub offers: usize,
    /// Actions and other commands queued for one match. A call beyond it is refused; a `Play` stream is not read
    /// until there is room.
    pub match_mailbox: usize,
    /// Streams that watch one match.
    pub watchers_of_match: usize,
    /// Open streams, of `Play` and of `WatchMatch`, of one caller: a player, or an address for
    /// calls without a token.
    pub streams_of_caller: usize,
    /// Open streams, of `Play` and of `WatchMatch`.
    pub streams: usize,
    /// Concurrent calls and streams on one connection. The client waits before it starts another.
    pub streams_of_connection: u32,
    /// Calls that a client cancels before the service has begun them, at once on one connection; and calls
    /// that break HTTP/2, in all on one connection. Beyond it the connection ends.
    pub resets_of_connection: usize,
    /// Concurrent calls and streams from one address without a token, of methods that need none.
    pub calls_of_address: usize,
    /// Bytes of a request.
    pub request_bytes: usize,
    /// Bytes of a request without a token; no more than `request_bytes`.
    pub request_bytes_without_token: usize,
    /// The time limit for an admitted request to arrive; on a `Play` stream, from the first byte
    /// of a message to its last.
    pub request_timeout: Duration,
    /// Bytes of incomplete requests on one connection; no less than `request_bytes`, like the next two.
    pub body_bytes_of_connection: usize,
    /// Bytes of incomplete requests of one caller.
    pub body_bytes_of_caller: usize,
    /// Bytes of all incomplete requests.
    pub body_bytes: usize,
    /// Bytes that a client may send on a stream before the service has read them.
    pub stream_window_bytes: u32,
    /// Bytes that a client may send on a connection before the service has read them.
    pub connection_window_bytes: u32,
    /// Bytes of a response.
    pub response_bytes: usize,
    /// Bytes of the responses to one caller that it has not read; there is room for one of the largest at least.
    pub response_bytes_of_caller: usize,
    /// Bytes of the headers of a request, as HTTP/2 counts them.
    pub header_list_bytes: u32,
    /// Messages queued for the reader of a `Play` stream; beyond it the stream is closed.
    pub waiting_messages: usize,
    /// Remembered requests to create a match; repeating a forgotten one creates another match.
    pub create_requests: usize,
    /// States of ended and long matches cached in memory, so that they are not replayed for every read
    /// or resumed watch; 0 caches none.
    pub kept_states: usize,
    /// Threads that read from the log what is not in memory, and replay it: at least 1.
    pub replay_threads: usize,
    /// Reads of one caller that wait for such a thread.
    pub replays_of_caller: usize,
    /// Reads that wait for such a thread.
    pub replays: usize,
    /// Requests per second of one player that change a match; 0 means no limit.
    pub actions_per_second: u32,
    /// Such requests at once after a pause; at least 1.
    pub action_burst: u32,
    /// Other calls per second of one caller: a player, or an address for calls without a token; 0
    /// means no limit.
    pub calls_per_second: u32,
    /// Such calls at once after a pause; at least 1.
    pub call_burst: u32,
    /// Open connections.
    pub connections: usize,
    /// Connections from one address on which no valid token has been seen yet. Beyond it the oldest of them
    /// ends.
    pub connections_of_address: usize,
    /// Connections of one player: those on which its token was the first valid one.
    pub connections_of_player: usize,
    /// The time limit for the handshake of a new connection, with or without TLS.
    pub greeting_timeout: Duration,
    /// The lifetime of a connection, plus or minus a tenth: then its streams end with a reason, and
    /// its client opens another. Zero means no limit.
    pub connection_age: Duration,
    /// Time for the calls on a connection of that age to end before it is cut.
    pub connection_age_grace: Duration,
    /// Interval at which an idle connection is pinged.
    pub keepalive_interval: Duration,
    /// The time limit for the answer to a ping.
    pub keepalive_timeout: Duration,
}

/// The shortest time within which both seats of a match must be taken.
pub(crate) const MIN_JOIN_TIMEOUT: Duration = Duration::from_secs(1);

impl Default for Limits {
    /// Those of a service on the loopback, where callers are trusted not to go too fast.
    fn default() -> Self {
        Self {
            live_matches: 100_000,
            join_timeout: Duration::from_hours(1),
            matches_of_player: 5_000,
            invitations_of_pair: 1024,
            invitations_of_inviter: 4096,
            invitations_of_invitee: 16_384,
            blocks_of_player: 1000,
            blocks: 100_000,
            offers: 10_000,
            match_mailbox: 64,
            watchers_of_match: 4096,
            streams_of_caller: 4096,
            streams: 50_000,
            streams_of_connection: 128,
            resets_of_connection: 1024,
            calls_of_address: 16,
            request_bytes: 128 << 10,
            request_bytes_without_token: 16 << 10,
            request_timeout: Duration::from_secs(10),
            body_bytes_of_connection: 1 << 20,
            body_bytes_of_caller: 2 << 20,
            body_bytes: 64 << 20,
            stream_window_bytes: 64 << 10,
            connection_window_bytes: 256 << 10,
            response_bytes: 32 << 20,
            response_bytes_of_caller: 64 << 20,
            header_list_bytes: 8 << 10,
            waiting_messages: 4096,
            create_requests: 200_000,
            kept_states: 4096,
            replay_threads: 2,
            replays_of_caller: 256,
            replays: 4096,
            actions_per_second: 0,
            action_burst: 4000,
            calls_per_second: 0,
            call_burst: 1000,
            connections: 10_000,
            connections_of_address: 24,
            connections_of_player: 1024,
            greeting_timeout: Duration::from_secs(10),
            connection_age: Duration::ZERO,
            connection_age_grace: Duration::from_secs(10),
            keepalive_interval: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}
