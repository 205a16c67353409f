//! Events with misbehaving bots, and bots that are not simply started.

use std::fs;
use std::future::pending;
use std::path::Path;
use std::time::{Duration, Instant};

use dragontooth_bots::builtin::BotSpec;
use dragontooth_bots::session::{Session, SessionOptions, ThinkingPool};
use dragontooth_service::{Service, Storage};
use dragontooth_service_client::{Client, PlayEvent, PlayOptions, Token};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command_line::{call, runner};
use crate::faults::write_program;
use crate::programs::becomes;
use crate::recorded::json_lines;

/// A folder with an event of a built-in bot `good` and another bot.
struct Place(tempfile::TempDir);

impl Place {
    fn new(event: &str, other: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let text = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\nconcurrency = 1\n{event}\n\
             [[bot]]\nname = 'good'\nbuiltin = 'random'\noptions = {{ seed = 5 }}\n\
             [[bot]]\nname = 'other'\n{other}\n"
        );
        fs::write(place.path().join("cup.toml"), text).unwrap();
        Self(place)
    }

    fn with_program(event: &str, keys: &str, script: &str) -> Self {
        let place = Self::new(event, &format!("command = ['./program']\n{keys}"));
        write_program(
            &place.path().join("program"),
            &format!("#!/bin/sh\n{script}\n"),
        );
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// An event of two programs that never connect: `crash` ends by itself, `hang` does not even end
    /// when asked to.
    fn with_absentees(event: &str, crash: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let text = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\nconcurrency = 1\n{event}\n\
             [[bot]]\nname = 'crash'\ncommand = ['./crash']\n\
             [[bot]]\nname = 'hang'\ncommand = ['./hang']\n"
        );
        fs::write(place.path().join("cup.toml"), text).unwrap();
        write_program(
            &place.path().join("crash"),
            &format!("#!/bin/sh\n{crash}\n"),
        );
        let hang = "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n";
        write_program(&place.path().join("hang"), hang);
        Self(place)
    }

    /// Runs the event. Returns the exit code and the results so far.
    fn run(&self, arguments: &[&str]) -> (i32, Vec<Value>) {
        let (code, ..) = call(self.path(), &[&["run", "cup.toml"], arguments].concat());
        let results = fs::read_to_string(self.path().join("runs/cup/results.jsonl"));
        (code, json_lines(&results.unwrap_or_default()))
    }
}

/// The kinds of the first faults, in the order in which the matches ended.
fn kinds(results: &[Value]) -> Vec<&str> {
    let kind = |result: &'_ Value| result["faults"][0]["kind"].as_str().map(str::len);
    assert!(
        results.iter().all(|result| kind(result).is_some()),
        "{results:?}"
    );
    let kinds = results
        .iter()
        .map(|result| result["faults"][0]["kind"].as_str());
    kinds.flatten().collect()
}

/// The bots with faults in a match and the kinds of the faults, by name.
fn faults(result: &Value) -> Vec<[&str; 2]> {
    let faults = result["faults"].as_array().unwrap().iter();
    let mut faults: Vec<[&str; 2]> = faults
        .map(|fault| ["bot", "kind"].map(|key| fault[key].as_str().unwrap()))
        .collect();
    faults.sort_unstable();
    faults
}

/// Returns true if `other` has lost everything.
fn lost_by_other(results: &[Value]) -> bool {
    results.iter().all(|result| {
        let winner = result["winner"].as_str().unwrap_or_default();
        result["bots"][winner] == "good"
    })
}

#[test]
fn a_strict_run_stops_at_the_first_fault() {
    let place = Place::with_program(
        "cycles = 3\n[limits]\nstart_failure = 'forfeit'",
        "",
        "exit 3",
    );
    let (code, results) = place.run(&["--strict"]);
    assert_eq!((code, kinds(&results)), (4, vec!["crash"]));
    let (code, results) = place.run(&["--strict"]);
    assert_eq!((code, results.len()), (4, 2), "only what is new counts");
    for _ in 0..3 {
        assert_eq!(place.run(&["--strict"]).0, 4);
    }
    let (code, results) = place.run(&["--strict"]);
    assert_eq!(
        (code, results.len()),
        (1, 6),
        "the last fault leaves nothing"
    );
}

