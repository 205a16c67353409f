//! Faults of engines, and their consequences.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{
    AnswerDeadline, EngineFault, EngineMatch, Engines, FLOOD_BYTES_MAX, LINE_BYTES_MAX, Launch,
    REFUSED_MAX,
};
use dragontooth_bots_engines::supervise::processes::with_variable;

use super::{FIRST, LONG, START, ask, asked, engines, launch, script, terms};

/// Upper bound of the time until any fault is known: the limits of a test and the grace time.
const BEFORE_LONG: Duration = Duration::from_secs(15);

/// Asks an engine with these cases for one decision.
fn decide(cases: &str, limit: Duration) -> (Result<Choice, EngineFault>, Vec<String>) {
    let began = Instant::now();
    let (engines, notes, _folder) = engines(cases);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let answer = ask(&mut playing, 1, limit);
    drop(playing);
    engines.close();
    assert!(began.elapsed() < BEFORE_LONG, "{:?}", began.elapsed());
    let notes = notes.lock().unwrap().clone();
    (answer, notes)
}

#[test]
fn what_is_no_message_is_refused_and_noted() {
    let cases = r#"*'"type":"go"'*) say 'info depth 3'; say '{"type":"bestmove","move":"x"}'
      say '{"type":"bestaction","match":"n","decision":1,"action":"a"}'
      say '{"type":"bestaction","match":"m","decision":9,"action":"a"}'
      say '{"type":"bestaction","match":"m","decision":1,"action":"a1a7"}'
      say '{"type":"bestaction","match":"m","decision":1,"action":"a1a6"}'; sync;;
    "#;
    let (answer, notes) = decide(cases, LONG);
    assert_eq!(answer.unwrap(), Choice::Action("a1a7".to_owned()));
    for (note, expected) in notes.iter().zip([
        "refused the line info depth 3: the line is not a message",
        r#"unknown message type "bestmove""#,
        r#"it is not playing the match "n""#,
        "decision 9 is not due; decision 1 is",
        "decision 1 is not due; none is",
    ]) {
        assert!(note.contains(expected), "{note}");
    }
}

#[test]
fn a_second_answer_is_not_taken_for_the_next() {
    let cases = format!(
        "{}\n{}",
        r#"*'"type":"go"'*'"decision":1,'*) say '{"type":"bestaction","match":"m","decision":1,"action":"a1a7"}'
      say '{"type":"bestaction","match":"m","decision":1,"action":"a1a6"}';;"#,
        FIRST
    );
    let (engines, notes, _folder) = engines(&cases);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let answer = ask(&mut playing, 1, LONG).unwrap();
    assert_eq!(answer, Choice::Action("a1a7".to_owned()));
    let answer = ask(&mut playing, 3, LONG).unwrap();
    assert_ne!(answer, Choice::Action("a1a6".to_owned()));
    drop(playing);
    engines.close();
    let notes = notes.lock().unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("decision 1 is not due"), "{notes:?}");
}

#[test]
fn an_engine_that_ends_has_ended() {
    let (answer, notes) = decide("*'\"type\":\"go\"'*) exit 9;;\n", LONG);
    let expected = EngineFault::Ended("exit status: 9".to_owned());
    assert_eq!(answer.unwrap_err(), expected);
    assert!(
        notes[0].contains("fault in the match m a friendly: its program ended: exit status: 9"),
        "{notes:?}"
    );
}

#[test]
fn an_engine_that_closes_its_output_is_killed() {
    let (answer, notes) = decide("*'\"type\":\"go\"'*) exec >&-; sleep 1000;;\n", LONG);
    let fault = answer.unwrap_err();
    assert!(
        matches!(&fault, EngineFault::Ended(status) if status.contains("SIGKILL")),
        "{fault}"
    );
    assert!(
        notes[0].contains("it closed its output and was killed"),
        "{notes:?}"
    );
}

/// The engine cannot be asked any more, regardless of the time limit.
#[test]
fn an_engine_that_closes_its_input_is_killed() {
    let cases = r#"*'"type":"go"'*) exec <&-
      say '{"type":"bestaction","match":"m","decision":1,"action":"a1a7"}'; sleep 1000;;
"#;
    let (engines, _, _folder) = engines(cases);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    ask(&mut playing, 1, LONG).unwrap();
    let fault = ask(&mut playing, 3, LONG).unwrap_err();
    assert!(
        matches!(&fault, EngineFault::Ended(status) if status.contains("closed its input")),
        "{fault}"
    );
}

