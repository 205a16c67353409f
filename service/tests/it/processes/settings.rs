use std::fs;

use crate::program::ask;

const WRONG_USAGE: i32 = 2;

/// The columns of the line of `config print` with this key.
fn columns<'a>(printed: &'a str, key: &str) -> [&'a str; 3] {
    let line = printed
        .lines()
        .find(|line| line.split_whitespace().next() == Some(key))
        .unwrap_or_else(|| panic!("{key} is not printed: {printed}"));
    let mut parts = line
        .split("  ")
        .map(str::trim)
        .filter(|part| !part.is_empty());
    [(); 3].map(|()| parts.next().unwrap())
}

/// Writes a text to a file and returns its path.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[tokio::test]
async fn a_flag_is_stronger_than_a_variable_and_a_variable_than_the_file() {
    let text = "listen = '127.0.0.1:1'\ndata = 'here'\n[limits]\nlive_matches = 3\nrequest_bytes = 2_000\n";
    let (_folder, path) = file(text);
    let variables = [
        ("DRAGONTOOTH_CONFIG", path.as_str()),
        ("DRAGONTOOTH_LISTEN", "127.0.0.1:2"),
        ("DRAGONTOOTH_MAX_LIVE_MATCHES", "4"),
        ("RUST_LOG", "warn"),
    ];
    let arguments = ["config", "print", "--listen", "127.0.0.1:3"];
    let (code, printed, errors) = ask(&arguments, &variables).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    let line = |key| columns(&printed, key);
    assert_eq!(line("listen"), ["listen", "127.0.0.1:3", "--listen"]);
    assert_eq!(line("data"), ["data", "here", &format!("{path}:2")]);
    assert_eq!(line("in_memory"), ["in_memory", "false", "default"]);
    assert_eq!(
        line("limits.live_matches"),
        [
            "limits.live_matches",
            "4 matches",
            "DRAGONTOOTH_MAX_LIVE_MATCHES"
        ]
    );
    assert_eq!(
        line("limits.request_bytes"),
        ["limits.request_bytes", "2000 bytes", &format!("{path}:5")]
    );
    assert_eq!(
        line("shutdown_timeout"),
        ["shutdown_timeout", "10s", "default"]
    );
    assert_eq!(line("log.filter"), ["log.filter", "warn", "RUST_LOG"]);
}

#[tokio::test]
async fn the_flag_that_names_the_file_is_stronger_than_the_variable() {
    let (_one, one) = file("[log]\nformat = 'json'\n");
    let (_other, other) = file("[log]\nfilter = 'debug'\n");
    let variables = [("DRAGONTOOTH_CONFIG", one.as_str())];
    let (code, printed, _) = ask(&["config", "print", "--config", &other], &variables).await;
    assert_eq!(code, 0);
    assert_eq!(columns(&printed, "log.format")[1], "text");
    assert_eq!(columns(&printed, "log.filter")[1], "debug");
}

/// The message about a mistake in a file, after its path.
async fn mistake(text: &str) -> String {
    let (_folder, path) = file(text);
    let (code, output, errors) = ask(&["config", "print", "--config", &path], &[]).await;
    assert_eq!((code, output.as_str()), (WRONG_USAGE, ""), "{text}");
    let start = format!("dragontooth-service: {path}:");
    let rest = errors.strip_prefix(&start).expect("it says where");
    rest.trim_end().to_owned()
}

