//! Runs on a service that accepts only issued tokens.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use dragontooth_games::Seat;
use dragontooth_runner::record::Seal;
use dragontooth_service::{AuthMode, Config, OfflineTokens, Service, Storage};
use dragontooth_service_client::{Client, MatchFilter, Reason, Token};
use dragontooth_service_vocabulary::{IdentityName, NewMatch, NewToken, Scope, TokenId};
use tempfile::TempDir;
use tokio::process::Command;

use crate::fixture::DRAW_SECRET;

const RUNNER: &[Scope] = &[Scope::Create, Scope::Watch];
const BOT: &[Scope] = &[Scope::Play, Scope::Watch];

/// A data folder, the secrets of its tokens by identity, and a folder for
/// the runner.
struct Place {
    folder: TempDir,
    tokens: Vec<(String, TokenId, String)>,
}

impl Place {
    /// Tokens as `dragontooth-service token create --data` issues them.
    async fn new(tokens: &[(&str, &[Scope])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut place = Self {
            folder,
            tokens: Vec::new(),
        };
        for (name, scopes) in tokens {
            place.issue(name, scopes).await;
        }
        place
    }

    async fn issue(&mut self, name: &str, scopes: &[Scope]) {
        let offline = OfflineTokens::open(&self.data()).await.unwrap();
        let new = NewToken {
            name: IdentityName::new(name).unwrap(),
            scopes: scopes.iter().copied().collect(),
            ttl: None,
            request_id: None,
        };
        let (token, secret) = offline.issue(new).await.unwrap();
        offline.close().await;
        fs::write(self.path().join(name), format!("{secret}\n")).unwrap();
        self.tokens.push((name.to_owned(), token.id(), secret));
    }

    async fn revoke(&self, name: &str) {
        let offline = OfflineTokens::open(&self.data()).await.unwrap();
        let (_, id, _) = self.tokens.iter().find(|token| token.0 == name).unwrap();
        offline.revoke(*id).await.unwrap();
        offline.close().await;
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    fn secret(&self, name: &str) -> &str {
        let token = self.tokens.iter().rfind(|token| token.0 == name);
        &token.unwrap().2
    }

    async fn serve(&self) -> Service {
        let config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            storage: Storage::Folder(self.data()),
            auth: AuthMode::Tokens,
            ..Config::default()
        };
        Service::start(config).await.unwrap()
    }

    /// Runs an event of two bots with these keys for the runner and for each bot, the second bot being
    /// a program. Returns the exit code and the output.
    async fn run(&self, keys: [&str; 3]) -> (i32, String) {
        let service = self.serve().await;
        let [runner, ann, bob] = keys;
        let own = env::current_exe().unwrap();
        let bot = "programs::built_in_bot_process --exact --nocapture -- random:seed=9";
        let script = format!("env > variables; exec {} {bot}", own.display());
        let event = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\n{DRAW_SECRET}\n\
             [service]\naddress = 'http://{}'\n{runner}\n\
             [[bot]]\nname = 'ann'\nbuiltin = 'random'\n{ann}\n\
             [[bot]]\nname = 'bob'\ncommand = ['sh', '-c', '{script}']\n{bob}\n",
            service.address()
        );
        fs::write(self.path().join("cup.toml"), event).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"));
        command
            .args(["run", "cup.toml"])
            .current_dir(self.path())
            .env_remove("RUNNERS_TOKEN");
        if self.tokens.iter().any(|token| token.0 == "runner") {
            command.env("RUNNERS_TOKEN", self.secret("runner"));
        }
        let address = service.address().to_string();
        let output = command.output().await.unwrap();
        service.stop().await;
        let said = String::from_utf8(output.stderr).unwrap();
        (
            output.status.code().unwrap(),
            said.replace(&address, "ADDRESS"),
        )
    }
}

/// The files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text) {
            found.push(path);
        }
    }
    found
}

const KEYS: [&str; 3] = [
    "token_env = 'RUNNERS_TOKEN'",
    "token_file = 'ann'",
    "token_file = 'bob'",
];

