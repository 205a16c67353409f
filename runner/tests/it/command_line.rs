//! The program itself.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub(crate) const EVENT: &str = "\
[event]
name = 'cup'
game = 'kamisado'
target = 3
cycles = 3
concurrency = 2
[[bot]]
name = 'random'
builtin = 'random'
[[bot]]
name = 'greedy'
builtin = 'greedy'
[[bot]]
name = 'deep'
builtin = 'alphabeta'
options = { nodes = 300, table_mib = 1 }
";

/// The program with these arguments, to be started in this folder.
pub(crate) fn runner(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"));
    command.args(arguments).current_dir(folder);
    command
}

/// Runs the program in this folder. Returns its exit code, its output and its messages.
pub(crate) fn call(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = runner(folder, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A folder with an event file, in which the program is started.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new(event: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("cup.toml"), event).unwrap();
        Self(place)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        runner(self.path(), arguments)
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> (i32, String, String) {
        call(self.path(), arguments)
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.path().join("runs/cup/results.jsonl")
    }
}

#[test]
fn a_run_prints_the_tables_and_ends_well() {
    let place = Place::new(EVENT);
    let (code, out, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("18 of 18 matches played"), "{out}");
    assert_eq!(err.lines().count(), 20, "{err}");
    assert!(err.contains("[18/18] cup/c"), "{err}");
    assert!(
        err.ends_with("\nthe report is runs/cup/report.html\n"),
        "{err}"
    );
    let (_, digest) = err.split_once("the event digest is ").unwrap();
    let digest = &digest[..64];
    let page = fs::read_to_string(place.path().join("runs/cup/report.html")).unwrap();
    assert!(page.contains(&format!("verify FOLDER --digest {digest}")));
    let (code, out_of_verify, _) = place.output(&["verify", "runs/cup", "--digest", digest]);
    assert_eq!(code, 0, "{out_of_verify}");
    let log = "the results were compared with the event log\n";
    assert!(out_of_verify.contains(log), "{out_of_verify}");
    assert_eq!(
        fs::read_to_string(place.results()).unwrap().lines().count(),
        18
    );
    let page = fs::read_to_string(place.path().join("runs/cup/report.md")).unwrap();
    assert!(page.starts_with("# cup\n"), "{page}");

    let (code, table, err) = place.output(&["table", "runs/cup"]);
    assert_eq!((code, &table), (0, &out), "{err}");
    // Nothing is left to play.
    let (code, again, err) = place.output(&["run", "cup.toml", "--concurrency", "1"]);
    assert_eq!((code, &again), (0, &out), "{err}");
    let (code, elsewhere, err) = place.output(&["run", "cup.toml", "--folder", "else/where"]);
    assert_eq!((code, &elsewhere), (0, &out), "{err}");
    assert!(place.path().join("else/where/results.jsonl").exists());
}

#[test]
fn a_schedule_is_printed_and_nothing_played() {
    let place = Place::new(EVENT);
    let (code, out, err) = place.output(&["schedule", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.starts_with("cup: 3 bots, 9 rounds, 9 encounters, 18 matches\n"),
        "{out}"
    );
    assert!(!place.path().join("runs").exists());
}

#[test]
fn mistakes_exit_with_2() {
    let place = Place::new(&EVENT.replace("cycles = 3", "cycles = 0"));
    for arguments in [&["run", "cup.toml"], &["schedule", "cup.toml"]] {
        let (code, out, err) = place.output(arguments);
        assert_eq!((code, out.as_str()), (2, ""));
        let expected = "dragontooth-runner: cup.toml:5:10: event.cycles: must be from 1 to 100000";
        assert!(err.starts_with(expected), "{err}");
    }
    for arguments in [
        &["run", "nowhere.toml"][..],
        &["run"],
        &["run", "cup.toml", "--concurrency", "0"],
        &["run", "cup.toml", "--concurrency", "1025"],
        &["table", "runs/cup"],
        &["dance"],
    ] {
        let (code, _, err) = place.output(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(!err.is_empty());
    }
}

#[test]
fn an_arena_has_no_end_to_judge() {
    let place = Place::new(
        "[event]\nname = 'open'\nformat = 'arena'\ngame = 'linja'\n\
         [service]\naddress = 'http://127.0.0.1:9'\n\
         [[bot]]\nname = 'zero'\nbuiltin = 'random'\nrating = 0\n",
    );
    for option in [&["--strict"][..], &["--junit", "cup.xml"]] {
        let (code, _, err) = place.output(&[&["run", "cup.toml"], option].concat());
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("an arena has no end"), "{err}");
    }
}

#[test]
fn impossible_events_exit_with_3() {
    let place = Place::new(EVENT);
    fs::write(place.path().join("file"), "").unwrap();
    let (code, _, err) = place.output(&["run", "cup.toml", "--folder", "file"]);
    assert_eq!(code, 3, "{err}");
    let (code, _, err) = place.output(&["run", "cup.toml", "--folder", "."]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("not that of a run"), "{err}");

    assert_eq!(place.output(&["run", "cup.toml"]).0, 0);
    fs::write(
        place.path().join("cup.toml"),
        EVENT.replace("target = 3", "target = 1"),
    )
    .unwrap();
    let (code, _, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("event.target is 3 in the folder and 1 in the file"),
        "{err}"
    );
    fs::write(place.path().join("cup.toml"), EVENT).unwrap();
    let text = fs::read_to_string(place.results()).unwrap();
    fs::write(place.results(), text.replacen("\"plies\"", "\"piles\"", 1)).unwrap();
    let (code, _, err) = place.output(&["table", "runs/cup"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("results.jsonl:1: the line is no record"),
        "{err}"
    );
}

#[cfg(unix)]
#[test]
fn faults_exit_with_1() {
    let command = "command = ['sh', '-c', 'exit 7']";
    let event = EVENT
        .replace("builtin = 'random'", command)
        .replace("cycles = 3", "");
    let place = Place::new(&format!("{event}[limits]\nstart_failure = 'forfeit'\n"));
    let (code, out, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("6 of 6 matches played, 4 faults"), "{out}");
    assert!(
        err.contains("fault of random: crash: its program ended: exit status: 7"),
        "{err}"
    );
    assert_eq!(place.output(&["table", "runs/cup"]).0, 1);
}

/// Nothing is lost by it, and the same command continues once the program is repaired.
#[cfg(unix)]
#[test]
fn a_bot_that_does_not_start_ends_the_event_at_once() {
    let command = "command = ['sh', '-c', 'echo one; echo no module named numpy >&2; exit 7']";
    // With a third bot, a match of the two others could end before the program does.
    let (two_bots, _) = EVENT.split_once("[[bot]]\nname = 'deep'").unwrap();
    let place = Place::new(&two_bots.replace("builtin = 'random'", command));
    let (code, out, err) = place.output(&["run", "cup.toml"]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    let said: Vec<&str> = err.lines().collect();
    assert_eq!(
        said,
        [
            "dragontooth-runner: the bot random does not start: its program ended: exit status: 7",
            "dragontooth-runner: the last lines of its log, runs/cup/logs/random.log:",
            "dragontooth-runner:   one",
            "dragontooth-runner:   no module named numpy",
            "dragontooth-runner: with start_failure = \"forfeit\" in [limits] of the event file it loses its matches instead",
        ]
    );
    assert_eq!(fs::read_to_string(place.results()).unwrap(), "");
}

/// Waits until this many matches have been reported. Returns false if the program ends first.
pub(crate) fn wait_for_matches(child: &mut Child, count: usize) -> bool {
    let lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    let told = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with('['));
    told.take(count).count() == count
}

pub(crate) fn start(place: &Place) -> Child {
    // As from a terminal, even if the tests ignore the signal.
    let mut command = Command::new("env");
    command
        .args([
            "--default-signal=HUP",
            env!("CARGO_BIN_EXE_dragontooth-runner"),
        ])
        .args(["run", "cup.toml"])
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// As in `run cup.toml 2>&1 | head -1`.
#[test]
fn a_run_whose_output_nobody_reads_is_played_to_its_end() {
    let place = Place::new(EVENT);
    let mut child = start(&place);
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.path().join("runs/cup/report.html").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_exits_with_130_and_continues() {
    use rustix::process::{Pid, Signal, kill_process};

    let long = EVENT.replace("cycles = 3", "cycles = 10");
    let straight = Place::new(&long);
    let (_, expected, _) = straight.output(&["run", "cup.toml"]);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new(&long);
        let mut child = start(&place);
        assert!(wait_for_matches(&mut child, 2));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let told = String::from_utf8(output.stderr).unwrap();
        let end = "interrupted: the same command resumes\nthe report is runs/cup/report.html\n";
        assert!(told.ends_with(end), "{told}");
        let halfway = String::from_utf8(output.stdout).unwrap();
        assert!(halfway.contains(" of 60 matches played"), "{halfway}");
        // What is on disk is the same for each signal.
        if signal == Signal::INT {
            let (code, out, err) = place.output(&["run", "cup.toml"]);
            assert_eq!((code, &out), (0, &expected), "{err}");
        }
    }
}

/// Exactly the match pages that the report links to exist.
#[test]
fn a_run_writes_its_report() {
    let place = Place::new(EVENT);
    let (code, _, err) = place.output(&["run", "cup.toml", "--pages", "4", "--junit", "cup.xml"]);
    assert_eq!(code, 0, "{err}");
    let folder = place.path().join("runs/cup");
    let report = fs::read_to_string(folder.join("report.html")).unwrap();
    let links: Vec<&str> = report
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .filter(|link| !link.starts_with('#'))
        .collect();
    assert_eq!(links.len(), 4, "{links:?}");
    for link in &links {
        let page = fs::read_to_string(folder.join(link)).unwrap();
        assert!(page.contains("href=\"../report.html\""), "{page}");
    }
    assert_eq!(fs::read_dir(folder.join("matches")).unwrap().count(), 4);
    let junit = fs::read_to_string(place.path().join("cup.xml")).unwrap();
    assert!(junit.contains("tests=\"4\" failures=\"0\""), "{junit}");
    // Written again elsewhere, it is the same.
    let (code, _, err) =
        place.output(&["report", "runs/cup", "--output", "r.html", "--pages", "4"]);
    assert_eq!((code, &*err), (0, "wrote r.html\n"));
    let again = fs::read_to_string(place.path().join("r.html")).unwrap();
    assert_eq!(again, report);
    // A missing folder is more likely a mistake than intended.
    let (code, _, err) = place.output(&["report", "runs/cup", "--output", "gone/r.html"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("gone/r.html: cannot be used"), "{err}");
    assert!(!place.path().join("gone").exists());
}

#[test]
fn the_tables_are_printed_in_every_form() {
    let place = Place::new(EVENT);
    let (code, _, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    let table = |format| place.output(&["table", "runs/cup", "--format", format]);
    let (code, json, err) = table("json");
    assert_eq!(code, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["matches"]["played"], 18);
    assert!(table("csv").1.starts_with("place,bot,points,"));
    assert!(table("markdown").1.starts_with("# cup\n"));
    assert!(table("text").1.starts_with("cup: "));
    assert_eq!(table("yaml").0, 2);
}

/// The estimate: 18 matches of 75 decisions, two at the same time, and the errors that
/// `stats plan` gives for this many encounters.
#[test]
fn a_dry_run_prints_an_estimate() {
    let place = Place::new(EVENT);
    let (code, out, err) = place.output(&["run", "--dry-run", "cup.toml"]);
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(!place.path().join("runs").exists());
    let (_, schedule, _) = place.output(&["schedule", "cup.toml"]);
    let (_, verbose, _) = place.output(&["run", "--dry-run", "--verbose", "cup.toml"]);
    assert_eq!(verbose, format!("{out}\n{schedule}"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "cup: round robin of 3 bots, 3 cycles, kamisado (standard) to 3, seed 1",
            "18 matches in 9 encounters (two each, seats swapped); 2 at the same time",
            "duration: about 75 decisions a match without clocks; about 6s for each 10 ms that a decision takes",
        ]
    );
    let plan = [
        "stats",
        "plan",
        "--bots",
        "3",
        "--encounters",
        "3",
        "--json",
    ];
    let plan: serde_json::Value = serde_json::from_str(&place.output(&plan).1).unwrap();
    let error = |key: &str| format!("± {:.0}", plan[key].as_f64().unwrap());
    assert!(lines[3].contains(&error("rating_error")), "{}", lines[3]);
    assert!(
        lines[3].contains(&error("difference_error")),
        "{}",
        lines[3]
    );

    let timed = EVENT.replace(
        "target = 3",
        "target = 5\ntime_control = { base_ms = 1000, increment_ms = 100 }",
    );
    let place = Place::new(&timed.replace("kamisado", "backgammon").replace(
        "alphabeta'\noptions = { nodes = 300, table_mib = 1 }",
        "expectimax'",
    ));
    let (code, out, err) = place.output(&["run", "cup.toml", "--dry-run", "--concurrency", "6"]);
    assert_eq!(code, 0, "{err}");
    // Half way from 110 to 245 decisions; three turns of 2 s and 17.7 s.
    let duration = "duration: about 177 decisions a match; about 59s if every bot takes all of its time, less if not";
    assert!(out.contains(duration), "{out}");
}

/// 18 matches of 75 decisions, two at the same time. Each of the three bots plays a third of the decisions.
#[test]
fn a_dry_run_knows_the_time_of_each_bot() {
    let timed = EVENT.replace(
        "target = 3",
        "target = 3\ntime_control = { per_action_ms = 100 }",
    );
    let told = |event: &str| {
        let (code, out, err) = Place::new(event).output(&["run", "--dry-run", "cup.toml"]);
        assert_eq!(code, 0, "{err}");
        let line = out.lines().find(|line| line.starts_with("duration: "));
        line.unwrap().to_owned()
    };
    let with = |own: &str| {
        let bot = timed.find("[[bot]]").unwrap() + "[[bot]]\n".len();
        let mut event = timed.clone();
        event.insert_str(bot, &format!("time_control = {own}\n"));
        event
    };
    // 9 turns of 75 · 0.1 s.
    let all = "duration: about 75 decisions a match; about 1m 7s if every bot takes all of its time, less if not";
    assert_eq!(told(&timed), all);
    // 9 turns of 75 · (0.4 s + 0.1 s + 0.1 s) / 3.
    let odds = all.replace("1m 7s", "2m 15s");
    assert_eq!(told(&with("{ per_action_ms = 400 }")), odds);
    // 6 turns of 75 · (0.4 s + 0.1 s) / 2: the first bot plays in every match.
    let gauntlet = with("{ per_action_ms = 400 }");
    let gauntlet = gauntlet.replace(
        "[event]\n",
        "[event]\nformat = 'gauntlet'\nchallengers = ['random']\n",
    );
    assert_eq!(told(&gauntlet), all.replace("1m 7s", "1m 52s"));
    assert_eq!(
        told(&with("'none'")),
        "duration: about 75 decisions a match; about 45s if every bot with a clock takes all of its time, and what \
         those without take"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_event() {
    let place = Place::new(EVENT);
    fs::create_dir(place.path().join("folder")).unwrap();
    for file in ["missing/cup.xml", "folder"] {
        let (code, out, err) = place.output(&["run", "cup.toml", "--junit", file]);
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        assert!(err.contains(file), "{err}");
        assert!(!place.results().exists(), "nothing was played");
    }
    // The run's folder may be created for it, and an old file stays until it is replaced.
    let file = "runs/cup/cup.xml";
    let (code, _, err) = place.output(&["run", "cup.toml", "--junit", file]);
    assert_eq!(code, 0, "{err}");
    assert!(place.path().join(file).exists());
}

/// `script` provides the terminal.
#[test]
fn a_dumb_terminal_gets_lines() {
    let run = |term: Option<&str>| {
        let place = Place::new(EVENT);
        let program = env!("CARGO_BIN_EXE_dragontooth-runner");
        let mut command = Command::new("script");
        command.args(["-qec", &format!("'{program}' run cup.toml"), "/dev/null"]);
        command.current_dir(place.path()).env_remove("TERM");
        command.stdin(Stdio::null());
        if let Some(term) = term {
            command.env("TERM", term);
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for term in [None, Some("dumb")] {
        let said = run(term);
        assert!(said.contains("[18/18] cup/c"), "{said}");
    }
    let said = run(Some("xterm"));
    assert!(!said.contains("[18/18] cup/c"), "{said}");
    assert!(said.contains("/18 matches, "), "{said}");
}

/// The lock on the reports in the folder of a run.
fn reports_lock(place: &Place) -> fs::File {
    let lock = fs::File::create(place.path().join("runs/cup/report.lock")).unwrap();
    lock.lock().unwrap();
    lock
}

/// The tables come before the reports, and a signal ends what comes after the last match.
#[cfg(unix)]
#[test]
fn a_run_that_waits_with_its_reports_has_printed_its_tables() {
    use rustix::process::{Pid, Signal, kill_process};

    let place = Place::new(EVENT);
    let (code, expected, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let lock = reports_lock(&place);
        let mut child = start(&place);
        let told = BufReader::new(child.stderr.as_mut().unwrap()).lines();
        let mut told = told.map_while(Result::ok);
        assert!(told.any(|line| line.starts_with("the event digest is ")));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        drop(lock);
        let (code, out, _) = place.output(&["verify", "runs/cup"]);
        assert_eq!(code, 0, "{out}");
    }
}

#[test]
fn a_run_without_reports_tells_its_outcome() {
    let place = Place::new(EVENT);
    let (_, expected, _) = place.output(&["run", "cup.toml"]);
    let tables = place.path().join("runs/cup/report.md");
    fs::remove_file(&tables).unwrap();
    fs::create_dir(&tables).unwrap();
    let (code, out, err) = place.output(&["run", "cup.toml", "--junit", "cup.xml"]);
    assert_eq!((code, &out), (3, &expected));
    assert!(err.contains("the event digest is "), "{err}");
    assert!(err.contains("report.md"), "{err}");
    assert!(place.path().join("cup.xml").exists());
}

#[test]
fn reports_at_the_same_time_wait_for_each_other() {
    let place = Place::new(EVENT);
    let (code, _, err) = place.output(&["run", "cup.toml"]);
    assert_eq!(code, 0, "{err}");
    for _ in 0..5 {
        let commands = [
            &["run", "cup.toml"][..],
            &["report", "runs/cup"],
            &["report", "runs/cup", "--pages", "3"],
            &["verify", "runs/cup"],
        ];
        let children = commands.map(|arguments| {
            let mut command = place.command(arguments);
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            (arguments, command.spawn().unwrap())
        });
        for (arguments, child) in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        }
    }
}
