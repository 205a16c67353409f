//! Ends of games that no single action shows.

use dragontooth_games::tzaar::Position;
use dragontooth_games::{Position as _, Seat, Turn};

use crate::play::{legal, outcome, play, read, rows};

/// Every row of the data file is a position and its next step.
#[test]
fn ends_are_checked_in_order() {
    for [text, winner, reason] in rows(include_str!("data/ends.txt"), " | ") {
        let position: Position = read(text);
        let outcome = outcome(&position);
        let found = (outcome.winner.unwrap().to_string(), outcome.reason);
        assert_eq!((&*found.0, found.1), (winner, reason), "{text}");
        assert_eq!(outcome.points, 1);
        assert!(legal(&position).is_empty() && position.count_legal() == 0);
    }
}

/// After a first capture no further capture is required: a pass is still possible.
#[test]
fn a_pass_may_be_the_only_action() {
    for (before, capture) in [
        (
            "...../..Z.../......./......t./..z3.r3R../.......t3/......T/....../..... w 1",
            "e7xd7",
        ),
        (
            "r3..../....../......./......../.Zt...../....R.../..t3...T/z3...../..... w 1",
            "e2xe3",
        ),
    ] {
        let (after, _) = play(read::<Position>(before), capture);
        assert_eq!(legal(&after), "-", "{after}");
        let (after, _) = play(after, "-");
        assert!(
            matches!(after.turn(), Turn::Decide(Seat::Second)),
            "the game goes on"
        );
    }
}

#[test]
fn a_player_may_have_no_captures_while_it_is_not_his_turn() {
    let text = "Z2..../....../R....../......../T2......./......../z3....../.....t2/r3...z3 w 2";
    let (after, _) = play(read::<Position>(text), "-");
    assert!(!after.has_capture(Seat::First));
    assert!(
        matches!(after.turn(), Turn::Decide(Seat::Second)),
        "{after}"
    );
}