#[test]
fn a_bot_with_too_many_faults_is_disabled() {
    let place = Place::with_program(
        "cycles = 3\n[limits]\nfaults = 2\nstart_failure = 'forfeit'",
        "",
        "exit 3",
    );
    let (code, results) = place.run(&["--strict"]);
    assert_eq!((code, results.len()), (4, 1));
    // The faults of earlier runs count.
    let (code, results) = place.run(&[]);
    assert_eq!(code, 1);
    let mut expected = vec!["crash"; 2];
    expected.extend(["disabled"; 4]);
    assert_eq!(kinds(&results), expected);
    assert!(lost_by_other(&results), "{results:?}");
}

#[test]
fn two_absent_bots_both_have_the_fault() {
    let event = "cycles = 2\n[limits]\njoin_ms = 500\nfaults = 1\nstart_failure = 'forfeit'";
    let place = Place::with_absentees(event, "sleep 0.2; exit 3");
    let (code, results) = place.run(&[]);
    assert_eq!((code, results.len()), (1, 4));
    for (at, result) in results.iter().enumerate() {
        assert_eq!(result["termination"], "aborted", "{result}");
        assert_eq!(result["winner"], Value::Null, "{result}");
        let expected = match at {
            0 => [["crash", "crash"], ["hang", "stall"]],
            _ => [["crash", "disabled"], ["hang", "disabled"]],
        };
        assert_eq!(faults(result), expected, "{result}");
    }
}

#[test]
fn a_disabled_bot_loses_to_an_absent_one() {
    // It is disabled before the other's time in the first match runs out.
    let limits = "[limits]\njoin_ms = 2000\nstart_failure = 'forfeit'";
    let place = Place::with_absentees(limits, "exit 3");
    let (code, results) = place.run(&[]);
    assert_eq!((code, results.len()), (1, 2));
    let [first, second] = &results[..] else {
        panic!("{results:?}")
    };
    assert_eq!(faults(first), [["crash", "crash"], ["hang", "stall"]]);
    assert_eq!(second["termination"], "disconnect", "{second}");
    let winner = second["winner"].as_str().unwrap();
    assert_eq!(second["bots"][winner], "hang", "{second}");
    let [crash, hang] = faults(second)[..] else {
        panic!("{second}")
    };
    assert_eq!((crash, hang[0]), (["crash", "crash"], "hang"));
}

#[test]
fn a_program_can_be_restarted_for_every_match() {
    let script = format!("echo started >> starts\n{}", becomes("random:seed=9"));
    let event = "cycles = 2\nconcurrency = 4";
    let event = event.replace("\nconcurrency = 4", "");
    let place = Place::with_program(&event, "restart = true", &script);
    let (code, results) = place.run(&["--concurrency", "4"]);
    assert_eq!((code, results.len()), (0, 4));
    let starts = fs::read_to_string(place.path().join("starts")).unwrap();
    // Once, and after every match. The last time only if the event is not over by then.
    assert!((4..=5).contains(&starts.lines().count()), "{starts}");
    let straight = Place::with_program(&event, "", &script);
    let (_, expected) = straight.run(&[]);
    let digests = |results: &[Value]| {
        let mut digests: Vec<(String, String)> = results
            .iter()
            .map(|result| (result["title"].to_string(), result["digest"].to_string()))
            .collect();
        digests.sort();
        digests
    };
    assert_eq!(digests(&results), digests(&expected));
    let starts = fs::read_to_string(straight.path().join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 1);
}

/// A program of one match, which is natural to write for `restart`.
#[test]
fn a_program_that_ends_after_its_match_plays_them_all() {
    let player = becomes("random:seed=9");
    let script = format!("echo started >> starts\nexport ONE_MATCH=yes\n{player}");
    let place = Place::with_program("cycles = 4", "restart = true", &script);
    let (code, results) = place.run(&[]);
    assert_eq!((code, results.len()), (0, 8), "{results:?}");
    let starts = fs::read_to_string(place.path().join("starts")).unwrap();
    assert!((8..=9).contains(&starts.lines().count()), "{starts}");
}

