use std::time::Duration;

use super::kind::Kind;
use super::kind::Number::{U32, Usize};
use super::setting::Setting;
use crate::config::MIN_JOIN_TIMEOUT;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

/// All settings: the only list of them. Those outside of tables come first, then those of each table together.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting::new(
        "listen",
        "listen",
        Kind::Address(|all| &mut all.config.listen),
        "Address and port for gRPC. Port 0 takes any free port.",
    ),
    Setting::new(
        "data",
        "data",
        Kind::Path(|all| &mut all.data),
        "Folder of the event log, created if it does not exist. Required unless the log is in memory or in a database.",
    ),
    Setting::new(
        "in_memory",
        "in-memory",
        Kind::Switch(|all| &mut all.in_memory),
        "Keep the event log in memory only: it is lost when the service stops.",
    ),
    Setting::new(
        "shutdown_timeout",
        "shutdown-timeout",
        Kind::time(Duration::from_millis(100)..=HOUR, |all| &mut all.config.shutdown_timeout),
        "Time limit of a shutdown. Connections still open after nine tenths of it are cut.",
    ),
    Setting::new(
        "end_on_log_failure",
        "end-on-log-failure",
        Kind::Switch(|all| &mut all.end_on_log_failure),
        "Exit when the event log fails, so that a supervisor restarts the service. Otherwise it keeps answering read-only calls.",
    ),
    Setting::new(
        "access.auth",
        "auth",
        Kind::Auth(|all| &mut all.config.auth),
        "Accepted tokens: `open` accepts any token that a client makes up, `tokens` only issued ones.",
    ),
    Setting::new(
        "access.tls_cert",
        "tls-cert",
        Kind::Path(|all| &mut all.tls_cert),
        "PEM file with the service's certificate and its chain. Turns TLS on; requires the key.",
    ),
    Setting::new(
        "access.tls_key",
        "tls-key",
        Kind::Path(|all| &mut all.tls_key),
        "PEM file with the private key of that certificate.",
    ),
    Setting::new(
        "access.tls_client_ca",
        "tls-client-ca",
        Kind::Path(|all| &mut all.tls_client_ca),
        "PEM file with the authorities that sign client certificates. Clients without such a certificate are refused.",
    ),
    Setting::new(
        "access.insecure_no_tls",
        "insecure-no-tls",
        Kind::Switch(|all| &mut all.config.insecure_no_tls),
        "Allow listening without TLS on an address other than the loopback.",
    ),
    Setting::new(
        "access.insecure_open_players",
        "insecure-open-players",
        Kind::Switch(|all| &mut all.config.insecure_open_players),
        "Allow open access on an address other than the loopback: everyone who can connect may play.",
    ),
    Setting::new(
        "limits.live_matches",
        "max-live-matches",
        Kind::count("matches", 1..=10_000_000, Usize(|limits| &mut limits.live_matches)),
        "Maximum number of unfinished matches on the service; further ones are refused.",
    ),
    Setting::new(
        "limits.request_bytes",
        "max-request-bytes",
        Kind::count("bytes", 1024..=64 << 20, Usize(|limits| &mut limits.request_bytes)),
        "Maximum size of a request; larger ones are refused.",
    ),
    Setting::new(
        "limits.request_bytes_without_token",
        "max-request-bytes-without-token",
        Kind::count("bytes", 1024..=64 << 20, Usize(|limits| &mut limits.request_bytes_without_token)),
        "Maximum size of a request without a token, never more than of any other; larger ones are refused.",
    ),
    Setting::new(
        "limits.request_timeout",
        "request-timeout",
        Kind::time(Duration::from_millis(100)..=HOUR, |all| &mut all.config.limits.request_timeout),
        "Time limit for an admitted request to arrive in full; on a Play stream, for each message. Beyond it the request is refused.",
    ),
    Setting::new(
        "limits.body_bytes_of_connection",
        "max-body-bytes-of-connection",
        Kind::count("bytes", 1024..=1 << 30, Usize(|limits| &mut limits.body_bytes_of_connection)),
        "Maximum size of the incomplete requests on one connection, never less than one request; beyond it a request is refused.",
    ),
    Setting::new(
        "limits.body_bytes_of_caller",
        "max-body-bytes-of-caller",
        Kind::count("bytes", 1024..=1 << 30, Usize(|limits| &mut limits.body_bytes_of_caller)),
        "Maximum size of the incomplete requests of one caller, never less than one request; beyond it a request is refused.",
    ),
    Setting::new(
        "limits.body_bytes",
        "max-body-bytes",
        Kind::count("bytes", 1024..=16 << 30, Usize(|limits| &mut limits.body_bytes)),
        "Maximum size of all incomplete requests on the service, never less than one request; beyond it a request is refused.",
    ),
    Setting::new(
        "limits.stream_window_bytes",
        "stream-window-bytes",
        Kind::count("bytes", 16384..=16 << 20, U32(|limits| &mut limits.stream_window_bytes)),
        "Number of bytes that a client may send on a stream before the service has read them; then the client waits.",
    ),
    Setting::new(
        "limits.connection_window_bytes",
        "connection-window-bytes",
        Kind::count("bytes", 65535..=64 << 20, U32(|limits| &mut limits.connection_window_bytes)),
        "Number of bytes that a client may send on a connection before the service has read them; then the client waits.",
    ),
    Setting::new(
        "limits.waiting_messages",
        "max-waiting-messages",
        Kind::count("messages", 16..=1 << 20, Usize(|limits| &mut limits.waiting_messages)),
        "Maximum number of messages queued for the reader of a Play stream; beyond it the stream is closed.",
    ),
    Setting::new(
        "limits.matches_of_player",
        "max-matches-of-player",
        Kind::count("matches", 1..=10_000_000, Usize(|limits| &mut limits.matches_of_player)),
        "Maximum number of unfinished matches created by one player; further ones are refused.",
    ),
    Setting::new(
        "limits.join_timeout",
        "join-timeout",
        Kind::time(
            MIN_JOIN_TIMEOUT..=Duration::from_hours(24 * 30),
            |all| &mut all.config.limits.join_timeout,
        ),
        "Time within which both seats of a match must be taken, unless its creator sets a shorter one; then it expires.",
    ),
    Setting::new(
        "limits.invitations_of_pair",
        "max-invitations-of-pair",
        Kind::count("invitations", 1..=1_000_000, Usize(|limits| &mut limits.invitations_of_pair)),
        "Maximum number of unanswered invitations from one player to another; further ones are refused.",
    ),
    Setting::new(
        "limits.invitations_of_inviter",
        "max-invitations-of-inviter",
        Kind::count("invitations", 1..=1_000_000, Usize(|limits| &mut limits.invitations_of_inviter)),
        "Maximum number of unanswered invitations from one player; further ones are refused.",
    ),
    Setting::new(
        "limits.invitations_of_invitee",
        "max-invitations-of-invitee",
        Kind::count("invitations", 1..=1_000_000, Usize(|limits| &mut limits.invitations_of_invitee)),
        "Maximum number of unanswered invitations to one player; further ones are refused.",
    ),
    Setting::new(
        "limits.blocks_of_player",
        "max-blocks-of-player",
        Kind::count("players", 1..=10_000, Usize(|limits| &mut limits.blocks_of_player)),
        "Maximum number of players that one player blocks; further blocks are refused.",
    ),
    Setting::new(
        "limits.blocks",
        "max-blocks",
        Kind::count("blocks", 1..=10_000_000, Usize(|limits| &mut limits.blocks)),
        "Maximum number of blocks by all players; further ones are refused.",
    ),
    Setting::new(
        "limits.offers",
        "max-offers",
        Kind::count("players", 1..=1_000_000, Usize(|limits| &mut limits.offers)),
        "Maximum number of players that are present without a stream, by SetOffer; the offers of further ones are refused.",
    ),
    Setting::new(
        "limits.match_mailbox",
        "max-match-mailbox",
        Kind::count("requests", 1..=65_536, Usize(|limits| &mut limits.match_mailbox)),
        "Maximum number of requests queued for one match; further calls are refused, and Play streams wait.",
    ),
    Setting::new(
        "limits.watchers_of_match",
        "max-watchers-of-match",
        Kind::count("streams", 1..=1_000_000, Usize(|limits| &mut limits.watchers_of_match)),
        "Maximum number of streams that watch one match; further ones are refused.",
    ),
    Setting::new(
        "limits.streams_of_caller",
        "max-streams-of-caller",
        Kind::count("streams", 1..=1_000_000, Usize(|limits| &mut limits.streams_of_caller)),
        "Maximum number of open streams of one caller: a player, or an address for calls without a token. Further ones are refused.",
    ),
    Setting::new(
        "limits.streams",
        "max-streams",
        Kind::count("streams", 1..=10_000_000, Usize(|limits| &mut limits.streams)),
        "Maximum number of open streams on the service; further ones are refused.",
    ),
    Setting::new(
        "limits.streams_of_connection",
        "max-streams-of-connection",
        Kind::count("calls", 1..=1_000_000, U32(|limits| &mut limits.streams_of_connection)),
        "Maximum number of concurrent calls and streams on one connection; the client waits before it starts another.",
    ),
    Setting::new(
        "limits.resets_of_connection",
        "max-resets-of-connection",
        Kind::count("calls", 20..=1_000_000, Usize(|limits| &mut limits.resets_of_connection)),
        "Maximum number of calls that a client cancels before they begin, at once on one connection, and of calls that break HTTP/2, in total; beyond it the connection is closed.",
    ),
    Setting::new(
        "limits.calls_of_address",
        "max-calls-of-address",
        Kind::count("calls", 1..=1_000_000, Usize(|limits| &mut limits.calls_of_address)),
        "Maximum number of concurrent calls and streams from one address without a token, of methods that need none; further ones are refused.",
    ),
    Setting::new(
        "limits.response_bytes",
        "max-response-bytes",
        Kind::count("bytes", 1_048_576..=67_108_864, Usize(|limits| &mut limits.response_bytes)),
        "Maximum size of a response; calls that would exceed it fail.",
    ),
    Setting::new(
        "limits.response_bytes_of_caller",
        "max-response-bytes-of-caller",
        Kind::count("bytes", 1_048_576..=1_073_741_824, Usize(|limits| &mut limits.response_bytes_of_caller)),
        "Maximum size of the responses to one caller that it has not read, without those of streams; each counts as 16 KiB at least, and there is room for one of the largest. Further calls are refused.",
    ),
    Setting::new(
        "limits.header_list_bytes",
        "max-header-list-bytes",
        Kind::count("bytes", 4_096..=1_048_576, U32(|limits| &mut limits.header_list_bytes)),
        "Maximum size of the headers of a request; larger ones are refused.",
    ),
    Setting::new(
        "limits.create_requests",
        "max-create-requests",
        Kind::count("requests", 1..=100_000_000, Usize(|limits| &mut limits.create_requests)),
        "Maximum number of remembered requests to create a match; repeating a forgotten one creates another match.",
    ),
    Setting::new(
        "limits.kept_states",
        "max-kept-states",
        Kind::count("states", 0..=10_000_000, Usize(|limits| &mut limits.kept_states)),
        "Maximum number of states of ended and long matches cached in memory; others are replayed from the log when they are needed.",
    ),
    Setting::new(
        "limits.replay_threads",
        "replay-threads",
        Kind::count("threads", 1..=256, Usize(|limits| &mut limits.replay_threads)),
        "Number of threads that read ended matches and replay logs, beside those that serve players.",
    ),
    Setting::new(
        "limits.replays_of_caller",
        "max-replays-of-caller",
        Kind::count("calls", 1..=1_000_000, Usize(|limits| &mut limits.replays_of_caller)),
        "Maximum number of calls of one caller that wait for a replay thread; further ones are refused.",
    ),
    Setting::new(
        "limits.replays",
        "max-replays",
        Kind::count("calls", 1..=10_000_000, Usize(|limits| &mut limits.replays)),
        "Maximum number of calls on the service that wait for a replay thread; further ones are refused.",
    ),
    Setting::new(
        "limits.actions_per_second",
        "max-actions-per-second",
        Kind::count("actions per second", 0..=1_000_000, U32(|limits| &mut limits.actions_per_second)),
        "Maximum number per second of requests of one player that change a match; 0 means no limit. If `listen` or `web.listen` is an address other than the loopback, the default is 2000.",
    ),
    Setting::new(
        "limits.action_burst",
        "max-action-burst",
        Kind::count("actions", 1..=1_000_000, U32(|limits| &mut limits.action_burst)),
        "Maximum number of requests of one player that change a match, sent at once after a pause.",
    ),
    Setting::new(
        "limits.calls_per_second",
        "max-calls-per-second",
        Kind::count("calls per second", 0..=1_000_000, U32(|limits| &mut limits.calls_per_second)),
        "Maximum number per second of calls of one caller that do not change a match; 0 means no limit. If `listen` or `web.listen` is an address other than the loopback, the default is 500.",
    ),
    Setting::new(
        "limits.call_burst",
        "max-call-burst",
        Kind::count("calls", 1..=1_000_000, U32(|limits| &mut limits.call_burst)),
        "Maximum number of calls of one caller that do not change a match, made at once after a pause.",
    ),
    Setting::new(
        "limits.connections",
        "max-connections",
        Kind::count("connections", 1..=1_000_000, Usize(|limits| &mut limits.connections)),
        "Maximum number of open connections; beyond it the oldest one without a valid token is closed, or the new one if there is none.",
    ),
    Setting::new(
        "limits.connections_of_address",
        "max-connections-of-address",
        Kind::count("connections", 1..=1_000_000, Usize(|limits| &mut limits.connections_of_address)),
        "Maximum number of connections from one address that have not shown a valid token; beyond it the oldest of them is closed.",
    ),
    Setting::new(
        "limits.connections_of_player",
        "max-connections-of-player",
        Kind::count("connections", 1..=1_000_000, Usize(|limits| &mut limits.connections_of_player)),
        "Maximum number of connections of one player: those on which its token was the first valid one. Calls on further ones are refused.",
    ),
    Setting::new(
        "limits.greeting_timeout",
        "greeting-timeout",
        Kind::time(SECOND..=Duration::from_mins(10), |all| &mut all.config.limits.greeting_timeout),
        "Time limit for the handshake of a new connection, with or without TLS; beyond it the connection is closed.",
    ),
    Setting::new(
        "limits.connection_age",
        "connection-age",
        Kind::time(Duration::ZERO..=Duration::from_hours(8766), |all| &mut all.config.limits.connection_age),
        "Lifetime of a connection, plus or minus a tenth; then its streams end with a reason and clients reconnect. 0s means no limit.",
    ),
    Setting::new(
        "limits.connection_age_grace",
        "connection-age-grace",
        Kind::time(Duration::from_millis(100)..=HOUR, |all| &mut all.config.limits.connection_age_grace),
        "Time for the remaining calls to finish on a connection past its lifetime, before it is cut.",
    ),
    Setting::new(
        "limits.keepalive_interval",
        "keepalive-interval",
        Kind::time(SECOND..=HOUR, |all| &mut all.config.limits.keepalive_interval),
        "Interval of keep-alive pings on an idle connection.",
    ),
    Setting::new(
        "limits.keepalive_timeout",
        "keepalive-timeout",
        Kind::time(SECOND..=HOUR, |all| &mut all.config.limits.keepalive_timeout),
        "Time limit for the answer to a keep-alive ping; without one the connection is closed.",
    ),
    Setting::new(
        "side.listen",
        "side-listen",
        Kind::AddressOrOff(|all| &mut all.config.side_listen),
        "Address and port for probes and metrics in plain HTTP; `off` disables them.",
    ),
    Setting::new(
        "web.listen",
        "web",
        Kind::AddressOrOff(|all| &mut all.config.web_listen),
        "Address and port of the web page, on which matches are watched and played in a browser.",
    ),
    Setting::new(
        "web.public_watch",
        "web-public-watch",
        Kind::Switch(|all| &mut all.config.web_public_watch),
        "With `--auth tokens`, let anyone who reaches the web page read public matches there without a token.",
    ),
    Setting::new(
        "web.hosts",
        "web-hosts",
        Kind::HostNames(|all| &mut all.config.web_hosts),
        "Names by which browsers reach the web page without TLS, separated by commas; IP addresses and `localhost` always do.",
    ),
    Setting::new(
        "log.format",
        "log-format",
        Kind::LogFormat(|all| &mut all.log_format),
        "Format of the log on standard error: lines of text, or one JSON object per line.",
    ),
    Setting::new(
        "log.filter",
        "log-filter",
        Kind::LogFilter(|all| &mut all.log_filter),
        "Level of the log, or a comma-separated list of targets with levels, such as `warn,dragontooth_service=debug`. A target without a level is refused, unless it begins with `dragontooth` or `rustls`. The target `rustls` is off unless it is named.",
    )
    .or_variable("RUST_LOG"),
    Setting::new(
        "postgres.address",
        "log",
        Kind::Database(|all| &mut all.database),
        "PostgreSQL database of the event log, instead of a folder: `postgres://user@host:5432/database`, with several hosts separated by commas.",
    ),
    Setting::new(
        "postgres.password_file",
        "log-password-file",
        Kind::Path(|all| &mut all.database_password),
        "File with the password of the database, instead of one in the address.",
    ),
    Setting::new(
        "postgres.ca",
        "log-ca",
        Kind::Path(|all| &mut all.database_ca),
        "PEM file with the authorities that sign the database's certificate. Turns TLS on; required unless the database is on this machine.",
    ),
    Setting::new(
        "postgres.requires_standby",
        "log-requires-standby",
        Kind::Switch(|all| &mut all.requires_standby),
        "Refuse a database without a synchronous standby. Otherwise the service only warns.",
    ),
    Setting::new(
        "tracing.otlp_endpoint",
        "otlp-endpoint",
        Kind::Url(|all| &mut all.otlp_endpoint),
        "URL of the OpenTelemetry collector that receives traces, by OTLP over gRPC. Without it no traces are sent.",
    )
    .or_variable("OTEL_EXPORTER_OTLP_ENDPOINT")
    // It may contain a password or a key for the collector.
    .secret(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::values::Values;
    use super::*;

    #[test]
    fn names_have_one_form_and_are_unique() {
        let mut names = BTreeSet::new();
        for setting in SETTINGS {
            for name in [setting.key, setting.flag] {
                assert!(
                    name.chars()
                        .all(|c| c.is_ascii_lowercase() || "._-".contains(c)),
                    "{name}"
                );
            }
            assert!(names.insert(setting.key), "{}", setting.key);
            assert!(names.insert(setting.variable().leak()));
            assert!(setting.doc.ends_with('.'), "{}", setting.key);
        }
    }

    /// A table of a TOML file is written once, after the keys outside of tables.
    #[test]
    fn settings_of_a_table_are_contiguous() {
        let mut tables: Vec<Option<&str>> =
            SETTINGS.iter().map(|setting| setting.place().0).collect();
        tables.dedup();
        assert_eq!(tables.first(), Some(&None));
        let different: BTreeSet<_> = tables.iter().collect();
        assert_eq!(different.len(), tables.len(), "{tables:?}");
    }

    /// Setting a value to its shown text changes nothing: every default is in its range.
    #[test]
    fn defaults_are_in_range() {
        for setting in SETTINGS {
            let mut values = Values::default();
            if let Some(shown) = setting.kind.show(&mut values) {
                setting.kind.set(&mut values, &shown).unwrap();
                assert_eq!(setting.kind.show(&mut values), Some(shown));
            }
        }
    }
}