#[tokio::test]
async fn a_mistake_in_the_file_is_reported_with_its_place() {
    for (text, output) in [
        (
            "listen = '127.0.0.1:1'\n[limits]\n  live_match = 3\n",
            "3:3: limits.live_match: unknown setting; did you mean \"limits.live_matches\"?",
        ),
        (
            "live_matches = 3\n",
            "1:1: live_matches: unknown setting; did you mean \"limits.live_matches\"?",
        ),
        (
            "[limit]\nlive_matches = 3\n",
            "1:2: limit: unknown setting; did you mean \"limits\"?",
        ),
        (
            "[limits]\nlive_matches = '3'\n",
            "2:16: limits.live_matches: it must be a whole number (1 to 10000000 matches), not a string",
        ),
        (
            "\n[limits]\nlive_matches = 0\n",
            "3:1: limits.live_matches: `0` is not a valid value; expected 1 to 10000000 matches",
        ),
        (
            "shutdown_timeout = 10\n",
            "1:20: shutdown_timeout: it must be a string (a duration from 100ms to 1h), not a whole number",
        ),
        (
            "shutdown_timeout = '2h'\n",
            "1:1: shutdown_timeout: `2h` is not a valid value; expected a duration from 100ms to 1h",
        ),
        (
            "listen = {}\n",
            "1:10: listen: it must be a string (an IP address or host name, and a port), not a table",
        ),
    ] {
        assert_eq!(mistake(text).await, output, "{text}");
    }
    let no_toml = mistake("listen = \n").await;
    assert!(no_toml.starts_with("1:"), "{no_toml}");
}

/// Several mistakes are all reported.
#[tokio::test]
async fn all_mistakes_are_reported_at_once() {
    let text = "listn = '127.0.0.1:1'\n[limits]\nlive_matches = '3'\nstreams = 0\n";
    let (_folder, path) = file(text);
    let variables = [("DRAGONTOOTH_SHUTDOWN_TIMEOUT", "10")];
    let arguments = ["config", "check", "--config", &path, "--auth", "none"];
    for command in [&arguments[..], &[&["serve"], &arguments[2..]].concat()] {
        let (code, output, errors) = ask(command, &variables).await;
        assert_eq!((code, output.as_str()), (WRONG_USAGE, ""));
        let lines: Vec<&str> = errors
            .lines()
            .map(|line| line.strip_prefix("dragontooth-service: ").unwrap())
            .collect();
        let starts = [
            format!("{path}:1:1: listn: "),
            format!("{path}:3:16: limits.live_matches: "),
            "DRAGONTOOTH_SHUTDOWN_TIMEOUT: shutdown_timeout: ".to_owned(),
            "--auth: `none` ".to_owned(),
            format!("{path}:4:1: limits.streams: "),
        ];
        assert_eq!(lines.len(), starts.len(), "{errors}");
        for (line, start) in lines.iter().zip(starts) {
            assert!(line.starts_with(&start), "{line}");
        }
    }
}

