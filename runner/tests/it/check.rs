//! The check of bots before an event.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::command_line::call;
use crate::faults::{own, write_program};
use crate::programs::becomes;

/// Checks an event of these programs in a new folder. Returns the exit code and all verdicts.
fn check(event: &str, programs: &[(&str, String)]) -> (i32, String) {
    check_with(event, programs, "")
}

/// The same with these keys for each program.
fn check_with(event: &str, programs: &[(&str, String)], keys: &str) -> (i32, String) {
    let place = tempfile::tempdir().unwrap();
    let mut text = format!("[event]\nname = 'cup'\ngame = 'kamisado'\n{event}\n");
    for (name, script) in programs {
        write_program(&place.path().join(name), script);
        writeln!(
            text,
            "[[bot]]\nname = '{name}'\ncommand = ['./{name}']\n{keys}"
        )
        .unwrap();
    }
    text.push_str("[[bot]]\nname = 'random'\nbuiltin = 'random'\n");
    fs::write(place.path().join("cup.toml"), text).unwrap();
    check_in(place.path())
}

fn check_in(folder: &Path) -> (i32, String) {
    let (code, verdicts, _) = call(folder, &["check", "cup.toml"]);
    (code, verdicts)
}

fn script(lines: &str) -> String {
    format!("#!/bin/sh\n{lines}\n")
}

/// The check that a bot failed, and the report about it.
fn failures(verdicts: &str, bot: &str) -> Vec<String> {
    let own = verdicts
        .lines()
        .filter_map(|line| line.strip_prefix(&format!("{bot}: ")));
    let failed = own.filter(|line| line.contains("FAILED"));
    failed
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn good_bots_pass_every_trial() {
    let good = script(&becomes("random:seed=9"));
    let event = "target = 3\ntime_control = { per_action_ms = 20000 }";
    let (code, verdicts) = check(event, &[("mine", good)]);
    assert_eq!(code, 0, "{verdicts}");
    let trials: Vec<&str> = verdicts
        .lines()
        .map(|line| line.split(" ok").next().unwrap().trim())
        .collect();
    let expected = [
        "mine: starts",
        "mine: connects",
        "mine: plays",
        "mine: keeps its time",
        "mine: survives a restart",
        "mine: ends when told",
        "random: connects",
        "random: plays",
        "random: keeps its time",
    ];
    assert_eq!(trials, expected, "{verdicts}");
    assert!(verdicts.contains("4 matches at once"), "{verdicts}");
}

/// One match per process, as in an event.
#[test]
fn a_restarted_bot_plays_one_match_at_a_time() {
    let starts = tempfile::NamedTempFile::new().unwrap();
    let counted = format!("echo started >> {}", starts.path().display());
    let mine = script(&format!("{counted}\n{}", becomes("random:seed=9")));
    let (code, verdicts) = check_with("", &[("mine", mine)], "restart = true");
    assert_eq!(code, 0, "{verdicts}");
    assert!(verdicts.contains("4 matches one by one"), "{verdicts}");
    let starts = fs::read_to_string(starts.path()).unwrap();
    // For each of these matches, and three times for two in the check with a restart.
    assert_eq!(starts.lines().count(), 7, "{verdicts}");
}

#[test]
fn a_bad_bot_fails_where_it_is_bad() {
    let event =
        "time_control = { per_action_ms = 3000 }\n[limits]\njoin_ms = 8000\ndecision_ms = 4000";
    let good = becomes("random:seed=9");
    let once = format!("[ -e started ] && sleep 1000\ntouch started\n{good}");
    let stubborn = format!("trap '' TERM\n({good}) &\nwait\nwhile :; do sleep 1; done");
    let programs = [
        // It is marked as a program but is not one.
        ("nothing", "\u{7f}ELF".to_owned()),
        ("brief", script("echo no such weights >&2; exit 3")),
        ("absent", script("sleep 1000")),
        ("crash", script(&own("crash"))),
        ("late", script(&own("late"))),
        ("once", script(&once)),
        ("stubborn", script(&stubborn)),
    ];
    let (code, verdicts) = check(event, &programs);
    assert_eq!(code, 1, "{verdicts}");
    for (bot, expected) in [
        ("nothing", "starts FAILED the bot nothing cannot be started"),
        ("brief", "connects FAILED its program ended: exit status: 3"),
        (
            "absent",
            "connects FAILED it did not take its seat within 8 s",
        ),
        ("crash", "plays FAILED its program ended: exit status: 9"),
        ("late", "keeps its time FAILED its clock ran out"),
        ("once", "survives a restart FAILED it did nothing for 4 s"),
        ("stubborn", "ends when told FAILED it was killed after 2 s"),
    ] {
        let failed = failures(&verdicts, bot);
        assert_eq!(failed.len(), 1, "{bot}: {failed:?}\n{verdicts}");
        assert!(failed[0].starts_with(expected), "{bot}: {failed:?}");
    }
    let log = "\nthe last lines of its log, runs/cup.check/brief.log:\n  no such weights\n";
    assert!(verdicts.contains(log), "{verdicts}");
    assert!(
        verdicts.contains("crash: connects           ok\n"),
        "{verdicts}"
    );
    assert_eq!(failures(&verdicts, "random"), [""; 0]);
    assert!(
        verdicts.ends_with("what the programs wrote is in runs/cup.check\n"),
        "{verdicts}"
    );
}

#[test]
fn bots_that_cannot_be_checked_are_reported() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("cup.toml"), "[event]\n").unwrap();
    assert_eq!(check_in(place.path()).0, 2);
    let player = "0190f5fe7c3a7d2e9f5b3c1d2e4f5a6b";
    let event = format!(
        "[event]\nname = 'cup'\ngame = 'linja'\n[service]\naddress = 'http://127.0.0.1:1'\n\
         [[bot]]\nname = 'far'\nplayer = '{player}'\n[[bot]]\nname = 'greedy'\nbuiltin = 'greedy'\n"
    );
    fs::write(place.path().join("cup.toml"), event).unwrap();
    let (code, verdicts) = check_in(place.path());
    assert_eq!(code, 0, "{verdicts}");
    assert!(verdicts.starts_with("far: is not tried"), "{verdicts}");
}
