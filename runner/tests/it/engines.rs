//! Bots that speak over standard input and output: see `docs/stdio.md`. Most misbehave on purpose.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command_line::runner;
use crate::faults::write_program;
use crate::recorded::json_lines;

/// Extra time for a match beyond the limits: the grace period and what a slow machine needs.
const MARGIN: Duration = Duration::from_secs(6);

/// The cases of a script that sends hello and ready.
const POLITE: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do case "$line" in
*'"type":"hello"'*) say '{"type":"hello","protocol":1,"name":"sh","games":["kamisado"],"legal":true}';;
*'"type":"isready"'*) say '{"type":"readyok"}';;
*'"type":"quit"'*) exit 0;;
*'"type":"position"'*) action=${line#*'"legal":["'}; action=${action%%'"'*};
  decision=${line#*'"decision":'}; decision=${decision%%,*};
  match=${line#*'"match":"'}; match=${match%%'"'*};;
"#;

/// The case that plays the first legal action.
const FIRST: &str = r#"*'"type":"go"'*)
  say '{"type":"bestaction","match":"'"$match"'","decision":'"$decision"',"action":"'"$action"'"}';;
"#;

/// A folder with an event of a built-in bot and the engine `bad`, a script.
struct Place(tempfile::TempDir);

impl Place {
    fn new(script: &str, service: &str, event: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write_program(&folder.path().join("bad"), script);
        let text = format!(
            "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\nconcurrency = 1\n{event}\n\
             [service]\n{service}\n[limits]\njoin_ms = 5000\ndecision_ms = 400\n\
             [[bot]]\nname = 'good'\nbuiltin = 'random'\n\
             [[bot]]\nname = 'bad'\ncommand = ['./bad']\nprotocol = 'stdio'\n"
        );
        fs::write(folder.path().join("cup.toml"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        runner(self.path(), arguments)
    }

    fn runner(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn results(&self) -> Vec<Value> {
        lines(&self.path().join("runs/cup/results.jsonl"))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path().join("runs/cup/logs/bad.log")).unwrap_or_default()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    json_lines(&text)
}

fn said(output: &Output) -> String {
    let bytes = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&bytes).into_owned()
}

const SERVICES: [&str; 2] = ["direct = true", "embedded = true"];
const CLOCK: &str = "time_control = { per_action_ms = 400 }";

#[test]
fn an_engine_plays_the_same_with_a_service_and_without() {
    let script = format!("{POLITE}{FIRST}esac; done\n");
    let mut played = Vec::new();
    for service in SERVICES {
        let place = Place::new(&script, service, "cycles = 2");
        let run = place.runner(&["run", "cup.toml"]);
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        let results = place.results();
        assert_eq!(results.len(), 4);
        let digests = results.iter().map(|result| result["digest"].clone());
        let mut digests: Vec<String> = digests.map(|digest| digest.to_string()).collect();
        digests.sort();
        played.push(digests);
        let verified = place.runner(&["verify", "runs/cup"]);
        assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
        let title = results[0]["title"].as_str().unwrap();
        let replayed = place.runner(&["replay", "runs/cup", title]);
        assert!(
            said(&replayed).contains("as recorded"),
            "{}",
            said(&replayed)
        );
        let ends = lines(&place.path().join("runs/cup/logs/programs.jsonl"));
        assert_eq!(ends.len(), 1, "{ends:?}");
        assert_eq!(ends[0]["status"], "exit status: 0");
    }
    assert_eq!(played[0], played[1]);
}

/// The processors on which an engine may run, as it finds them.
const ALLOWED: &str = "Cpus_allowed_list:";

#[test]
fn an_engine_keeps_to_the_processor_of_its_match() {
    let script = format!("{POLITE}{FIRST}esac; done\n");
    let script = script.replacen(
        '\n',
        &format!("\ngrep {ALLOWED} /proc/self/status >&2\n"),
        1,
    );
    let of_tests = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = |text: &str| -> String {
        let line = text.lines().find_map(|line| line.strip_prefix(ALLOWED));
        line.unwrap_or_else(|| panic!("{text}")).trim().to_owned()
    };
    let of_tests = allowed(&of_tests);
    let first = of_tests.split([',', '-']).next().unwrap();
    let mut played = Vec::new();
    for (event, expected) in [("", &of_tests[..]), ("affinity = true", first)] {
        let place = Place::new(&script, "direct = true", event);
        let run = place.runner(&["run", "cup.toml"]);
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        assert_eq!(allowed(&place.log()), expected);
        let results = place.results();
        let digests = results.iter().map(|result| result["digest"].clone());
        played.push(digests.collect::<Vec<_>>());
    }
    assert_eq!(played[0].len(), 2);
    assert_eq!(played[0], played[1]);

    let place = Place::new(&script, "embedded = true", "affinity = true");
    let run = place.runner(&["run", "cup.toml"]);
    let refusal = "event.affinity: is for matches without a service";
    assert!(said(&run).contains(refusal), "{}", said(&run));
    let place = Place::new(&script, "direct = true", "affinity = true");
    let run = place.runner(&["run", "cup.toml", "--concurrency", "1024"]);
    let refusal = "not 1024: lower event.concurrency";
    assert!(said(&run).contains(refusal), "{}", said(&run));
}

/// Each mistake costs the match, with or without a service, and is reported by its name.
#[test]
fn an_engines_faults_cost_the_match_and_have_names() {
    for (event, what, kind, told) in [
        ("", "exit 9;;", "crash", "its program ended: exit status: 9"),
        ("", "sleep 1000;;", "stall", "it did nothing for 0.4 s"),
        (CLOCK, "sleep 1000;;", "time", "its clock ran out"),
        (
            "",
            "yes garbage;;",
            "protocol",
            "lines were refused; last line: \"garbage\"",
        ),
        (
            "",
            "tr '\\0' x < /dev/zero;;",
            "protocol",
            "a line of more than 65536 bytes",
        ),
        (
            "",
            r#"say '{"type":"bestaction","match":"'"$match"'","decision":'"$decision"',"action":"a1a1"}';;"#,
            "illegal",
            "it played \"a1a1\"",
        ),
    ] {
        for service in SERVICES {
            let script = format!("{POLITE}*'\"type\":\"go\"'*) {what}\nesac; done\n");
            let place = Place::new(&script, service, event);
            let began = Instant::now();
            let run = place.runner(&["run", "cup.toml"]);
            let took = began.elapsed();
            assert_eq!(run.status.code(), Some(1), "{}", said(&run));
            let results = place.results();
            assert_eq!(results.len(), 2, "{}", said(&run));
            for result in &results {
                let fault = &result["faults"][0];
                assert_eq!(fault["kind"], kind, "{service}: {result}");
                assert_eq!(fault["bot"], "bad", "{result}");
                let detail = fault["detail"].as_str().unwrap();
                assert!(detail.contains(told), "{result}");
                // Said once, and nothing of further actions in a match that is lost.
                assert_eq!(
                    detail.matches("a1a1").count(),
                    usize::from(kind == "illegal"),
                    "{result}"
                );
                assert!(!detail.contains("more illegal"), "{result}");
                let winner = result["winner"].as_str().unwrap();
                assert_eq!(result["bots"][winner], "good", "{result}");
            }
            assert!(took < 2 * MARGIN, "{service} {kind}: {took:?}");
            if kind != "time" && kind != "stall" {
                assert!(place.log().contains(told), "{}", place.log());
            }
            let verified = place.runner(&["verify", "runs/cup"]);
            assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
        }
    }
}

/// When the runner was killed in the middle of a match, the clock of its next action does not run while the engine starts,
/// even if that takes longer than the action may.
#[test]
fn the_start_of_an_engine_costs_a_resumed_match_no_time() {
    let kill =
        "if [ ! -e killed ]; then : > killed; until [ -s pid ]; do :; done; kill -9 $(cat pid); fi";
    let start = "[ ! -e killed ] || sleep 1";
    let script = format!("{POLITE}{FIRST}esac; done\n")
        .replace("#!/bin/sh", &format!("#!/bin/sh\n{start}"))
        .replace(
            "*'\"type\":\"go\"'*)",
            &format!("*'\"type\":\"go\"'*) {kill}"),
        );
    let place = Place::new(&script, "embedded = true", CLOCK);
    let file = place.path().join("cup.toml");
    // In a namespace it could not kill the runner.
    let event = fs::read_to_string(&file).unwrap() + "namespace = false\n";
    fs::write(&file, event).unwrap();
    let mut runner = place.command(&["run", "cup.toml"]);
    let mut runner = runner.stderr(Stdio::null()).spawn().unwrap();
    fs::write(place.path().join("pid"), runner.id().to_string()).unwrap();
    assert_eq!(runner.wait().unwrap().signal(), Some(9));
    assert_eq!(place.results(), [] as [Value; 0]);

    let run = place.runner(&["run", "cup.toml"]);
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    assert_eq!(place.results().len(), 2, "{}", said(&run));
}

/// Nor does a later start: of an engine that plays one match, or after a fault. No clock runs before the seat is taken.
#[test]
fn the_start_of_an_engine_costs_no_match_time() {
    let dies = "*'\"type\":\"go\"'*) [ -e died ] || { : > died; exit 9; };";
    for (key, go, concurrency, faults) in [
        ("restart = true", "*'\"type\":\"go\"'*)", "1", 0),
        ("restart = true", "*'\"type\":\"go\"'*)", "2", 0),
        ("", dies, "1", 1),
    ] {
        let script = format!("{POLITE}{FIRST}esac; done\n")
            .replace("#!/bin/sh", "#!/bin/sh\nsleep 1")
            .replace("*'\"type\":\"go\"'*)", go);
        let event = format!("cycles = 2\n{CLOCK}");
        let place = Place::new(&script, "embedded = true", &event);
        let file = place.path().join("cup.toml");
        let event = fs::read_to_string(&file).unwrap() + key;
        fs::write(&file, event).unwrap();
        let run = place.runner(&["run", "cup.toml", "--concurrency", concurrency]);
        let results = place.results();
        assert_eq!(results.len(), 4, "{}", said(&run));
        let found = results
            .iter()
            .flat_map(|result| result["faults"].as_array().unwrap());
        let kinds = found.map(|fault| &fault["kind"]).collect::<Vec<_>>();
        assert_eq!(kinds, vec!["crash"; faults], "{}", said(&run));
    }
}

/// The limits of programs apply to each program that a supervisor starts.
#[test]
fn an_engine_stays_within_its_limits() {
    let script = format!("{POLITE}*'\"type\":\"go\"'*) while :; do :; done;;\nesac; done\n");
    let place = Place::new(&script, "direct = true", "");
    let file = place.path().join("cup.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("decision_ms = 400", "decision_ms = 60000");
    fs::write(&file, format!("{text}cpu_s = 1\n")).unwrap();
    let run = place.runner(&["run", "cup.toml"]);
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    for result in place.results() {
        assert_eq!(result["faults"][0]["kind"], "resources", "{result}");
    }
    for end in lines(&place.path().join("runs/cup/logs/programs.jsonl")) {
        let exceeded = end["exceeded"].as_str().unwrap();
        assert!(exceeded.contains("1 s of processor time"), "{end}");
    }
}

#[test]
fn an_engine_may_give_up_without_a_fault() {
    let what = r#"say '{"type":"resign","match":"'"$match"'","decision":'"$decision"'}';;"#;
    for service in SERVICES {
        let script = format!("{POLITE}*'\"type\":\"go\"'*) {what}\nesac; done\n");
        let place = Place::new(&script, service, "");
        let run = place.runner(&["run", "cup.toml"]);
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        for result in place.results() {
            assert_eq!(result["termination"], "resignation", "{result}");
            assert_eq!(result["faults"].as_array().unwrap().len(), 0, "{result}");
        }
    }
}

#[test]
fn an_unusable_engine_ends_the_run_before_a_match() {
    for (script, told) in [
        (
            "#!/bin/sh\nexit 3\n",
            &["it ended before it said hello (exit status: 3)"][..],
        ),
        (
            "#!/bin/sh\nprintf '\\033[31mno such weights\\n' >&2\nexit 3\n",
            // Its supervisor's line may stand before or after its own.
            &[
                "the last lines of its log, runs/cup/logs/bad.log:\n",
                "dragontooth-runner:   \u{fffd}[31mno such weights\n",
            ],
        ),
        (
            "#!/bin/sh\nsleep 1000\n",
            &["it did not say hello within 5 s"],
        ),
        (
            "#!/bin/sh\necho '{\"type\":\"hello\",\"protocol\":1,\"name\":\"x\",\"games\":[\"linja\"]}'\nsleep 1000\n",
            &["it does not play kamisado, only linja"],
        ),
        (
            "print('no first line')\n",
            &["; a script needs a first line such as `#!/usr/bin/env python3`"],
        ),
    ] {
        for service in SERVICES {
            let place = Place::new(script, service, "");
            let run = place.runner(&["run", "cup.toml"]);
            assert_eq!(run.status.code(), Some(3), "{}", said(&run));
            for part in told {
                assert!(said(&run).contains(*part), "{}", said(&run));
            }
            assert!(said(&run).contains("bad"), "{}", said(&run));
            // An engine of another game starts, and is a mistake in the file.
            let next = said(&run).contains(
                "dragontooth-runner: with start_failure = \"forfeit\" in [limits] of the event file it loses its matches instead\n",
            );
            assert_eq!(
                next,
                told != ["it does not play kamisado, only linja"],
                "{}",
                said(&run)
            );
        }
    }
}

/// An engine that is slow to start holds nobody up who wants the run to end.
#[test]
fn a_signal_ends_a_run_whose_engines_are_starting() {
    let script = "#!/bin/sh\nexec 3>started\necho started >&3\nsleep 1000\n";
    for service in SERVICES {
        let place = Place::new(script, service, "");
        let file = place.path().join("cup.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("join_ms = 5000", "join_ms = 3600000")).unwrap();
        let started = place.path().join("started");
        let made = Command::new("mkfifo").arg(&started).status().unwrap();
        assert!(made.success());
        let mut command = place.command(&["run", "cup.toml"]);
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let run = run.spawn().unwrap();
        let mut started = BufReader::new(File::open(started).unwrap());
        started.read_line(&mut String::new()).unwrap();
        kill_process(Pid::from_child(&run), Signal::INT).unwrap();
        let run = run.wait_with_output().unwrap();
        assert_eq!(run.status.code(), Some(130), "{}", said(&run));
        assert!(said(&run).contains("interrupted"), "{}", said(&run));
        // The engine has ended when nobody can write any more.
        assert_eq!(started.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
}

/// The limit on faults applies wherever the matches are played.
#[test]
fn an_engine_with_too_many_faults_is_disabled() {
    let script = format!("{POLITE}*'\"type\":\"go\"'*) exit 9;;\nesac; done\n");
    let mut disabled = Vec::new();
    for service in SERVICES {
        let place = Place::new(&script, service, "cycles = 3");
        let file = place.path().join("cup.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("[limits]", "[limits]\nfaults = 2")).unwrap();
        let run = place.runner(&["run", "cup.toml"]);
        assert_eq!(run.status.code(), Some(1), "{}", said(&run));
        let results = place.results();
        let kinds = results.iter().map(|result| &result["faults"][0]["kind"]);
        let mut expected = vec!["crash"; 2];
        expected.extend(["disabled"; 4]);
        assert_eq!(kinds.collect::<Vec<_>>(), expected, "{service}");
        let verified = place.runner(&["verify", "runs/cup"]);
        assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
        let told = results[2..].iter().map(|result| {
            ["title", "winner", "termination", "faults"].map(|field| result[field].clone())
        });
        disabled.push(told.collect::<Vec<_>>());
    }
    assert_eq!(disabled[0], disabled[1]);
}

#[test]
fn no_restarts_without_a_service() {
    let place = Place::new("", "direct = true", "");
    let file = place.path().join("cup.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("decision_ms = 400", "replays = 2")).unwrap();
    let run = place.runner(&["run", "cup.toml"]);
    assert_eq!(run.status.code(), Some(2), "{}", said(&run));
    let told = "cup.toml:11:11: limits.replays: is for matches on a service";
    assert!(said(&run).contains(told), "{}", said(&run));
}

#[test]
fn an_engine_that_ends_too_often_is_not_restarted() {
    let script = format!("{POLITE}*'\"type\":\"go\"'*) exit 9;;\nesac; done\n");
    let place = Place::new(&script, "direct = true", "cycles = 4");
    let run = place.runner(&["run", "cup.toml"]);
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    let results = place.results();
    assert_eq!(results.len(), 8);
    let last = results[7]["faults"][0]["detail"].as_str().unwrap();
    assert!(
        last.contains("it ended 5 times and will not be started again"),
        "{last}"
    );
    let ends = lines(&place.path().join("runs/cup/logs/programs.jsonl"));
    assert_eq!(ends.len(), 5, "{ends:?}");
}

#[test]
fn engines_are_checked_before_an_event() {
    let place = Place::new(
        &format!("{POLITE}{FIRST}esac; done\n"),
        "direct = true",
        CLOCK,
    );
    let check = place.runner(&["check", "cup.toml"]);
    let text = said(&check);
    assert_eq!(check.status.code(), Some(0), "{text}");
    for trial in [
        "starts",
        "connects",
        "plays",
        "keeps its time",
        "ends when told",
    ] {
        assert!(text.contains(&format!("bad: {trial}")), "{text}");
    }
    let place = Place::new("#!/bin/sh\nexit 3\n", "direct = true", CLOCK);
    let check = place.runner(&["check", "cup.toml"]);
    assert_eq!(check.status.code(), Some(1), "{}", said(&check));
    assert!(
        said(&check).contains("it ended before it said hello"),
        "{}",
        said(&check)
    );
}

/// The example file for beginners can be played unchanged.
#[test]
fn the_example_of_a_tournament_is_played() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var("CI").is_err(), "python3 is missing");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let run = runner(
        &root,
        &["run", "deploy/tournaments/stdio-demo.toml", "--folder"],
    )
    .arg(folder.path().join("run"))
    .output()
    .unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let results = lines(&folder.path().join("run/results.jsonl"));
    assert_eq!(results.len(), 12);
    for result in results {
        assert_eq!(result["termination"], "normal", "{result}");
    }
}
