//! Several matches at the same time, and engines that are restarted.

use std::fs;
use std::thread;
use std::time::Duration;

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{EngineFault, EngineMatch, Engines};

use super::{FIRST, LONG, ask, engines, launch, script, terms};

/// Answers the two matches in the reverse order of their names, once it has been asked in both.
const TURNED: &str = r#"#!/bin/sh
say() { printf '%s\n' "$1"; }
while read -r line; do case "$line" in
*'"type":"hello"'*) say '{"type":"hello","protocol":1,"name":"two","games":["kamisado"],"matches":2}';;
*'"type":"isready"'*) say '{"type":"readyok"}';;
*'"type":"quit"'*) exit 0;;
*'"type":"go"'*'"match":"a"'*) a=1;;
*'"type":"go"'*'"match":"b"'*) b=1;;
esac
if [ "$a$b" = 11 ]; then a=; b=
  say '{"type":"bestaction","match":"b","decision":1,"action":"of b"}'
  say '{"type":"bestaction","match":"a","decision":1,"action":"of a"}'
fi; done
"#;

#[test]
fn an_engine_may_play_several_matches_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(&folder, "");
    fs::write(&program, TURNED).unwrap();
    let (mut launch, notes) = launch(program);
    launch.processes_max = 1;
    let engines = Engines::new(launch);
    let play = |id: &'static str| {
        let engines = engines.clone();
        thread::spawn(move || {
            let mut playing = EngineMatch::begin(&engines, terms(id)).unwrap();
            ask(&mut playing, 1, LONG).unwrap()
        })
    };
    let (a, b) = (play("a"), play("b"));
    assert_eq!(a.join().unwrap(), Choice::Action("of a".to_owned()));
    assert_eq!(b.join().unwrap(), Choice::Action("of b".to_owned()));
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}

/// The second says nothing before the third has been started.
#[test]
fn engines_are_started_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(&folder, FIRST);
    let text = fs::read_to_string(&program).unwrap();
    let meeting = r#"#!/bin/sh
mkdir "$0.1" 2> /dev/null || if mkdir "$0.2" 2> /dev/null
then mkfifo "$0.3" && mkdir "$0.4" && read -r met < "$0.3"
else until [ -d "$0.4" ]; do :; done; echo met > "$0.3"
fi
"#;
    fs::write(&program, text.replacen("#!/bin/sh\n", meeting, 1)).unwrap();
    let (mut launch, notes) = launch(program);
    launch.processes_max = 3;
    let engines = Engines::new(launch);
    engines.warm_up(1).unwrap();
    engines.warm_up(3).unwrap();
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}

/// An engine that thinks about one match may not read what another one sends: that is no reason to lose either.
#[test]
fn an_engine_that_is_busy_with_one_match_gets_no_other() {
    let cases = r#"*'"type":"newmatch"'*) echo $$ >> "$0.pids";;
*'"type":"go"'*) : > "$0.asked"; until [ -e "$0.done" ]; do sleep 0.1; done
  say '{"type":"bestaction","match":"m","decision":1,"action":"a1a7"}';;
"#;
    let folder = tempfile::tempdir().unwrap();
    let program = script(&folder, cases);
    let polite = fs::read_to_string(&program).unwrap();
    let several = polite.replacen("\"legal\":true", "\"legal\":true,\"matches\":3", 1);
    fs::write(&program, several).unwrap();
    let (launch, notes) = launch(program);
    let engines = Engines::new(launch);
    let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
    let thinking = thread::spawn(move || {
        let chosen = ask(&mut playing, 1, 2 * LONG);
        (playing, chosen)
    });
    let asked = folder.path().join("engine.asked");
    while !asked.exists() {
        assert!(!thinking.is_finished());
        thread::yield_now();
    }
    let another = EngineMatch::begin(&engines, terms("a")).unwrap();
    fs::write(folder.path().join("engine.done"), "").unwrap();
    let (playing, chosen) = thinking.join().unwrap();
    assert_eq!(chosen.unwrap(), Choice::Action("a1a7".to_owned()));
    // The one that was busy is free again, and the late `readyok` is not taken for the next.
    drop((playing, another));
    let third = EngineMatch::begin(&engines, terms("b")).unwrap();
    drop(third);
    engines.close();
    let pids = fs::read_to_string(folder.path().join("engine.pids")).unwrap();
    let pids: Vec<&str> = pids.lines().collect();
    assert_eq!(pids.len(), 3, "{pids:?}");
    assert!(pids[0] != pids[1] && pids[0] == pids[2], "{pids:?}");
    assert_eq!(
        *notes.lock().unwrap(),
        ["it was not ready for a match within 10 s"]
    );
}