/// It does not answer either, and nothing more is written to it.
#[test]
fn an_engine_that_closes_its_input_and_is_silent_is_killed() {
    let (answer, _) = decide("*'\"type\":\"go\"'*) exec <&-; sleep 1000;;\n", LONG);
    let fault = answer.unwrap_err();
    assert!(
        matches!(&fault, EngineFault::Ended(status) if status.contains("closed its input")),
        "{fault}"
    );
}

#[test]
fn an_engine_that_hangs_is_late_and_killed() {
    let limit = Duration::from_millis(300);
    let (answer, notes) = decide("*'\"type\":\"go\"'*) sleep 1000;;\n", limit);
    assert_eq!(answer.unwrap_err(), EngineFault::Late);
    assert!(notes[0].ends_with("it did not answer in time"), "{notes:?}");
    assert!(notes[1].contains("did not stop within 2 s"), "{notes:?}");
}

/// The engine may continue: it was only slow once.
#[test]
fn an_engine_that_stops_when_expected_lives_on() {
    let cases = r#"*'"type":"go"'*) ;;
*'"type":"stop"'*) say '{"type":"bestaction","match":"m","decision":1,"action":"late"}';;
"#;
    let (engines, notes, _folder) = engines(cases);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let answer = ask(&mut playing, 1, Duration::from_millis(100));
    assert_eq!(answer.unwrap_err(), EngineFault::Late);
    drop(playing);
    EngineMatch::begin(&engines, terms("m2")).unwrap();
    assert_eq!(notes.lock().unwrap().len(), 1, "{notes:?}");
}

#[test]
fn nobody_waits_for_the_answer_in_a_match_that_is_over() {
    let (engines, notes, _folder) = engines("*'\"type\":\"go\"'*) sleep 1000;;\n");
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let since = Instant::now();
    let is_over = || since.elapsed() > Duration::from_millis(200);
    let patience = AnswerDeadline {
        until: None,
        fault: &EngineFault::Late,
        is_over: &is_over,
    };
    let answer = playing.ask(&asked(1), patience);
    assert_eq!(answer.unwrap_err(), EngineFault::MatchOver);
    assert!(since.elapsed() < BEFORE_LONG);
    let notes = notes.lock().unwrap();
    assert!(
        notes[0].contains("the match m a friendly ended while it thought about decision 1: "),
        "{notes:?}"
    );
    assert!(notes[1].contains("did not stop"), "{notes:?}");
}

/// An answer without its line feed is never read.
#[test]
fn an_unfinished_answer_leaves_a_trace() {
    let (engines, notes, _folder) =
        engines("*'\"type\":\"go\"'*) printf 'a1\\033a7'; sleep 1000;;\n");
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let answer = ask(&mut playing, 1, Duration::from_secs(1));
    assert_eq!(answer.unwrap_err(), EngineFault::Late);
    let notes = notes.lock().unwrap();
    let trace = "it had written 5 bytes without a line feed: \"a1·a7\"";
    assert!(notes[1].ends_with(trace), "{notes:?}");
}

#[test]
fn a_line_without_an_end_is_a_fault_long_before_gigabytes() {
    let cases = "*'\"type\":\"go\"'*) tr '\\0' x < /dev/zero;;\n";
    let (answer, _) = decide(cases, LONG);
    let fault = answer.unwrap_err();
    let EngineFault::LongLine { bytes, begin } = fault else {
        panic!("{fault}")
    };
    assert_eq!(bytes, LINE_BYTES_MAX);
    assert!(begin.starts_with("xxxx") && begin.len() < 200, "{begin}");
}

#[test]
fn a_flood_of_messages_is_a_fault() {
    let cases = r#"*'"type":"go"'*) yes '{"type":"info","text":"thinking"}';;
"#;
    let (answer, _) = decide(cases, LONG);
    let fault = answer.unwrap_err();
    let EngineFault::Flood { bytes, .. } = fault else {
        panic!("{fault}")
    };
    assert_eq!(bytes, FLOOD_BYTES_MAX);
}

