use std::time::Duration;

use super::kind::{Kind, Number};
use super::setting::Setting;

/// All settings: the only list of them, `listen` first. Those of a table of the file stand together, those of none
/// first.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting::new(
        "listen",
        "listen",
        Kind::Address(|all| &mut all.config.listen),
        "Where to listen for gRPC. Port 0 lets the system choose one.",
    ),
    Setting::new(
        "data",
        "data",
        Kind::Path(|all| &mut all.data),
        "The folder of the event log; made if it does not exist.",
    ),
    Setting::new(
        "in_memory",
        "in-memory",
        Kind::Switch(|all| &mut all.in_memory),
        "Keep the event log in memory instead: it is gone when the service ends.",
    ),
    Setting::new(
        "shutdown_timeout",
        "shutdown-timeout",
        Kind::Duration {
            least: Duration::from_millis(100),
            most: Duration::from_hours(1),
            of: |all| &mut all.config.shutdown_timeout,
        },
        "How long a shutdown may take. What has not closed by then is cut.",
    ),
    Setting::new(
        "end_on_log_failure",
        "end-on-log-failure",
        Kind::Switch(|all| &mut all.end_on_log_failure),
        "End when the event log has failed, so that a supervisor restarts the service; otherwise it continues to answer read-only calls.",
    ),
    Setting::new(
        "access.auth",
        "auth",
        Kind::Auth(|all| &mut all.config.auth),
        "The accepted tokens: any that a player chooses, or only issued ones.",
    ),
    Setting::new(
        "access.tls_cert",
        "tls-cert",
        Kind::Path(|all| &mut all.tls_cert),
        "The file of the service's certificate with its chain, in PEM: connections are encrypted.",
    ),
    Setting::new(
        "access.tls_key",
        "tls-key",
        Kind::Path(|all| &mut all.tls_key),
        "The file of that certificate's key, in PEM.",
    ),
    Setting::new(
        "access.tls_client_ca",
        "tls-client-ca",
        Kind::Path(|all| &mut all.tls_client_ca),
        "The file of the authorities of the clients' certificates, in PEM: a client without one is refused.",
    ),
    Setting::new(
        "access.insecure_no_tls",
        "insecure-no-tls",
        Kind::Switch(|all| &mut all.config.insecure_no_tls),
        "Listen on another address than the loopback without TLS.",
    ),
    Setting::new(
        "access.insecure_open_players",
        "insecure-open-players",
        Kind::Switch(|all| &mut all.config.insecure_open_players),
        "Let anybody play who reaches another address than the loopback.",
    ),
    Setting::new(
        "limits.live_matches",
        "max-live-matches",
        Kind::Count {
            unit: "matches",
            least: 1,
            most: 10_000_000,
            of: Number::Usize(|all| &mut all.config.limits.live_matches),
        },
        "The most matches that are not over.",
    ),
    Setting::new(
        "limits.request_bytes",
        "max-request-bytes",
        Kind::Count {
            unit: "bytes",
            least: 1024,
            most: 64 << 20,
            of: Number::Usize(|all| &mut all.config.limits.request_bytes),
        },
        "The most bytes of a request.",
    ),
    Setting::new(
        "limits.request_timeout",
        "request-timeout",
        Kind::Duration {
            least: Duration::from_millis(100),
            most: Duration::from_hours(1),
            of: |all| &mut all.config.limits.request_timeout,
        },
        "How long a request that is admitted may take to arrive; on a Play stream, each message.",
    ),
    Setting::new(
        "limits.body_bytes_of_connection",
        "max-body-bytes-of-connection",
        Kind::Count {
            unit: "bytes",
            least: 1024,
            most: 1 << 30,
            of: Number::Usize(|all| &mut all.config.limits.body_bytes_of_connection),
        },
        "The most bytes on one connection that wait for the rest of their request; never less than one request.",
    ),
    Setting::new(
        "limits.body_bytes_of_caller",
        "max-body-bytes-of-caller",
        Kind::Count {
            unit: "bytes",
            least: 1024,
            most: 1 << 30,
            of: Number::Usize(|all| &mut all.config.limits.body_bytes_of_caller),
        },
        "The most such bytes of one caller.",
    ),
    Setting::new(
        "limits.body_bytes",
        "max-body-bytes",
        Kind::Count {
            unit: "bytes",
            least: 1024,
            most: 16 << 30,
            of: Number::Usize(|all| &mut all.config.limits.body_bytes),
        },
        "The most such bytes in all.",
    ),
    Setting::new(
        "limits.stream_window_bytes",
        "stream-window-bytes",
        Kind::Count {
            unit: "bytes",
            least: 16384,
            most: 16 << 20,
            of: Number::U32(|all| &mut all.config.limits.stream_window_bytes),
        },
        "How many bytes a client may send on a stream before the service has read them.",
    ),
    Setting::new(
        "limits.connection_window_bytes",
        "connection-window-bytes",
        Kind::Count {
            unit: "bytes",
            least: 65535,
            most: 64 << 20,
            of: Number::U32(|all| &mut all.config.limits.connection_window_bytes),
        },
        "How many bytes a client may send on a connection before the service has read them.",
    ),
    Setting::new(
        "limits.waiting_messages",
        "max-waiting-messages",
        Kind::Count {
            unit: "messages",
            least: 16,
            most: 1 << 20,
            of: Number::Usize(|all| &mut all.config.limits.waiting_messages),
        },
        "The most messages that wait for the reader of a Play stream before it is closed.",
    ),
    Setting::new(
        "limits.matches_of_player",
        "max-matches-of-player",
        Kind::Count {
            unit: "matches",
            least: 1,
            most: 10_000_000,
            of: Number::Usize(|all| &mut all.config.limits.matches_of_player),
        },
        "The most matches that are not over, of one player who has created them.",
    ),
    Setting::new(
        "limits.match_mailbox",
        "max-match-mailbox",
        Kind::Count {
            unit: "requests",
            least: 1,
            most: 65_536,
            of: Number::Usize(|all| &mut all.config.limits.match_mailbox),
        },
        "The most requests that wait for one match.",
    ),
    Setting::new(
        "limits.watchers_of_match",
        "max-watchers-of-match",
        Kind::Count {
            unit: "streams",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.watchers_of_match),
        },
        "The most streams that watch one match.",
    ),
    Setting::new(
        "limits.streams_of_caller",
        "max-streams-of-caller",
        Kind::Count {
            unit: "streams",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.streams_of_caller),
        },
        "The most streams of one caller: a player, or an address for calls without a token.",
    ),
    Setting::new(
        "limits.streams",
        "max-streams",
        Kind::Count {
            unit: "streams",
            least: 1,
            most: 10_000_000,
            of: Number::Usize(|all| &mut all.config.limits.streams),
        },
        "The most streams in all.",
    ),
    Setting::new(
        "limits.streams_of_connection",
        "max-streams-of-connection",
        Kind::Count {
            unit: "calls",
            least: 1,
            most: 1_000_000,
            of: Number::U32(|all| &mut all.config.limits.streams_of_connection),
        },
        "The most calls and streams under way at once on one connection.",
    ),
    Setting::new(
        "limits.resets_of_connection",
        "max-resets-of-connection",
        Kind::Count {
            unit: "calls",
            least: 20,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.resets_of_connection),
        },
        "The most calls that a client cancels before they have begun, at once on one connection, until it ends; and the most that break HTTP/2, in all.",
    ),
    Setting::new(
        "limits.calls_of_address",
        "max-calls-of-address",
        Kind::Count {
            unit: "calls",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.calls_of_address),
        },
        "The most calls and streams under way at once of one address without a token, of methods that need none.",
    ),
    Setting::new(
        "limits.response_bytes",
        "max-response-bytes",
        Kind::Count {
            unit: "bytes",
            least: 1_048_576,
            most: 67_108_864,
            of: Number::Usize(|all| &mut all.config.limits.response_bytes),
        },
        "The most bytes of an answer.",
    ),
    Setting::new(
        "limits.header_list_bytes",
        "max-header-list-bytes",
        Kind::Count {
            unit: "bytes",
            least: 4_096,
            most: 1_048_576,
            of: Number::U32(|all| &mut all.config.limits.header_list_bytes),
        },
        "The most bytes of the headers of a request.",
    ),
    Setting::new(
        "limits.create_requests",
        "max-create-requests",
        Kind::Count {
            unit: "requests",
            least: 1,
            most: 100_000_000,
            of: Number::Usize(|all| &mut all.config.limits.create_requests),
        },
        "The most requests to create a match that are remembered by their id, with their match.",
    ),
    Setting::new(
        "limits.kept_states",
        "max-kept-states",
        Kind::Count {
            unit: "states",
            least: 0,
            most: 10_000_000,
            of: Number::Usize(|all| &mut all.config.limits.kept_states),
        },
        "The most states of ended and of long matches that are kept in memory, for those who ask for them again.",
    ),
    Setting::new(
        "limits.actions_per_second",
        "max-actions-per-second",
        Kind::Count {
            unit: "actions",
            least: 0,
            most: 1_000_000,
            of: Number::U32(|all| &mut all.config.limits.actions_per_second),
        },
        "The most requests a second of one player that change a match; 0 for no limit. It is 2000 where the service does not listen on the loopback.",
    ),
    Setting::new(
        "limits.action_burst",
        "max-action-burst",
        Kind::Count {
            unit: "actions",
            least: 1,
            most: 1_000_000,
            of: Number::U32(|all| &mut all.config.limits.action_burst),
        },
        "The most such requests at once, after a rest.",
    ),
    Setting::new(
        "limits.calls_per_second",
        "max-calls-per-second",
        Kind::Count {
            unit: "calls",
            least: 0,
            most: 1_000_000,
            of: Number::U32(|all| &mut all.config.limits.calls_per_second),
        },
        "The most other calls a second of one caller; 0 for no limit. It is 500 where the service does not listen on the loopback.",
    ),
    Setting::new(
        "limits.call_burst",
        "max-call-burst",
        Kind::Count {
            unit: "calls",
            least: 1,
            most: 1_000_000,
            of: Number::U32(|all| &mut all.config.limits.call_burst),
        },
        "The most such calls at once, after a rest.",
    ),
    Setting::new(
        "limits.connections",
        "max-connections",
        Kind::Count {
            unit: "connections",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.connections),
        },
        "The most connections in all.",
    ),
    Setting::new(
        "limits.connections_of_address",
        "max-connections-of-address",
        Kind::Count {
            unit: "connections",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.connections_of_address),
        },
        "The most connections from one address that have not shown a valid token; beyond it the oldest of them ends.",
    ),
    Setting::new(
        "limits.connections_of_player",
        "max-connections-of-player",
        Kind::Count {
            unit: "connections",
            least: 1,
            most: 1_000_000,
            of: Number::Usize(|all| &mut all.config.limits.connections_of_player),
        },
        "The most connections of one player: those on which its token was the first valid one.",
    ),
    Setting::new(
        "limits.greeting_timeout",
        "greeting-timeout",
        Kind::Duration {
            least: Duration::from_secs(1),
            most: Duration::from_mins(10),
            of: |all| &mut all.config.limits.greeting_timeout,
        },
        "How long a client may take to begin on its connection, with TLS or without.",
    ),
    Setting::new(
        "limits.connection_age",
        "connection-age",
        Kind::Duration {
            least: Duration::ZERO,
            most: Duration::from_hours(8766),
            of: |all| &mut all.config.limits.connection_age,
        },
        "How long a connection lasts, a tenth less or more, until its streams end with a reason; 0s for no end.",
    ),
    Setting::new(
        "limits.connection_age_grace",
        "connection-age-grace",
        Kind::Duration {
            least: Duration::from_millis(100),
            most: Duration::from_hours(1),
            of: |all| &mut all.config.limits.connection_age_grace,
        },
        "How long the calls on a connection of that age may take to end before it is cut.",
    ),
    Setting::new(
        "limits.keepalive_interval",
        "keepalive-interval",
        Kind::Duration {
            least: Duration::from_secs(1),
            most: Duration::from_hours(1),
            of: |all| &mut all.config.limits.keepalive_interval,
        },
        "How often an idle connection is asked whether it lives.",
    ),
    Setting::new(
        "limits.keepalive_timeout",
        "keepalive-timeout",
        Kind::Duration {
            least: Duration::from_secs(1),
            most: Duration::from_hours(1),
            of: |all| &mut all.config.limits.keepalive_timeout,
        },
        "How long it may take to say so.",
    ),
    Setting::new(
        "side.listen",
        "side-listen",
        Kind::AddressOrOff(|all| &mut all.config.side_listen),
        "Where the side port listens: plain HTTP for probes and metrics.",
    ),
    Setting::new(
        "log.format",
        "log-format",
        Kind::LogFormat(|all| &mut all.log_format),
        "How to log, on standard error: lines for people, or a JSON object a line.",
    ),
    Setting::new(
        "log.filter",
        "log-filter",
        Kind::LogFilter(|all| &mut all.log_filter),
        "What to log: a level, or a list of targets with their levels, as in `warn,dragontooth_service=debug`.",
    )
    .or_variable("RUST_LOG"),
    Setting::new(
        "tracing.otlp_endpoint",
        "otlp-endpoint",
        Kind::Url(|all| &mut all.otlp_endpoint),
        "Where traces go, by OTLP over gRPC.",
    )
    .or_variable("OTEL_EXPORTER_OTLP_ENDPOINT")
    // Collectors take passwords and keys in it.
    .secret(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::values::Values;
    use super::*;

    #[test]
    fn names_are_of_one_form_and_of_one_setting() {
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
    fn those_of_a_table_stand_together() {
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