/// As many processes as matches, up to the limit; then a match waits for another's end.
#[test]
fn an_engine_that_plays_one_match_is_started_for_each() {
    let cases = format!("*'\"type\":\"newmatch\"'*) echo $$ >> \"$0.pids\";;\n{FIRST}");
    let (engines, _, folder) = engines(&cases);
    let one = EngineMatch::begin(&engines, terms("a")).unwrap();
    let two = EngineMatch::begin(&engines, terms("b")).unwrap();
    let waiting = engines.clone();
    let third = thread::spawn(move || EngineMatch::begin(&waiting, terms("c")).map(drop));
    drop(one);
    third.join().unwrap().unwrap();
    drop(two);
    engines.close();
    let pids = fs::read_to_string(folder.path().join("engine.pids")).unwrap();
    let mut pids: Vec<&str> = pids.lines().collect();
    assert_eq!(pids.len(), 3, "{pids:?}");
    pids.sort_unstable();
    pids.dedup();
    assert_eq!(pids.len(), 2, "the one that was free plays the third");
}

#[test]
fn an_engine_may_be_started_anew_for_every_match() {
    let folder = tempfile::tempdir().unwrap();
    let cases = format!("*'\"type\":\"newmatch\"'*) echo $$ >> \"$0.pids\";;\n{FIRST}");
    let (mut launch, notes) = launch(script(&folder, &cases));
    (launch.restart, launch.processes_max) = (true, 1);
    let engines = Engines::new(launch);
    for _ in 0..10 {
        let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
        ask(&mut playing, 1, LONG).unwrap();
    }
    engines.close();
    let pids = fs::read_to_string(folder.path().join("engine.pids")).unwrap();
    let mut pids: Vec<&str> = pids.lines().collect();
    pids.sort_unstable();
    pids.dedup();
    assert_eq!(pids.len(), 10, "{pids:?}");
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}

/// However many an engine offers to play, the end of one match is not that of another.
#[test]
fn an_engine_that_is_started_anew_plays_one_match() {
    let folder = tempfile::tempdir().unwrap();
    let program = script(&folder, FIRST);
    let polite = fs::read_to_string(&program).unwrap();
    let offering = polite.replacen("\"legal\":true", "\"legal\":true,\"matches\":4", 1);
    assert_ne!(offering, polite);
    fs::write(&program, offering).unwrap();
    let (mut launch, notes) = launch(program);
    launch.restart = true;
    let engines = Engines::new(launch);
    for _ in 0..10 {
        let one = EngineMatch::begin(&engines, terms("another")).unwrap();
        let mut other = EngineMatch::begin(&engines, terms("m")).unwrap();
        drop(one);
        ask(&mut other, 1, LONG).unwrap();
    }
    engines.close();
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}

#[test]
fn an_engine_that_fails_too_often_is_started_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (mut launch, _) = launch(script(&folder, "*'\"type\":\"go\"'*) exit 3;;\n"));
    launch.ends_max = Some(3);
    let engines = Engines::new(launch);
    for _ in 0..3 {
        let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
        let fault = ask(&mut playing, 1, Duration::from_secs(5)).unwrap_err();
        assert!(matches!(fault, EngineFault::Ended(_)), "{fault}");
    }
    let Err(fault) = EngineMatch::begin(&engines, terms("m")) else {
        panic!("it plays on")
    };
    assert_eq!(
        fault.to_string(),
        "it ended 3 times and will not be started again; last: its program ended: exit status: 3"
    );
}

/// An engine that does not read while it thinks cannot be stopped, and can play on all the same.
#[test]
fn an_engine_that_does_not_stop_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut launch, notes) = launch(script(&folder, "*'\"type\":\"go\"'*) sleep 1000;;\n"));
    launch.ends_max = Some(1);
    let engines = Engines::new(launch);
    for _ in 0..2 {
        let mut playing = EngineMatch::begin(&engines, terms("m")).unwrap();
        let fault = ask(&mut playing, 1, Duration::from_millis(100)).unwrap_err();
        assert_eq!(fault, EngineFault::Late);
    }
    let notes = notes.lock().unwrap();
    let killed = notes.iter().filter(|note| note.contains("did not stop"));
    assert_eq!(killed.count(), 2, "{notes:?}");
}

/// No match is left waiting for an engine that will not come.
#[test]
fn all_who_wait_are_sender_that_it_is_started_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (mut launch, _) = launch(script(&folder, "*'\"type\":\"go\"'*) exit 3;;\n"));
    (launch.ends_max, launch.processes_max) = (Some(1), 1);
    let engines = Engines::new(launch);
    let mut playing = EngineMatch::begin(&engines, terms("a")).unwrap();
    let (sender, ends) = std::sync::mpsc::channel();
    for id in ["b", "c", "d"] {
        let (engines, sender) = (engines.clone(), sender.clone());
        thread::spawn(move || sender.send(EngineMatch::begin(&engines, terms(id)).err()));
    }
    ask(&mut playing, 1, LONG).unwrap_err();
    drop(playing);
    for _ in 0..3 {
        let end = ends.recv_timeout(LONG).unwrap();
        assert!(
            matches!(end, Some(EngineFault::TooManyEnds { .. })),
            "{end:?}"
        );
    }
}