#[test]
fn a_program_that_crashes_in_every_match_is_given_up() {
    let script = "echo started >> starts\nexit 3";
    let event = "cycles = 10\n[limits]\nstart_failure = 'forfeit'";
    let place = Place::with_program(event, "restart = true", script);
    let (code, results) = place.run(&[]);
    assert_eq!((code, results.len()), (1, 20));
    assert_eq!(kinds(&results), vec!["crash"; 20]);
    let last = results[19]["faults"][0]["detail"].as_str().unwrap();
    assert!(last.contains("will not be started again"), "{last}");
    let starts = fs::read_to_string(place.path().join("starts")).unwrap();
    assert!(starts.lines().count() < 20, "{starts}");
}

/// A service, the runner's token there, and a player elsewhere.
struct Elsewhere {
    service: Service,
    runner: Token,
    client: Client,
    place: Place,
}

impl Elsewhere {
    async fn new() -> Self {
        let config = dragontooth_service::Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            storage: Storage::Memory,
            ..dragontooth_service::Config::default()
        };
        let service = Service::start(config).await.unwrap();
        let address = format!("http://{}", service.address());
        let client = Client::connect(&address.parse().unwrap(), &Token::random()).await;
        let client = client.unwrap();
        let player = client.who_am_i().await.unwrap();
        let event = format!(
            "[service]\naddress = '{address}'\ntoken_file = 'token'\n\
             [limits]\njoin_ms = 2000\nreplays = 2"
        );
        let place = Place::new(&event, &format!("player = '{player}'"));
        let runner = Token::random();
        fs::write(place.path().join("token"), runner.reveal()).unwrap();
        Self {
            service,
            runner,
            client,
            place,
        }
    }

    /// Has the player play like a program with this seed.
    fn play(client: Client) {
        let spec: BotSpec = "random:seed=9".parse().unwrap();
        let pool = ThinkingPool::of_the_machine().unwrap();
        let session = Session::new(client, pool, SessionOptions::default(), move |info| {
            Ok(spec.make(info)?)
        });
        // It ends with the service.
        tokio::task::spawn_blocking(move || {
            let _ = tokio::runtime::Handle::current().block_on(session.run(pending()));
        });
    }

    /// Runs the event and aborts the first matches, as any holder of the runner's token can. The
    /// player plays the others.
    async fn run(self, called_off: usize) -> (i32, Vec<Value>) {
        let creator = self.client.with_token(&self.runner);
        let client = self.client;
        tokio::spawn(async move {
            let mut session = client.play(PlayOptions::default()).await.unwrap();
            let mut left = called_off;
            while left > 0 {
                if let PlayEvent::Invitation(invitation) =
                    session.receiver.next().await.unwrap().unwrap()
                {
                    creator.abort_match(invitation.view.id, None).await.unwrap();
                    left -= 1;
                }
            }
            Self::play(client);
        });
        let place = self.place;
        let run = tokio::task::spawn_blocking(move || place.run(&[]));
        let ended = run.await.unwrap();
        self.service.stop().await;
        ended
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_player_takes_part() {
    let (code, results) = Elsewhere::new().await.run(0).await;
    assert_eq!((code, results.len()), (0, 2), "{results:?}");
}

/// Lets a stopped process continue once one of its children has ended; after some seconds in any case.
fn continue_after_an_end(process: Pid) {
    let own = process.as_raw_pid().to_string();
    let has_ended = |entry: fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        Some(fields.next()? == "Z" && fields.next()? == own)
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        let mut processes = fs::read_dir("/proc").unwrap().flatten();
        if processes.any(|entry| has_ended(entry) == Some(true)) {
            break;
        }
        std::thread::yield_now();
    }
    kill_process(process, Signal::CONT).unwrap();
}