/// Values that are valid alone but contradict each other are reported with their sources.
#[tokio::test]
async fn all_contradictions_are_reported_at_once() {
    let (_folder, path) = file("listen = '0.0.0.0:4641'\n[access]\ntls_cert = 'cert.pem'\n");
    let variables = [
        ("DRAGONTOOTH_SIDE_LISTEN", "0.0.0.0:4641"),
        ("DRAGONTOOTH_DATE", "data"),
    ];
    let (code, output, errors) = ask(&["config", "check", "--config", &path], &variables).await;
    assert_eq!(code, WRONG_USAGE);
    assert_eq!(
        output,
        "DRAGONTOOTH_DATE: unknown setting; did you mean \"DRAGONTOOTH_DATA\"?\n"
    );
    let lines: Vec<&str> = errors.lines().collect();
    let clash = format!("({path}:1 and DRAGONTOOTH_SIDE_LISTEN)");
    let parts = ["--in-memory", "--tls-key", &clash, "--auth tokens"];
    assert_eq!(lines.len(), parts.len(), "{errors}");
    for (line, part) in lines.iter().zip(parts) {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[tokio::test]
async fn half_of_tls_is_reported_with_its_place() {
    let (_folder, path) = file("in_memory = true\n[access]\ntls_cert = 'cert.pem'\n");
    let check = ["config", "check", "--config", &path];
    let (code, _, errors) = ask(&check, &[]).await;
    assert_eq!(code, WRONG_USAGE);
    let cert = format!("dragontooth-service: --tls-cert ({path}:3) needs --tls-key\n");
    assert_eq!(errors, cert);
    for (variable, error) in [
        (
            "DRAGONTOOTH_TLS_KEY",
            "--tls-key (DRAGONTOOTH_TLS_KEY) needs --tls-cert",
        ),
        (
            "DRAGONTOOTH_TLS_CLIENT_CA",
            "--tls-client-ca (DRAGONTOOTH_TLS_CLIENT_CA) needs --tls-cert and --tls-key",
        ),
    ] {
        let check = ["config", "check", "--in-memory"];
        let (code, _, errors) = ask(&check, &[(variable, "file.pem")]).await;
        assert_eq!(code, WRONG_USAGE);
        assert_eq!(errors.trim_end(), format!("dragontooth-service: {error}"));
    }
}

#[tokio::test]
async fn rates_are_limited_wherever_other_machines_come_in() {
    for (flags, actions, calls) in [
        (&[][..], "0", "0"),
        (
            &["--listen", "[::ffff:127.0.0.1]:1", "--web", "[::1]:2"],
            "0",
            "0",
        ),
        (&["--listen", "0.0.0.0:1"], "2000", "500"),
        (&["--web", "0.0.0.0:1"], "2000", "500"),
        (
            &["--web", "0.0.0.0:1", "--max-calls-per-second", "0"],
            "2000",
            "0",
        ),
    ] {
        let arguments = [&["config", "print"], flags].concat();
        let (code, printed, errors) = ask(&arguments, &[]).await;
        assert_eq!((code, errors.as_str()), (0, ""));
        for (key, unit, rate) in [
            ("limits.actions_per_second", "actions per second", actions),
            ("limits.calls_per_second", "calls per second", calls),
        ] {
            let value = columns(&printed, key)[1];
            assert_eq!(value, format!("{rate} {unit}"), "{flags:?}");
        }
    }
}

#[tokio::test]
async fn an_empty_variable_of_other_programs_counts_as_unset() {
    let variables = [("RUST_LOG", ""), ("OTEL_EXPORTER_OTLP_ENDPOINT", "")];
    let (code, printed, errors) = ask(&["config", "print"], &variables).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    for (key, value) in [("log.filter", "info"), ("tracing.otlp_endpoint", "-")] {
        assert_eq!(columns(&printed, key), [key, value, "default"]);
    }
}

#[tokio::test]
async fn a_key_unlike_all_others_leads_to_the_example() {
    assert_eq!(
        mistake("colour = 'red'\n").await,
        "1:1: colour: unknown setting; `dragontooth-service config example` lists them"
    );
}

#[tokio::test]
async fn settings_that_are_right_are_said_to_be() {
    let arguments = ["config", "check", "--in-memory"];
    let (code, output, errors) = ask(&arguments, &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(output, "ok: `serve` takes these settings\n");
}

#[tokio::test]
async fn an_address_may_have_a_name() {
    let arguments = ["config", "print", "--listen", "localhost:4650"];
    let variables = [("DRAGONTOOTH_SIDE_LISTEN", "localhost:0")];
    let (code, printed, errors) = ask(&arguments, &variables).await;
    assert_eq!(code, 0, "{errors}");
    assert_eq!(columns(&printed, "listen")[1], "127.0.0.1:4650");
    assert_eq!(columns(&printed, "side.listen")[1], "127.0.0.1:0");
    let arguments = ["config", "check", "--in-memory", "--listen", "localhost"];
    let (code, _, errors) = ask(&arguments, &[]).await;
    assert_eq!(code, WRONG_USAGE);
    assert_eq!(
        errors,
        "dragontooth-service: --listen: `localhost` is not an address with a port; \
         expected an IP address or host name, and a port\n"
    );
}

#[tokio::test]
async fn a_mistake_elsewhere_is_reported_with_its_name_and_range() {
    let variables = [("DRAGONTOOTH_MAX_REQUEST_BYTES", "12")];
    let (code, _, errors) = ask(&["config", "print"], &variables).await;
    assert_eq!(code, WRONG_USAGE);
    assert_eq!(
        errors.trim_end(),
        "dragontooth-service: DRAGONTOOTH_MAX_REQUEST_BYTES: limits.request_bytes: `12` is not a valid value; \
         expected 1024 to 67108864 bytes"
    );
    let (_, _, errors) = ask(&["config", "print", "--shutdown-timeout", "5"], &[]).await;
    assert_eq!(
        errors.trim_end(),
        "dragontooth-service: --shutdown-timeout: `5` is not a valid value: time unit needed, for example 5sec or 5ms; \
         expected a duration from 100ms to 1h"
    );
    // Also where a flag overrides it.
    let arguments = ["config", "print", "--max-request-bytes", "2048"];
    assert_eq!(ask(&arguments, &variables).await.0, WRONG_USAGE);
    for filter in ["a=b=c", ""] {
        let (code, _, errors) = ask(&["config", "print", "--log-filter", filter], &[]).await;
        assert_eq!(code, WRONG_USAGE);
        assert!(errors.contains("--log-filter"), "{errors}");
    }
    for (filter, hint) in [
        ("debuk", "; did you mean \"debug\"?"),
        (
            "warn,hyper",
            "a target needs one: `hyper=debug`; expected a log filter",
        ),
    ] {
        let (code, _, errors) = ask(&["config", "print", "--log-filter", filter], &[]).await;
        assert_eq!(code, WRONG_USAGE);
        assert!(errors.contains(hint), "{errors}");
    }
    for filter in ["Debug", "3", "dragontooth_service", "warn,hyper=info,[rpc]"] {
        let (code, _, errors) = ask(&["config", "print", "--log-filter", filter], &[]).await;
        assert_eq!(code, 0, "{errors}");
    }
    let (code, _, errors) = ask(&["config", "print", "--config", "/nowhere.toml"], &[]).await;
    assert_eq!(code, WRONG_USAGE);
    assert!(
        errors.contains("/nowhere.toml: the file cannot be read"),
        "{errors}"
    );
}

#[tokio::test]
async fn the_stronger_of_two_log_locations_wins() {
    let check = async |flags: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["config", "check"], flags].concat();
        ask(&arguments, variables).await.0
    };
    let folder = [("DRAGONTOOTH_DATA", "folder")];
    let memory = [("DRAGONTOOTH_IN_MEMORY", "true")];
    let both = [folder[0], memory[0]];
    assert_eq!(check(&[], &[]).await, WRONG_USAGE);
    assert_eq!(check(&[], &both).await, WRONG_USAGE);
    assert_eq!(
        check(&["--in-memory", "--data", "folder"], &[]).await,
        WRONG_USAGE
    );
    assert_eq!(check(&["--in-memory"], &folder).await, 0);
    assert_eq!(check(&["--data", "folder"], &memory).await, 0);
    assert_eq!(check(&["--in-memory=false"], &both).await, 0);
}

/// The example file is valid, and the values it explains are the defaults.
#[tokio::test]
async fn the_example_shows_the_defaults() {
    let (code, example, errors) = ask(&["config", "example"], &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    let (_, defaults, _) = ask(&["config", "print"], &[]).await;
    let (_folder, path) = file(&example);
    let (code, printed, errors) = ask(&["config", "print", "--config", &path], &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(printed, defaults);

    // The same with everything set. An empty path is not a path.
    let is_setting = |line: &&str| !line.ends_with(r#"= """#);
    let set: Vec<&str> = example
        .lines()
        .filter(is_setting)
        .map(|line| match line.strip_prefix("# ") {
            Some(setting) if setting.split(' ').nth(1) == Some("=") => setting,
            Some(_) | None => line,
        })
        .collect();
    let (_folder, path) = file(&set.join("\n"));
    let (code, printed, errors) = ask(&["config", "print", "--config", &path], &[]).await;
    assert_eq!((code, errors.as_str()), (0, ""));
    for (line, default) in printed.lines().zip(defaults.lines()) {
        let [key, value, origin] = columns(line, line.split(' ').next().unwrap());
        let [same_key, same_value, _] = columns(default, key);
        assert_eq!((key, value), (same_key, same_value));
        assert_eq!(origin == "default", value == "-", "{line}");
    }
}
