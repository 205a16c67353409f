//! `dragontooth-bot stdio` on a real service.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use dragontooth_service::{Config, Service, Storage};
use dragontooth_service_client::{Client, MatchView, Token};
use dragontooth_service_vocabulary::{NewMatch, Stage, Termination};

use super::{FIRST, left_of, script};

/// Saves its input in a file beside it.
fn with_ears(engine: &Path) {
    let text = fs::read_to_string(engine).unwrap();
    let text = text.replacen(
        "while read -r line; do",
        "while read -r line; do printf '%s\\n' \"$line\" >> \"$0.heard\";",
        1,
    );
    fs::write(engine, text).unwrap();
}

/// The input of an engine in this folder.
fn heard(folder: &tempfile::TempDir) -> Vec<serde_json::Value> {
    let heard = fs::read_to_string(folder.path().join("engine.heard")).unwrap();
    heard
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A service, and a client that creates a match for an engine and a built-in bot.
struct Place {
    service: Service,
    client: Client,
}

const ENGINE_TOKEN: &str = "the-token-of-the-engine";
const BOT_TOKEN: &str = "the-token-of-the-built-in-bot";
const LIMIT: Duration = Duration::from_secs(30);

impl Place {
    async fn new() -> Self {
        let service = Service::start(Config {
            listen: ([127, 0, 0, 1], 0).into(),
            storage: Storage::Memory,
            ..Config::default()
        });
        let service = service.await.unwrap();
        let address = format!("http://{}", service.address()).parse().unwrap();
        let token = Token::new("the-token-of-the-organiser").unwrap();
        let client = Client::connect(&address, &token).await.unwrap();
        Self { service, client }
    }

    fn bot(&self, command: &str, token: &str) -> Command {
        let mut bot = Command::new(env!("CARGO_BIN_EXE_dragontooth-bot"));
        let server = format!("http://{}", self.service.address());
        bot.args([command, "--server", &server, "--token", token])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        bot
    }

    /// Creates a match for both and starts them; the engine has the second seat.
    async fn play(&self, engine: &Path, new: NewMatch) -> (MatchView, Child, Child) {
        let created = self.client.create_match(new).await.unwrap();
        let id = created.id.to_string();
        let mut bot = self.bot("play", BOT_TOKEN);
        bot.args(["--bot", "random", "--seat", "first", "--match", &id]);
        let mut bridge = self.bot("stdio", ENGINE_TOKEN);
        bridge.args(["--seat", "second", "--processes", "1", "--match", &id]);
        bridge.arg("--").arg(engine);
        (created, bot.spawn().unwrap(), bridge.spawn().unwrap())
    }

    async fn ended(&self, created: &MatchView) -> MatchView {
        let began = Instant::now();
        loop {
            let view = self.client.get_match(created.id).await.unwrap();
            if view.state == Stage::Ended {
                return view;
            }
            assert!(began.elapsed() < LIMIT, "{view:?}");
            tokio::task::yield_now().await;
        }
    }
}

fn said(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn kamisado(target: u32) -> NewMatch {
    NewMatch::new("kamisado", target)
}

/// The bot has its seat, whatever share of the seed it gave before.
#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_is_started_again_continues_its_match() {
    let place = Place::new().await;
    let created = place.client.create_match(kamisado(1)).await.unwrap();
    let earlier = place.client.with_token(&Token::new(BOT_TOKEN).unwrap());
    let share = Some("an earlier share".to_owned());
    let joined = earlier.join_match(created.id, Some(Seat::First), "earlier", share);
    joined.await.unwrap();
    let id = created.id.to_string();
    let bots = [BOT_TOKEN, ENGINE_TOKEN].map(|token| {
        let mut bot = place.bot("play", token);
        bot.args(["--bot", "random", "--match", &id]);
        bot.spawn().unwrap()
    });
    for bot in bots {
        let (code, said) = said(bot);
        assert_eq!(code, Some(0), "{said}");
    }
    let view = place.ended(&created).await;
    assert_eq!(view.seat(Seat::First).seed, "an earlier share");
    assert_eq!(view.seat(Seat::First).name, "earlier");
    place.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_played_and_expected_whole() {
    let place = Place::new().await;
    let folder = tempfile::tempdir().unwrap();
    let cases = FIRST.replace("\"match\":\"m\"", "\"match\":\"'\"$match\"'\"");
    let cases = cases.replace(
        "*'\"type\":\"go\"'*)",
        "*'\"type\":\"go\"'*) match=${line#*'\"match\":\"'}; match=${match%%'\"'*}\n",
    );
    let engine = script(&folder, &cases);
    with_ears(&engine);
    let (created, bot, bridge) = place.play(&engine, kamisado(3)).await;
    let view = place.ended(&created).await;
    let (code, expected) = said(bridge);
    assert_eq!(code, Some(0), "{expected}");
    assert!(expected.contains("engine sh: plays kamisado"), "{expected}");
    said(bot);
    assert_eq!(view.outcome.unwrap().termination, Termination::Normal);
    // The engine received all events of the match, in order.
    let heard = heard(&folder);
    let steps: Vec<String> = heard
        .iter()
        .filter_map(|message| message["steps"].as_array())
        .flatten()
        .map(|step| step["action"].as_str().unwrap_or("--").to_owned())
        .collect();
    let record = place.client.export_match(created.id, None).await.unwrap();
    let played: Vec<&str> = record
        .text
        .lines()
        .filter(|line| line.starts_with(' '))
        .flat_map(|line| line.split_whitespace())
        .filter(|word| !word.ends_with('.') && *word != "first" && *word != "second")
        .collect();
    let expected_of: Vec<&str> = steps.iter().map(String::as_str).collect();
    assert_eq!(played, expected_of, "{}", record.text);
    let count = |kind: &str| heard.iter().filter(|each| each["type"] == kind).count();
    let games = usize::try_from(view.game_number).unwrap();
    assert_eq!((count("newgame"), count("gameover")), (games, games));
    let last = heard
        .iter()
        .rev()
        .find(|each| each["type"] == "matchover")
        .unwrap();
    assert_eq!(last["termination"], "normal");
    place.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_gives_up_or_fails_is_expected_how_the_match_ended() {
    let place = Place::new().await;
    for (answer, expected) in [
        (r#""type":"resign""#, 0),
        (r#""type":"bestaction","action":"a1a1""#, 6),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let cases = r#"*'"type":"go"'*) match=${line#*'"match":"'}; match=${match%%'"'*}
  say '{ANSWER,"match":"'"$match"'","decision":'"$decision"'}';;
"#;
        let engine = script(&folder, &cases.replace("ANSWER", answer));
        with_ears(&engine);
        let (created, bot, bridge) = place.play(&engine, kamisado(1)).await;
        place.ended(&created).await;
        let (code, log) = said(bridge);
        assert_eq!(code, Some(expected), "{log}");
        said(bot);
        let heard = heard(&folder);
        let is_over = |message: &&serde_json::Value| message["type"] == "matchover";
        let over: Vec<_> = heard.iter().filter(is_over).collect();
        assert_eq!(over.len(), 1, "{heard:?}");
        assert_eq!(
            (&over[0]["termination"], &over[0]["winner"]),
            (&"resignation".into(), &"first".into())
        );
    }
    place.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_fails_resigns_and_its_author_is_expected_why() {
    let place = Place::new().await;
    for (cases, expected) in [
        (
            "*'\"type\":\"go\"'*) exit 9;;\n",
            "its program ended: exit status: 9",
        ),
        (
            "*'\"type\":\"go\"'*) yes garbage;;\n",
            "lines were refused; last line: \"garbage\"",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = script(&folder, cases);
        let (created, bot, bridge) = place.play(&engine, kamisado(1)).await;
        let outcome = place.ended(&created).await.outcome.unwrap();
        assert_eq!(outcome.termination, Termination::Resignation);
        let failure = outcome.failure.unwrap();
        assert!(failure.to_string().contains(expected), "{failure}");
        let (code, log) = said(bridge);
        assert_eq!(code, Some(6), "{log}");
        assert!(log.contains(expected), "{log}");
        said(bot);
    }
    place.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_hangs_loses_by_its_clock() {
    let place = Place::new().await;
    let folder = tempfile::tempdir().unwrap();
    let engine = script(&folder, "*'\"type\":\"go\"'*) sleep 1000;;\n");
    let control = dragontooth_service_vocabulary::TimeControl::PerAction {
        limit: Duration::from_millis(300),
    };
    let new = NewMatch {
        time_controls: [Some(control); 2],
        ..kamisado(1)
    };
    let (created, bot, bridge) = place.play(&engine, new).await;
    let view = place.ended(&created).await;
    assert_eq!(view.outcome.unwrap().termination, Termination::Timeout);
    let (code, log) = said(bridge);
    assert_eq!(code, Some(0), "{log}");
    said(bot);
    place.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_cannot_be_used_ends_the_bridge_at_once() {
    let place = Place::new().await;
    for (engine, expected) in [
        (
            "/nonexistent/engine",
            "cannot be started: /nonexistent/engine: ",
        ),
        (
            "/bin/true",
            "it ended before it said hello (exit status: 0)",
        ),
    ] {
        let mut bridge = place.bot("stdio", ENGINE_TOKEN);
        let (code, log) = said(bridge.arg("--").arg(engine).spawn().unwrap());
        assert_eq!(code, Some(6), "{log}");
        assert!(log.contains(expected), "{log}");
    }
    place.service.stop().await;
}

/// It would wait for invitations that never come.
#[test]
fn an_engine_whose_games_nobody_knows_ends_the_bridge_at_once() {
    for (games, other, code, expected) in [
        (
            r#"["chess","go"]"#,
            None,
            2,
            "sh plays no game that this program knows; it knows kamisado, ",
        ),
        (r#"["chess","kamisado"]"#, None, 3, "game=\"chess\""),
        // The service may know it.
        (
            r#"["chess"]"#,
            Some("01a1fc3c-aedb-72bf-a6a9-1b1e3e017cec"),
            3,
            "game=\"chess\"",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = script(&folder, FIRST);
        let text = fs::read_to_string(&engine).unwrap();
        fs::write(&engine, text.replacen(r#"["kamisado"]"#, games, 1)).unwrap();
        let mut bridge = Command::new(env!("CARGO_BIN_EXE_dragontooth-bot"));
        bridge
            .args(["stdio", "--server", "http://127.0.0.1:1"])
            .args(["--token", ENGINE_TOKEN, "--wait", "0s", "--processes", "1"])
            .args(other.map(|id| format!("--match={id}")))
            .arg("--")
            .arg(&engine)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (ended, said) = said(bridge.spawn().unwrap());
        assert_eq!(ended, Some(code), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

/// An engine may take a while and a lot of memory to start.
#[test]
fn as_many_engines_are_started_as_the_matches_need() {
    for (matches, expected) in [
        (None, 3),
        (Some("--matches=2"), 2),
        (Some("--matches=9"), 3),
        (Some("--new=kamisado"), 1),
        (Some("--match=01a1fc3c-aedb-72bf-a6a9-1b1e3e017cec"), 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = script(&folder, FIRST);
        with_ears(&engine);
        let ended = Command::new(env!("CARGO_BIN_EXE_dragontooth-bot"))
            .args(["stdio", "--server", "http://127.0.0.1:1"])
            .args(["--token", ENGINE_TOKEN, "--wait", "0s", "--processes", "3"])
            .args(matches)
            .arg("--")
            .arg(&engine)
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{stderr}");
        let heard = heard(&folder);
        let started = heard.iter().filter(|line| line["type"] == "hello").count();
        assert_eq!(started, expected, "{matches:?}");
    }
}

/// The program supervises its engines, also after an upgrade has taken its file away.
#[test]
fn a_bridge_whose_file_is_gone_starts_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(&folder, FIRST);
    let own = folder.path().join("own");
    fs::copy(env!("CARGO_BIN_EXE_dragontooth-bot"), &own).unwrap();
    let start =
        "exec 3< \"$1\"; rm \"$1\"; engine=$2; shift 2; exec /proc/self/fd/3 \"$@\" -- \"$engine\"";
    let ended = Command::new("sh")
        .args(["-c", start, "sh"])
        .args([&own, &engine])
        .args(["stdio", "--server", "http://127.0.0.1:1"])
        .args(["--token", ENGINE_TOKEN, "--wait", "0s", "--processes", "1"])
        .output()
        .unwrap();
    let stdout = String::from_utf8(ended.stdout).unwrap();
    assert!(stdout.starts_with("engine sh: plays kamisado"), "{stdout}");
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{stderr}");
}

/// A bridge leaves nothing behind, whether it is stopped or killed.
#[tokio::test(flavor = "multi_thread")]
async fn no_engine_outlives_its_bridge() {
    let place = Place::new().await;
    for signal in ["-TERM", "-KILL"] {
        let folder = tempfile::tempdir().unwrap();
        // A variable that every engine gets.
        let mark = format!("TMPDIR={}", folder.path().display());
        let cases = "*'\"type\":\"quit\"'*) ;;\n";
        let engine = script(&folder, cases);
        let text = fs::read_to_string(&engine).unwrap();
        let text = text.replacen("#!/bin/sh\n", "#!/bin/sh\nsetsid sleep 1000 &\n", 1);
        fs::write(&engine, text).unwrap();
        let mut bridge = place.bot("stdio", ENGINE_TOKEN);
        let mut bridge = bridge
            .env("TMPDIR", folder.path())
            .arg("--")
            .arg(&engine)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(bridge.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().contains("engine sh"));
        assert!(left_of(&mark) > 2);
        let pid = bridge.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
        bridge.wait().unwrap();
        let began = Instant::now();
        while left_of(&mark) > 0 {
            assert!(began.elapsed() < LIMIT, "{signal}");
            std::thread::yield_now();
        }
    }
    place.service.stop().await;
}
