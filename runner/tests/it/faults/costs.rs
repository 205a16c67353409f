use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::bot::{own, rightly};
use super::place::{Place, write_program};
use super::{ABSENT, ABSENT_COSTS, LATE_COSTS, PRESENT};
use crate::command_line::runner;

#[test]
fn a_crash_costs_nothing() {
    for script in ["exit 3", "kill -SEGV $$", "exec /does/not/exist"] {
        let played = Place::new(script, "", ABSENT).run(Duration::ZERO);
        played.lost_by(&["crash"]);
    }
    let played = Place::new(&own("crash"), "", PRESENT).run(LATE_COSTS);
    played.lost_by(&["crash"]);
}

/// Its program keeps running.
#[test]
fn a_failure_reported_by_the_bot_is_a_crash() {
    let played = Place::new(&own("fails"), "", PRESENT).without_haste();
    let played = played.run(Duration::ZERO);
    played.lost_by(&["crash"]);
    for result in &played.results {
        assert_eq!(result["faults"][0]["detail"], "ValueError: 7", "{result}");
        assert_eq!(result["termination"], "resignation", "{result}");
    }
}

#[test]
fn a_hang_costs_the_limit() {
    let place = Place::new("sleep 1000 & wait", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn endless_output_costs_the_limit() {
    let place = Place::new("yes", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
    let log = fs::metadata(place.path().join("runs/cup/logs/bad.log")).unwrap();
    assert!(log.len() <= dragontooth_runner_programs::MAX_LOG_BYTES);
}

#[test]
fn gigabytes_without_a_line_cost_the_limit_and_no_memory() {
    let place = Place::new("exec cat /dev/zero", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn a_closed_stream_costs_the_limit() {
    let place = Place::new("exec >&- 2>&- <&-; sleep 1000", "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn garbage_costs_the_limit() {
    let place = Place::new(&own("garbage"), "", ABSENT);
    place.run(ABSENT_COSTS).lost_by(&["stall", "crash"]);
}

#[test]
fn an_illegal_action_costs_the_time() {
    let place = Place::new(&own("illegal"), "", PRESENT);
    place.run(LATE_COSTS).lost_by(&["time"]);
    let log = fs::read_to_string(place.path().join("runs/cup/logs/bad.log")).unwrap();
    assert!(log.contains("refused"), "{log}");
}

/// As many as the limit allows, at one decision.
#[test]
fn illegal_actions_lose_the_match() {
    let place = Place::new(&own("stubborn"), "time_control = 'none'", PRESENT);
    let played = place.run(LATE_COSTS);
    played.lost_by(&["illegal"]);
    for result in &played.results {
        assert_eq!(result["termination"], "illegal_action", "{result}");
        let detail = "too many illegal actions at one decision, the last \"a1a1\", which rule ";
        let told = result["faults"][0]["detail"].as_str().unwrap();
        assert!(told.starts_with(detail), "{told}");
    }
    let log = fs::read_to_string(place.path().join("runs/cup/logs/bad.log")).unwrap();
    let refused = log.lines().filter(|line| *line == "refused").count();
    // The run may be over before it has read the last one.
    assert!((5..=6).contains(&refused), "{log}");
    for arguments in [
        &["verify", "runs/cup"][..],
        &["table", "runs/cup", "--junit", "faults.xml"],
    ] {
        let output = runner(place.path(), arguments).output().unwrap();
        let expected = i32::from(arguments[0] == "table");
        assert_eq!(output.status.code(), Some(expected), "{output:?}");
    }
    let faults = fs::read_to_string(place.path().join("faults.xml")).unwrap();
    assert!(faults.contains("illegal"), "{faults}");
}

#[test]
fn illegal_actions_are_free_without_a_limit() {
    let limits = format!("{PRESENT}\nillegal_actions = 0");
    let played = Place::new(&own("stubborn"), "", &limits).run(LATE_COSTS);
    played.lost_by(&["time"]);
}

#[test]
fn resigning_after_an_illegal_action_counts_as_illegal() {
    let played = Place::new(&own("quitter"), "time_control = 'none'", PRESENT).run(LATE_COSTS);
    played.lost_by(&["illegal"]);
    for result in &played.results {
        assert_eq!(result["termination"], "resignation", "{result}");
    }
}

/// The match is neither void nor replayed: a bot that has seen the first position cannot undo it.
#[test]
fn a_match_under_way_is_not_aborted() {
    let limits = format!("{PRESENT}\ndecision_ms = 2000");
    let played = Place::new(&own("abort"), "time_control = 'none'", &limits).run(LATE_COSTS);
    played.lost_by(&["stall"]);
    for result in &played.results {
        assert_eq!(result.get("replays"), None, "{result}");
    }
}

#[test]
fn a_late_answer_costs_the_time() {
    let played = Place::new(&own("late"), "", PRESENT).run(LATE_COSTS);
    played.lost_by(&["time"]);
}

#[test]
fn a_refusal_to_quit_costs_the_grace() {
    let script = "trap '' TERM INT HUP\nwhile :; do sleep 1; done";
    let played = Place::new(script, "", ABSENT).run(ABSENT_COSTS);
    let told = "waiting until the programs have ended, at most 2 s\n";
    assert!(played.said.contains(told), "{}", played.said);
    played.lost_by(&["stall", "crash"]);
}

#[test]
fn a_fault_costs_one_match_however_long_the_program_takes_to_end() {
    let script = format!(
        "if mkdir once; then trap '' TERM; while :; do sleep 1; done; fi\n{}",
        rightly()
    );
    let place = Place::new(&script, "", PRESENT).without_haste();
    let played = place.run(Duration::from_mins(1));
    let [first, second] = &played.results[..] else {
        panic!("{}", played.said);
    };
    assert_eq!(first["faults"][0]["kind"], "stall", "{first}");
    assert_eq!(second["faults"], Value::Array(vec![]), "{second}");
}

#[test]
fn a_program_that_cannot_be_started_ends_the_run() {
    let place = Place::new("exit 0", "", ABSENT);
    // It is marked as a program but is not one.
    write_program(&place.path().join("bad"), "\u{7f}ELF");
    let played = place.run(Duration::ZERO);
    assert_eq!(played.code, 3);
    assert!(
        played.said.contains("the bot bad cannot be started"),
        "{}",
        played.said
    );
}

#[test]
fn a_slow_start_is_not_a_fault() {
    let script = format!("sleep 0.5\n{}", rightly());
    let place = Place::new(&script, "", "join_ms = 60000").without_haste();
    let played = place.run(Duration::from_mins(1));
    assert_eq!(
        (played.code, played.results.len()),
        (0, 2),
        "{}",
        played.said
    );
}