/// The first line, once the tokens are read.
const CONNECTING: &str = "connecting to http://ADDRESS\n";

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_played_with_issued_tokens_and_continues_with_newer_ones() {
    let mut place = Place::new(&[("runner", RUNNER), ("ann", BOT), ("bob", BOT)]).await;
    let (code, said) = place.run(KEYS).await;
    assert_eq!((code, said.lines().count()), (0, 5), "{said}");
    assert!(said.starts_with(CONNECTING), "{said}");

    let run = place.path().join("runs/cup");
    for name in ["runner", "ann", "bob"] {
        let found = files_with(&run, place.secret(name));
        assert!(found.is_empty(), "{name}: {found:?}");
    }
    let variables = fs::read_to_string(place.path().join("variables")).unwrap();
    let token = format!("DRAGONTOOTH_TOKEN={}", place.secret("bob"));
    assert!(variables.lines().any(|line| line == token));
    let own = [
        "PATH", "HOME", "LANG", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_",
    ];
    for line in variables.lines() {
        let (name, _) = line.split_once('=').unwrap();
        let is_own = own.contains(&name) || name.starts_with("DRAGONTOOTH_");
        assert!(is_own, "{line}");
    }
    assert!(!variables.contains(place.secret("runner")));

    // The last match is missing: it turns out to be over, as a match of the same players.
    let results = run.join("results.jsonl");
    let before = fs::read_to_string(&results).unwrap();
    let first = before.split_inclusive('\n').next().unwrap();
    fs::write(&results, first).unwrap();
    // A killed runner does not record that it has played, and has sealed what was there before.
    fs::remove_file(run.join("sessions.jsonl")).unwrap();
    Seal::write(&run).unwrap();
    for (name, scopes) in [("runner", RUNNER), ("ann", BOT), ("bob", BOT)] {
        place.revoke(name).await;
        place.issue(name, scopes).await;
    }
    let (code, said) = place.run(KEYS).await;
    assert_eq!(code, 0, "{said}");
    let after = fs::read_to_string(&results).unwrap();
    assert_eq!(after, before);
}

/// The ids of the matches in the results of a run.
fn match_ids(run: &Path) -> Vec<String> {
    let results = fs::read_to_string(run.join("results.jsonl")).unwrap();
    let results = results.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["match_id"].as_str().unwrap().to_owned()
    });
    results.collect()
}

/// The same draws, by the same players, under the same token.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_repeated_in_another_folder_plays_matches_of_its_own() {
    let place = Place::new(&[("runner", RUNNER), ("ann", BOT), ("bob", BOT)]).await;
    let (run, first) = (place.path().join("runs/cup"), place.path().join("first"));
    let (code, said) = place.run(KEYS).await;
    assert_eq!(code, 0, "{said}");
    fs::rename(&run, &first).unwrap();
    let (code, said) = place.run(KEYS).await;
    assert_eq!(code, 0, "{said}");
    let (before, after) = (match_ids(&first), match_ids(&run));
    assert_eq!((before.len(), after.len()), (2, 2));
    assert!(before.iter().all(|id| !after.contains(id)), "{after:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_an_earlier_version_goes_on_with_its_requests() {
    let place = Place::new(&[("runner", RUNNER), ("ann", BOT), ("bob", BOT)]).await;
    let (run, later) = (place.path().join("runs/cup"), place.path().join("later"));
    place.run(KEYS).await;
    fs::rename(&run, &later).unwrap();
    let manifest = fs::read_to_string(later.join("event.json")).unwrap();
    let without_id = manifest.lines().filter(|line| !line.contains("\"id\""));
    let without_id: Vec<&str> = without_id.collect();
    fs::create_dir(&run).unwrap();
    fs::write(run.join("event.json"), without_id.join("\n")).unwrap();
    fs::copy(later.join("draw_secret"), run.join("draw_secret")).unwrap();
    let (code, said) = place.run(KEYS).await;
    assert_eq!(code, 0, "{said}");
    assert!(!match_ids(&run).contains(&match_ids(&later)[0]));

    // In Python: uuid5(uuid5(NAMESPACE, "seed 1"), "match cup/c1/r1/p1/m1"), with the namespace of `ids.rs`.
    let request_id = "626c34fd-b72c-53aa-8d74-211cece99848";
    let service = place.serve().await;
    let address = format!("http://{}", service.address()).parse().unwrap();
    let token = Token::new(place.secret("runner")).unwrap();
    let client = Client::connect_lazily(&address, &token).unwrap();
    let again = NewMatch {
        request_id: Some(request_id.parse().unwrap()),
        ..NewMatch::new("linja", 1)
    };
    let refused = client.create_match(again).await.unwrap_err();
    assert_eq!(refused.reason(), Some(&Reason::RequestIdReused));
    service.stop().await;
}

