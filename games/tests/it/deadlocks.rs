use std::fmt::Write as _;

use dragontooth_games::kamisado::{DEADLOCK, Position};
use dragontooth_games::{GameOutcome, Position as _, Seat, Turn};

use crate::play::{legal, outcome, play, position};

/// All deadlocks after three moves, with the losing seat.
const AFTER_THREE: [(&str, Seat); 8] = [
    ("c1a3 b8h2 a3e7", Seat::First),
    ("c1c5 b8h2 c5e7", Seat::First),
    ("f1f5 g8a2 f5d7", Seat::First),
    ("f1h3 g8a2 h3d7", Seat::First),
    ("b1h7 c8a6 a6e2", Seat::Second),
    ("b1h7 c8c4 c4e2", Seat::Second),
    ("g1a7 f8f4 f4d2", Seat::Second),
    ("g1a7 f8h6 h6d2", Seat::Second),
];

#[test]
fn the_three_move_deadlocks_lose_for_the_last_to_move() {
    for (actions, loser) in AFTER_THREE {
        let (end, passes) = play(Position::standard(), actions);
        let winner = Some(loser.other());
        let expected = GameOutcome {
            winner,
            points: 1,
            reason: DEADLOCK,
        };
        assert_eq!(outcome(&end), expected, "{actions}");
        assert_eq!(passes, [loser.other(), loser], "{actions}");
    }
}

#[test]
fn there_are_no_other_deadlocks_after_three_moves() {
    let mut found = Vec::new();
    visit_ends(Position::standard(), 3, &mut String::new(), &mut found);
    let mut expected = AFTER_THREE.map(|(actions, _)| actions);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

fn visit_ends(position: Position, depth: u32, line: &mut String, found: &mut Vec<String>) {
    match position.turn() {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Over(outcome) if outcome.reason == DEADLOCK => found.push(line.trim().to_owned()),
        Turn::Over(_) => {}
        Turn::Decide(_) | Turn::Pass(_) if depth == 0 => {}
        Turn::Decide(_) | Turn::Pass(_) => position.for_each_legal(|action| {
            let length = line.len();
            write!(line, " {action}").unwrap();
            let mut next = position;
            next.play_unchecked(action);
            next.settle();
            visit_ends(next, depth - 1, line, found);
            line.truncate(length);
        }),
    }
}

#[test]
fn two_passes_are_no_deadlock() {
    let (after, passes) = play(Position::standard(), "d1d7 g8a2 f1f3 a8a4");
    assert_eq!(passes, [Seat::First, Seat::Second]);
    assert_eq!(after.turn(), Turn::Decide(Seat::First));
    assert!(after.to_string().ends_with(" b m"), "{after}");
    assert!(!legal(&after).is_empty());
}

#[test]
fn the_tooth_goes_to_the_winners_tower_of_the_colour_that_was_reached() {
    let (end, _) = play(Position::standard(), "c1a3 b8h2 a3e7");
    let tower = end.deciding_tower().unwrap();
    assert_eq!(
        (tower.seat, tower.colour.to_string().as_str()),
        (Seat::Second, "blue")
    );
}

/// Black's orange move to f5, green, ends it: White's green on c7, Black's pink on d6 and White's
/// red on d8 pass, and Black's pink would be next again. The tooth is White's green's all the same.
#[test]
fn a_chain_may_enter_its_circle_from_outside() {
    let (end, passes) = play(position("3R4/2GlYOM1/gPBp4/y5m1/L3o3/r4b2/8/8 b o"), "e4f5");
    assert_eq!(passes, [Seat::Second, Seat::First, Seat::Second]);
    assert_eq!(end.to_string(), "3R4/2GlYOM1/gPBp4/y4om1/L7/r4b2/8/8 b p G");
    assert_eq!(outcome(&end).winner, Some(Seat::Second));
    assert_reads_back(&end);
}

/// A position, the push that ends it, the passes after it, and the outcome with its points for the
/// seat that did not push.
const AFTER_PUSH: [(&str, &str, [Seat; 2], &str, u32); 2] = [
    (
        // Black's purple lands on a3, blue: White's blue on h7, purple, and that purple pass
        // forever. The pusher is on a4, so Black's yellow sumo gets the tooth.
        "8/G+1y+4L/5o+g+++l/R++2B+P+3/mrM5/4O1b+1/5Y2/6p++1 w r",
        "a5a4",
        [Seat::Second, Seat::First],
        "8/G+1y+4L/5o+g+++l/3B+P+3/R++rM5/m3O1b+1/5Y2/6p++1 w l y",
        2,
    ),
    (
        // White's pink lands on a6, green: it and the pusher on a5, pink, pass forever.
        "O7/G+1L+1R+3/1b+++1p++l2y+/Po1B4/g+++1M5/m+7/Y++5r+1/8 b g",
        "a4a5",
        [Seat::First, Seat::Second],
        "O7/G+1L+1R+3/Pb+++1p++l2y+/g+++o1B4/2M5/m+7/Y++5r+1/8 b g P",
        1,
    ),
];

#[test]
fn the_last_real_move_may_be_a_push() {
    for (start, push, expected_passes, expected_end, points) in AFTER_PUSH {
        let (end, passes) = play(position(start), push);
        let winner = Some(position(start).to_move().other());
        assert_eq!(
            outcome(&end),
            GameOutcome {
                winner,
                points,
                reason: DEADLOCK
            }
        );
        assert_eq!(passes, expected_passes);
        assert_eq!(end.to_string(), expected_end);
        assert_reads_back(&end);
    }
}

/// Without a fourth field the last real move is taken to be the opponent's.
#[test]
fn a_parsed_deadlock_ends_when_its_pair_returns() {
    let text = "8/G+1y+4L/5o+g+++l/3B+P+3/R++rM5/m3O1b+1/5Y2/6p++1 w l";
    let read = position(text);
    assert_eq!(read.turn(), Turn::Pass(Seat::Second));
    let (end, passes) = play(read, "");
    assert_eq!(passes, [Seat::Second, Seat::First]);
    assert_eq!(outcome(&end).winner, Some(Seat::Second));
    assert_eq!(end.deciding_tower().unwrap().colour.to_string(), "blue");
    assert_eq!(end.to_string(), text);
    assert_ne!(end, position(&format!("{text} y")));
}

fn assert_reads_back(end: &Position) {
    let read = position(&end.to_string());
    assert_eq!(read, *end);
    let (settled, _) = play(read, "");
    assert_eq!(settled.turn(), end.turn(), "{end}");
    assert_eq!(settled.to_string(), end.to_string());
}