#[test]
fn a_flood_of_garbage_is_a_fault() {
    let (answer, notes) = decide("*'\"type\":\"go\"'*) yes garbage;;\n", LONG);
    let fault = answer.unwrap_err();
    let EngineFault::Refused { count, line, .. } = fault else {
        panic!("{fault}")
    };
    assert_eq!((count, line.as_str()), (REFUSED_MAX, "garbage"));
    // Each line is logged, and the fault; a further line may have arrived after it.
    assert!(notes.len() >= REFUSED_MAX as usize + 2, "{}", notes.len());
}

#[test]
fn an_engine_that_does_not_read_is_a_fault() {
    // A pipe holds 64 KiB: unread positions fill it.
    let folder = tempfile::tempdir().unwrap();
    let (launch, _) = launch(script(&folder, "*'\"type\":\"newmatch\"'*) sleep 1000;;\n"));
    let engines = Engines::new(launch);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let long = START.repeat(4000);
    let mut question = asked(1);
    question.position = &long;
    let patience = AnswerDeadline {
        until: Some(Instant::now() + LONG),
        fault: &EngineFault::Late,
        is_over: &|| false,
    };
    let fault = playing.ask(&question, patience).unwrap_err();
    assert!(matches!(fault, EngineFault::NotReading(_)), "{fault}");
}

#[test]
fn an_action_that_the_rules_forbid_is_expected_with_the_rule() {
    let (engines, notes, _folder) = engines(FIRST);
    let playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let legal = playing.checked(START, "a1a7".to_owned());
    assert_eq!(legal.unwrap(), "a1a7");
    for (action, expected) in [("a1a1", "rule M5"), ("nonsense", "invalid action")] {
        let fault = playing.checked(START, action.to_owned()).unwrap_err();
        assert!(matches!(fault, EngineFault::Illegal { .. }), "{fault}");
        assert!(fault.to_string().contains(expected), "{fault}");
        assert!(notes.lock().unwrap().last().unwrap().contains(expected));
    }
}

#[test]
fn an_engine_may_give_up() {
    let cases = r#"*'"type":"go"'*) say '{"type":"resign","match":"m","decision":1}';;
"#;
    assert_eq!(decide(cases, LONG).0.unwrap(), Choice::Resign);
}

/// An engine that died while idle is replaced before anything is lost.
#[test]
fn an_engine_that_died_in_between_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dying = folder.path().join("dies");
    fs::write(&dying, "").unwrap();
    let cases = format!(
        "*'\"type\":\"matchover\"'*) rm '{0}' && exit 3;;\n{FIRST}",
        dying.display()
    );
    let (launch, notes) = launch(script(&folder, &cases));
    let engines = Engines::new(launch);
    for _ in 0..2 {
        let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
        ask(&mut playing, 1, LONG).unwrap();
    }
    let notes = notes.lock().unwrap();
    assert_eq!(*notes, ["its program ended: exit status: 3"]);
}

/// So are all that died, one after the other.
#[test]
fn engines_that_died_in_between_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cases = format!("*'\"type\":\"matchover\"'*) exit 3;;\n{FIRST}");
    let (launch, notes) = launch(script(&folder, &cases));
    let engines = Engines::new(launch);
    let both = ["m", "n"].map(|id| EngineMatch::begin(&engines, terms(id)).unwrap());
    drop(both);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    ask(&mut playing, 1, LONG).unwrap();
    assert_eq!(
        *notes.lock().unwrap(),
        ["its program ended: exit status: 3"; 2]
    );
}

/// So is the supervisor that an engine leaves behind.
#[test]
fn a_supervisor_that_died_in_between_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut launch, _) = launch(script(&folder, "*'\"type\":\"go\"'*) exit 3;;\n"));
    let mark = mark(&mut launch, &folder);
    let engines = Engines::new(launch);
    for _ in 0..2 {
        let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
        ask(&mut playing, 1, LONG).unwrap_err();
        drop(playing);
        let left = with_variable(&mark);
        assert_eq!(left.len(), 1, "the supervisor alone");
        let pid = left[0].to_string();
        let killed = Command::new("kill").args(["-KILL", &pid]).status();
        assert!(killed.unwrap().success());
    }
}

