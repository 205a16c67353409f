//! The files in `deploy/` use only settings that the service knows, and give it enough time
//! to stop.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;

use crate::program::{PROGRAM, ask};

const UNIT: &str = include_str!("../../../../deploy/systemd/dragontooth.service");
const UNIT_SETTINGS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../deploy/systemd/service.toml"
);
const COMPOSE: &str = include_str!("../../../../deploy/compose.yaml");
const IMAGE: &str = include_str!("../../../../deploy/Dockerfile");
const IMAGE_SETTINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/image/service.toml");
const CHART: &str = include_str!("../../../../deploy/helm/dragontooth/templates/pods.yaml");

const PREPARE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/compose/prepare.sh");

/// In the place of `docker compose --file … run --rm --no-deps -T service token create NAME --scopes …`: the program
/// itself, on the folder `data`. It fails where there is a file of that name in `trouble`. `docker` is a shell here,
/// which takes `compose` for a script: what a test has just written cannot always be started as a program.
const COMPOSE_RUN: &str = r#"
shift 7
[ ! -e "$HERE/trouble/$3" ] && exec "$PROGRAM" "$1" "$2" "$3" "$4" "$5" --data "$HERE/data"
"#;

/// A value in a Kubernetes template.
const CHART_VALUES: [(&str, &str); 3] = [
    ("DRAGONTOOTH_AUTH", "tokens"),
    ("DRAGONTOOTH_SHUTDOWN_TIMEOUT", "20s"),
    ("DRAGONTOOTH_WEB_PUBLIC_WATCH", "false"),
];

#[tokio::test]
async fn the_unit_gives_more_time_than_a_shutdown_takes() {
    let flags = ["--data", "data", "--tls-cert", "a", "--tls-key", "b"];
    let file = ["--config", UNIT_SETTINGS];
    let printed = printed(&[&file[..], &flags].concat(), &[]).await;
    assert!(timeout_of(&printed) < seconds_behind(UNIT, "TimeoutStopSec="));
    assert_eq!(value(&printed, "end_on_log_failure"), "true");
}

#[tokio::test]
async fn compose_gives_more_time_than_a_shutdown_takes() {
    // The runner's are about tournaments.
    let (service, _) = COMPOSE.split_once("\n  runner:\n").unwrap();
    let variables = variables(service, ": ");
    assert!(variables.len() > 5, "{variables:?}");
    let printed = printed(&["--config", IMAGE_SETTINGS], &variables).await;
    assert!(timeout_of(&printed) < seconds_behind(COMPOSE, "stop_grace_period: "));
    assert_eq!(value(&printed, "end_on_log_failure"), "true");
}

#[tokio::test]
async fn whatever_an_operator_sets_goes_before_the_image() {
    let names = variables(IMAGE, "=");
    let own = [("DRAGONTOOTH_CONFIG", "/etc/dragontooth/service.toml")];
    assert_eq!(names, own, "a variable would outrank a file");
    let tls = ["--tls-cert", "a", "--tls-key", "b"];
    let flags = [&["--config", IMAGE_SETTINGS], &tls[..]].concat();
    let found = printed(&flags, &[]).await;
    for (key, of_image) in [
        ("data", "/data"),
        ("listen", "0.0.0.0:4640"),
        ("side.listen", "0.0.0.0:4641"),
        ("access.auth", "tokens"),
    ] {
        assert_eq!(value(&found, key), of_image);
    }
    let address = "postgres://a@127.0.0.1/b";
    let found = printed(&flags, &[("DRAGONTOOTH_LOG", address)]).await;
    assert_eq!(value(&found, "data"), "-");
}

#[tokio::test]
async fn the_chart_sets_only_known_settings() {
    let mut variables = variables(CHART, ", value: ");
    for (name, value) in &mut variables {
        if let Some((_, of_chart)) = CHART_VALUES.iter().find(|(of, _)| of == name) {
            *value = of_chart;
        }
    }
    assert!(variables.len() > 8, "{variables:?}");
    let printed = printed(&[], &variables).await;
    assert_eq!(value(&printed, "end_on_log_failure"), "true");
}