/// The file's names are those of the event, whatever the identities are called.
#[tokio::test(flavor = "multi_thread")]
async fn seats_have_the_names_of_the_identities_and_results_those_of_the_file() {
    let tokens: &[(&str, &[Scope])] = &[("runner", RUNNER), ("bob", BOT), ("team 2", BOT)];
    let place = Place::new(tokens).await;
    let keys = [KEYS[0], "token_file = 'bob'", "token_file = 'team 2'"];
    let (code, said) = place.run(keys).await;
    assert_eq!((code, said.lines().count()), (0, 5), "{said}");
    assert!(said.starts_with(CONNECTING), "{said}");
    let results = place.path().join("runs/cup/results.jsonl");
    let results = fs::read_to_string(results).unwrap();
    assert!(results.contains("\"ann\"") && results.contains("\"bob\""));
    assert!(!results.contains("team 2"), "{results}");

    let service = place.serve().await;
    let address = format!("http://{}", service.address()).parse().unwrap();
    let token = Token::new(place.secret("runner")).unwrap();
    let client = Client::connect_lazily(&address, &token).unwrap();
    let listed = client.list_matches(MatchFilter::default(), None);
    let matches = listed.await.unwrap().items;
    assert!(!matches.is_empty());
    for view in matches {
        let mut names = Seat::BOTH.map(|seat| view.seat(seat).name.clone());
        names.sort();
        assert_eq!(names, ["bob", "team 2"]);
        assert!(Seat::BOTH.iter().all(|seat| view.seat(*seat).name_verified));
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_reported_with_its_bot_and_key() {
    let tokens: &[(&str, &[Scope])] = &[
        ("runner", RUNNER),
        ("ann", BOT),
        ("bob", BOT),
        ("watcher", &[Scope::Watch]),
        ("gone", BOT),
    ];
    let place = Place::new(tokens).await;
    place.revoke("gone").await;
    let other = Place::new(&[("unknown", BOT)]).await;
    let unknown = place.path().join("unknown");
    fs::write(unknown, other.secret("unknown")).unwrap();
    fs::write(place.path().join("two"), "two words that are no token").unwrap();

    let [runner, ann, bob] = KEYS;
    let cases = [
        (
            ["", ann, bob],
            "the service at http://ADDRESS refuses the token of the runner (its own: service names no \
             issued one by token_env or token_file): ",
        ),
        (
            [runner, "", bob],
            "the service at http://ADDRESS refuses the token of the bot ann (its own: bot[1] names no \
             issued one by token_env or token_file): ",
        ),
        (
            [runner, ann, "token_file = 'unknown'"],
            "the service at http://ADDRESS refuses the token of the bot bob (bot[2].token_file): ",
        ),
        (
            [runner, "token_file = 'gone'", bob],
            "the service at http://ADDRESS refuses the token of the bot ann (bot[1].token_file): ",
        ),
        (
            [runner, ann, "token_file = 'watcher'"],
            "the token of the bot bob (bot[2].token_file) lacks the scope play\n",
        ),
        (
            ["token_file = 'watcher'", ann, bob],
            "the token of the runner (service.token_file) lacks the scope create\n",
        ),
        (
            [runner, ann, "token_file = 'ann'"],
            "the token of the bot bob (bot[2].token_file) stands for the same player as the \
             token of the bot ann (bot[1].token_file): each bot needs an identity of its own\n",
        ),
        (
            [runner, "token_env = 'NOBODYS_TOKEN'", bob],
            "bot[1].token_env: the environment variable NOBODYS_TOKEN is not set\n",
        ),
        (
            [runner, "token_file = 'nowhere'", bob],
            "bot[1].token_file: the file nowhere cannot be read: ",
        ),
        (
            [runner, "token_file = 'two'", bob],
            "bot[1].token_file: what is found there is no token: ",
        ),
    ];
    for (keys, expected) in cases {
        let (code, said) = place.run(keys).await;
        // The tokens are read before anything else.
        let is_read = !expected.starts_with("bot[1].");
        let connecting = if is_read { CONNECTING } else { "" };
        let expected = format!("{connecting}dragontooth-runner: {expected}");
        assert!(said.starts_with(&expected), "{keys:?}: {said}");
        let lines = 1 + usize::from(is_read);
        assert_eq!((code, said.lines().count()), (3, lines), "{keys:?}: {said}");
        let secrets = place.tokens.iter().chain(&other.tokens);
        assert!(!secrets.into_iter().any(|token| said.contains(&token.2)));
    }
}