/// The runner is stopped during each match until the program has ended, so that it knows of that before it knows that the
/// match is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_before_its_match_is_known_to_be_over_plays_the_next() {
    let elsewhere = Elsewhere::new().await;
    let address = format!("http://{}", elsewhere.service.address());
    let player = elsewhere.client.who_am_i().await.unwrap();
    let script = format!(
        "#!/bin/sh\necho started >> starts\nexport ONE_MATCH=yes\n{}\n",
        becomes("random:seed=9")
    );
    let text = format!(
        "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\ncycles = 4\nconcurrency = 1\n\
         [service]\naddress = '{address}'\ntoken_file = 'token'\n\
         [[bot]]\nname = 'one'\ncommand = ['./program']\nrestart = true\n\
         [[bot]]\nname = 'other'\nplayer = '{player}'\n"
    );
    let place = elsewhere.place;
    write_program(&place.path().join("program"), &script);
    fs::write(place.path().join("cup.toml"), text).unwrap();
    let mut command = runner(place.path(), &["run", "cup.toml"]);
    let mut runner = command.spawn().unwrap();
    let process = Pid::from_child(&runner);
    let spec: BotSpec = "random:seed=5".parse().unwrap();
    let pool = ThinkingPool::of_the_machine().unwrap();
    let options = SessionOptions::default();
    let session = Session::new(elsewhere.client, pool, options, move |info| {
        kill_process(process, Signal::STOP).unwrap();
        std::thread::spawn(move || continue_after_an_end(process));
        Ok(spec.make(info)?)
    });
    let run = tokio::task::spawn_blocking(move || runner.wait().unwrap());
    let ended = tokio::select! {
        ended = run => ended.unwrap(),
        ended = session.run(pending()) => panic!("{ended:?}"),
    };
    assert_eq!(ended.code(), Some(0));
    let starts = fs::read_to_string(place.path().join("starts")).unwrap();
    assert!((8..=9).contains(&starts.lines().count()), "{starts}");
    elsewhere.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_absent_remote_player_loses() {
    let elsewhere = Elsewhere::new().await;
    let place = elsewhere.place;
    let (code, results) = tokio::task::spawn_blocking(move || place.run(&[]))
        .await
        .unwrap();
    assert_eq!((code, kinds(&results)), (1, vec!["stall"; 2]));
    assert!(lost_by_other(&results), "{results:?}");
    assert_eq!(results[0]["termination"], "disconnect");
    elsewhere.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_player_that_blocks_the_runner_loses() {
    let elsewhere = Elsewhere::new().await;
    let runner = elsewhere.client.with_token(&elsewhere.runner);
    let runner = runner.who_am_i().await.unwrap();
    elsewhere.client.block_player(runner).await.unwrap();
    let place = elsewhere.place;
    let (code, results) = tokio::task::spawn_blocking(move || place.run(&[]))
        .await
        .unwrap();
    assert_eq!((code, kinds(&results)), (1, vec!["stall"; 2]));
    assert!(lost_by_other(&results), "{results:?}");
    assert_eq!(results[0]["termination"], "disconnect");
    elsewhere.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_player_that_declines_loses() {
    let elsewhere = Elsewhere::new().await;
    let client = elsewhere.client;
    tokio::spawn(async move {
        let mut session = client.play(PlayOptions::default()).await.unwrap();
        while let Some(Ok(event)) = session.receiver.next().await {
            if let PlayEvent::Invitation(invitation) = event {
                let reason = "busy".parse().ok();
                let declined = client.decline_invitation(invitation.view.id, reason, None);
                declined.await.unwrap();
            }
        }
    });
    let place = elsewhere.place;
    let (code, results) = tokio::task::spawn_blocking(move || place.run(&[]))
        .await
        .unwrap();
    assert_eq!((code, kinds(&results)), (1, vec!["abort"; 2]));
    assert!(lost_by_other(&results), "{results:?}");
    let detail = results[0]["faults"][0]["detail"].as_str();
    assert_eq!(detail, Some("it declined the match: busy"));
    elsewhere.service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_aborted_without_a_fault_is_played_again() {
    let (_, straight) = Elsewhere::new().await.run(0).await;
    let (code, results) = Elsewhere::new().await.run(2).await;
    assert_eq!((code, results.len()), (0, 2), "{results:?}");
    assert_eq!(results[0]["replays"], 2);
    assert_eq!(results[1].get("replays"), None);
    // They are the matches that would have been played anyway.
    for (result, expected) in results.iter().zip(&straight) {
        assert_eq!(result["digest"], expected["digest"]);
        assert!(result["digest"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_aborted_too_often_is_void() {
    let (code, results) = Elsewhere::new().await.run(3).await;
    assert_eq!((code, results.len()), (1, 2));
    assert_eq!(results[0]["replays"], 2);
    assert_eq!(results[0]["termination"], "aborted");
    assert_eq!(results[0]["faults"], Value::Array(Vec::new()));
    assert_eq!(results[1]["termination"], "normal");
}