#[test]
fn what_cannot_be_greeted_cannot_be_used() {
    let begin = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let program = script(&folder, "");
        fs::write(&program, text).unwrap();
        let (mut launch, _) = launch(program);
        launch.start_limit = Duration::from_millis(500);
        Engines::new(launch).warm_up(1).unwrap_err()
    };
    let fault = begin("#!/bin/sh\nexit 4\n");
    assert_eq!(fault, EngineFault::EndedEarly("exit status: 4".to_owned()));
    let fault = begin("#!/bin/sh\nsleep 1000\n");
    assert_eq!(fault, EngineFault::NoHello(Duration::from_millis(500)));
    let hello = |fields: &str| {
        begin(&format!(
            "#!/bin/sh\necho '{{\"type\":\"hello\"{fields}}}'\n"
        ))
    };
    let fault = hello("");
    assert!(matches!(fault, EngineFault::BadHello { .. }), "{fault}");
    let fault = hello(r#","protocol":1,"name":"x","games":"linja""#);
    assert!(
        fault.to_string().contains("invalid type"),
        "not a list: {fault}"
    );
    let fault = hello(r#","protocol":2,"name":"x","games":["linja"]"#);
    assert!(
        fault.to_string().contains("from 1 to 1"),
        "a later version: {fault}"
    );
    let (launch, _) = launch(Path::new("/nonexistent/engine").to_owned());
    let fault = Engines::new(launch).warm_up(1).unwrap_err();
    assert!(matches!(fault, EngineFault::NotStarted(_)), "{fault}");
}

/// A banner is not a hello, and not a reason to give up.
#[test]
fn what_is_written_before_the_hello_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(&folder, FIRST);
    let text = fs::read_to_string(&program).unwrap();
    let text = text.replacen(
        "#!/bin/sh\n",
        "#!/bin/sh\necho 'Engine 1.0 by somebody'\n",
        1,
    );
    fs::write(&program, text).unwrap();
    let (launch, notes) = launch(program);
    let about = Engines::new(launch).warm_up(1).unwrap();
    assert_eq!(about.name, "sh");
    let notes = notes.lock().unwrap();
    assert!(notes[0].contains("Engine 1.0 by somebody"), "{notes:?}");
}

#[test]
fn an_engine_that_plays_other_games_plays_no_match_of_this() {
    let (engines, _, _folder) = engines(FIRST);
    let mut terms = terms("m");
    terms.game = "linja".to_owned();
    let Err(fault) = EngineMatch::begin(&engines, terms) else {
        panic!("it plays")
    };
    assert_eq!(fault.to_string(), "it does not play linja, only kamisado");
}

#[test]
fn nothing_is_left_of_an_engine_that_will_not_go() {
    let folder = tempfile::tempdir().unwrap();
    let cases = "*'\"type\":\"newmatch\"'*) trap '' TERM; setsid sleep 1000 & sleep 1000;;\n";
    let program = script(&folder, cases);
    let (mut launch, _) = launch(program);
    let mark = mark(&mut launch, &folder);
    let engines = Engines::new(launch);
    let playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    assert!(left_of(&mark) > 0);
    let began = Instant::now();
    drop(playing);
    engines.close();
    assert!(began.elapsed() < BEFORE_LONG);
    drop(engines);
    assert_eq!(left_of(&mark), 0);
}

/// Gives the processes that it starts a variable of their own, which it returns.
fn mark(launch: &mut Launch, folder: &tempfile::TempDir) -> String {
    let mark = format!("dragontooth-test-{}", folder.path().display());
    let variable = format!("MARK={mark}");
    let start = std::mem::replace(&mut launch.command, Box::new(|| unreachable!()));
    launch.command = Box::new(move || {
        let mut command: Command = start()?;
        command.env("MARK", &mark);
        Ok(command)
    });
    variable
}

/// Number of processes with the mark in their environment.
pub(crate) fn left_of(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let marked = processes.filter(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .windows(mark.len())
            .any(|part| part == mark.as_bytes())
    });
    marked.count()
}
