//! Runs that are killed outright again and again, in every format but the round robin, which
//! [`killed_anywhere`](super::killed_anywhere) has.

use std::fmt::Write;

use crate::command_line::{Place, start, wait_for_matches};
use crate::fixture::DRAW_SECRET;

/// An event of `bots` bots. Some of them are equal, so that encounters are drawn.
fn event(bots: usize, format: &str) -> String {
    let mut text = format!(
        "[event]\nname = 'cup'\n{DRAW_SECRET}\ngame = 'kamisado'\nvariant = 'random'\ntarget = 1\n\
         concurrency = 2\n{format}\n"
    );
    for bot in 1..=bots {
        let kind = if bot % 3 == 0 { "greedy" } else { "random" };
        write!(text, "[[bot]]\nname = 'b{bot}'\nbuiltin = '{kind}'\n").unwrap();
    }
    text
}

/// Whenever the runner is killed, the next one continues to the same tables.
fn check(bots: usize, format: &str) {
    let event = event(bots, format);
    let straight = Place::new(&event);
    let (code, expected, err) = straight.output(&["run", "cup.toml"]);
    assert!(code < 3, "{format}: {code}: {err}");
    let place = Place::new(&event);
    let mut kills = 0;
    loop {
        let mut child = start(&place);
        let goes_on = wait_for_matches(&mut child, 1 + kills % 3);
        child.kill().unwrap();
        child.wait().unwrap();
        if !goes_on {
            break;
        }
        kills += 1;
    }
    assert!(
        kills > 1,
        "{format}: the runs were over before they could be killed"
    );
    let (again, out, err) = place.output(&["run", "cup.toml"]);
    assert_eq!((again, &out), (code, &expected), "{format}: {err}");
}

#[test]
fn gauntlets_continue() {
    check(5, "format = 'gauntlet'\nchallengers = ['b2', 'b5']");
}

#[test]
fn swiss_events_continue() {
    check(5, "format = 'swiss'\nrounds = 3");
}

#[test]
fn knockouts_continue() {
    check(2, "format = 'knockout'\nextra_encounters = 9\nseed = 38");
    check(5, "format = 'knockout'");
}

#[test]
fn ladders_continue() {
    check(2, "format = 'ladder'\nrounds = 4");
    check(5, "format = 'ladder'");
}

/// The matches that are started beyond the end of the test are not always the same.
#[test]
fn sequential_tests_continue() {
    check(
        2,
        "format = 'sprt'\nsprt = { elo0 = -400, elo1 = 400, max_encounters = 60 }",
    );
}