#[tokio::test]
async fn compose_creates_each_token_once_despite_failures() {
    let here = TempDir::new().unwrap();
    let (secrets, trouble) = (here.path().join("secrets"), here.path().join("trouble"));
    for folder in [&secrets, &trouble] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(secrets.join("service.key"), "").unwrap();
    fs::copy(PREPARE, here.path().join("prepare.sh")).unwrap();
    fs::write(here.path().join("compose"), COMPOSE_RUN).unwrap();
    symlink("/bin/sh", here.path().join("docker")).unwrap();
    for name in ["runner", "runner", "alphabeta", "alphabeta", "operator"] {
        fs::write(trouble.join(name), "").unwrap();
        let well = prepare_tokens(here.path()).await;
        // The operator's token exists already.
        assert_eq!(well, name == "operator", "{name}");
        assert_eq!(secrets.join("tokens.env").exists(), well, "{name}");
        fs::remove_file(trouble.join(name)).unwrap();
    }
    assert!(prepare_tokens(here.path()).await);
    let names = |file: &str| -> Vec<String> {
        let text = fs::read_to_string(secrets.join(file)).unwrap();
        text.lines()
            .map(|line| line.split_once("=dgt_").unwrap().0.to_owned())
            .collect()
    };
    assert_eq!(names("operator.env"), ["OPERATOR_TOKEN"]);
    let of_players = ["RUNNER_TOKEN", "GREEDY_TOKEN", "ALPHABETA_TOKEN"];
    assert_eq!(names("tokens.env"), of_players);
    let data = here.path().join("data");
    let flags = ["token", "list", "--json", "--data", data.to_str().unwrap()];
    let (code, output, errors) = ask(&flags, &[]).await;
    assert_eq!((code, output.lines().count()), (0, 4), "{output}{errors}");
    let files = fs::read_dir(&secrets).unwrap().count();
    assert_eq!(files, 3, "the key and two files of tokens");
}

/// Returns true if `prepare.sh tokens` succeeds.
async fn prepare_tokens(here: &Path) -> bool {
    let path = std::env::var("PATH").unwrap();
    let status = Command::new("sh")
        .arg(here.join("prepare.sh"))
        .arg("tokens")
        .env("PATH", format!("{}:{path}", here.display()))
        .env("HERE", here)
        .env("PROGRAM", PROGRAM)
        .output();
    status.await.unwrap().status.success()
}

/// The settings that the service reads. Asserts that it finds no mistake and knows every name.
async fn printed(flags: &[&str], variables: &[(&str, &str)]) -> String {
    for command in ["check", "print"] {
        let (code, output, errors) = ask(&[&["config", command], flags].concat(), variables).await;
        assert_eq!((code, &*errors), (0, ""), "{output}");
        if command == "print" {
            return output;
        }
    }
    unreachable!("the last command returns")
}

/// The service's variables in a text, each with the value after `sign`.
fn variables<'a>(text: &'a str, sign: &str) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("DRAGONTOOTH_") {
        let name_end = text[at..].find(|c: char| !c.is_ascii_uppercase() && c != '_');
        let (name, rest) = text[at..].split_at(name_end.unwrap_or_default());
        let Some(rest) = rest.strip_prefix(sign) else {
            continue;
        };
        let line = rest.lines().next().unwrap_or_default().trim();
        let line = line.trim_end_matches(['}', '\\', ' ']);
        // The default of one of compose's own variables.
        let line = line.split_once(":-").map_or(line, |(_, default)| default);
        found.push((name, line.trim_matches('"')));
    }
    found
}

/// The value of a setting in `config print`.
fn value<'a>(printed: &'a str, key: &str) -> &'a str {
    let words = |line: &'a str| {
        let mut words = line.split_whitespace();
        (words.next() == Some(key)).then(|| words.next()).flatten()
    };
    printed.lines().find_map(words).unwrap()
}

fn timeout_of(printed: &str) -> Duration {
    let timeout = value(printed, "shutdown_timeout");
    Duration::from_secs(timeout.strip_suffix('s').unwrap().parse().unwrap())
}

/// The smallest number of seconds after a text.
fn seconds_behind(text: &str, before: &str) -> Duration {
    let seconds = text.match_indices(before).map(|(at, _)| {
        let rest = &text[at + before.len()..];
        rest[..rest.find('s').unwrap()].parse().unwrap()
    });
    Duration::from_secs(seconds.min().unwrap())
}
