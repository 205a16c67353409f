//! The bots on Backgammon.

use dragontooth_bots_builtin::backgammon::MatchEquity;

use crate::engines::{make_for, untimed};

fn choose(spec: &str, position: &str) -> String {
    make_for("backgammon", spec)
        .choose(position, &untimed(1))
        .unwrap()
}

/// Neil Kazaross' table "XG2" (2011), in per cent, by the points that both sides lack.
#[test]
fn match_equities_are_near_the_published_ones() {
    for (own, other, published) in [
        (2, 3, 59.9),
        (2, 4, 66.9),
        (2, 5, 74.4),
        (3, 4, 57.1),
        (3, 5, 64.8),
        (3, 7, 76.0),
        (4, 5, 57.7),
        (5, 7, 61.9),
        (1, 2, 67.7),
        (1, 3, 75.1),
        (1, 5, 84.2),
    ] {
        let computed = 100.0 * MatchEquity::of(own, other, false);
        assert!(
            (computed - published).abs() < 1.0,
            "{computed} for {own} away and {other} away, published: {published}"
        );
        let turned = 100.0 * MatchEquity::of(other, own, false);
        assert!((computed + turned - 100.0).abs() < 1e-6);
    }
    assert!((MatchEquity::of(1, 2, true) - 0.5).abs() < 0.02);
    assert!((MatchEquity::of(25, 25, false) - 0.5).abs() < 1e-9);
    assert!(MatchEquity::of(99, 25, false) < MatchEquity::of(99, 90, false));
}

#[test]
fn a_race_is_doubled_and_taken_by_its_chances() {
    // Money, the last roll of both: 29 of 36 rolls win, or 19 of 36.
    for (board, answer) in [
        ("-A--A-------------------b-", "drop"),
        ("--A--A------------------b-", "take"),
    ] {
        let before = format!("XGID={board}:0:0:1:00:0:0:0:0:10");
        assert_eq!(choose("expectimax", &before), "double", "{board}");
        let offered = format!("XGID={board}:0:0:1:D:0:0:0:0:10");
        assert_eq!(choose("expectimax", &offered), answer, "{board}");
    }
}

/// After the Crawford game the side that trails has nothing to lose by a double.
#[test]
fn the_score_decides_about_the_cube() {
    let trailing = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:2:0:3:10";
    assert_eq!(choose("expectimax", trailing), "double");
    let even = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10";
    assert_eq!(choose("expectimax", even), "roll");
}

/// The best opening plays, on which all books agree.
#[test]
fn opening_rolls_are_played_as_in_the_books() {
    for (dice, play) in [
        ("31", "8/5 6/5"),
        ("42", "8/4 6/4"),
        ("61", "13/7 8/7"),
        ("65", "24/13"),
    ] {
        let position = format!("XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:7:10");
        assert_eq!(choose("expectimax", &position), play, "{dice}");
    }
    let one = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10";
    assert_eq!(choose("greedy", one), "8/5 6/5");
}

#[test]
fn resignations_are_accepted_if_they_are_enough() {
    let gammon = "XGID=-BBCCC-h-g----------------:0:0:-1:00:0:0:0:0:10 resign:1";
    let even = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10 resign:1";
    for spec in ["greedy", "expectimax"] {
        assert_eq!(choose(spec, gammon), "decline", "{spec}");
        assert_eq!(choose(spec, even), "accept", "{spec}");
    }
}

/// First leads by far in pips, but has one or two checkers on the bar against five closed points.
#[test]
fn a_bot_that_is_shut_out_does_not_redouble() {
    for board in ["--ABCDDa--a-a---b--bbbbb-A", "-CCCBB---b---c-----bbbb-bB"] {
        let own = format!("XGID={board}:3:1:1:00:0:0:0:0:10");
        for spec in ["greedy", "expectimax"] {
            assert_eq!(choose(spec, &own), "roll", "{spec} {board}");
        }
    }
}

/// At any height the same position has the same answer.
#[test]
fn cubes_are_judged_alike_at_every_height() {
    for board in [
        "-b----E-C---eE---c-e----B-",
        "---BBCDB-B----b---bdcbb---",
        "--A--A------------------b-",
        "-ACCCaBA--A----A-b-cc-c-c-",
    ] {
        for spec in ["greedy", "expectimax"] {
            let answers = [2, 5, 6, 7, 9].map(|doublings| {
                let redouble = format!("XGID={board}:{doublings}:1:1:00:0:0:0:0:10");
                let offered = format!("XGID={board}:{doublings}:1:1:D:0:0:0:0:10");
                (choose(spec, &redouble), choose(spec, &offered))
            });
            assert!(
                answers.iter().all(|answer| *answer == answers[0]),
                "{spec} {board}: {answers:?}"
            );
        }
    }
}
