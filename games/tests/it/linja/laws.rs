//! Laws of Linja alone. Those of every game are elsewhere.

use dragontooth_games::linja::Position;
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use super::strategies::{half_turn, half_turn_action, positions};
use crate::play::{legal, read};
use crate::strategies::Choices;

const START: &str = "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1";

/// Maximum number of moves in a game: every piece moves from its start to its target row.
const MOVES_MAX: u32 = 126;

fn starts() -> impl Strategy<Value = String> {
    prop_oneof![Just(START.to_owned()), positions()]
}

/// The sum of the rows that all pieces still have to go.
fn rows_to_go(position: &Position) -> u32 {
    let of_seat = |seat| {
        let counts = position.advance(seat).map(u32::from);
        (0..8)
            .zip(counts)
            .map(|(row, count)| (7 - row) * count)
            .sum::<u32>()
    };
    of_seat(Seat::First) + of_seat(Seat::Second)
}

#[test]
fn a_game_has_at_most_126_moves() {
    assert_eq!(rows_to_go(&read(START)), MOVES_MAX);
}

proptest! {
    #[test]
    fn every_move_advances_and_no_two_passes_follow_each_other(
        start in starts(),
        mut choices in Choices::any(),
    ) {
        let mut position: Position = read(&start);
        let mut passed = false;
        loop {
            let before = position;
            match position.turn() {
                Turn::Chance => panic!("nothing is rolled in this game"),
                Turn::Over(_) => break,
                Turn::Pass(seat) => {
                    prop_assert!(!passed);
                    prop_assert_eq!(seat, position.to_move());
                    position.pass();
                    prop_assert_eq!(rows_to_go(&position), rows_to_go(&before));
                    passed = true;
                }
                Turn::Decide(_) => {
                    let actions = position.legal_actions();
                    position.play_unchecked(actions[choices.below(actions.len())]);
                    prop_assert!(rows_to_go(&position) < rows_to_go(&before));
                    passed = false;
                }
            }
        }
    }

    #[test]
    fn half_a_turn_keeps_the_rules(start in starts(), mut choices in Choices::any()) {
        let mut position: Position = read(&start);
        let mut image: Position = read(&half_turn(&start));
        loop {
            prop_assert_eq!(image.to_string(), half_turn(&position.to_string()));
            let mut expected: Vec<String> =
                legal(&position).split_whitespace().map(half_turn_action).collect();
            expected.reverse();
            prop_assert_eq!(legal(&image), expected.join(" "), "the order turns too");
            match (position.turn(), image.turn()) {
                (Turn::Decide(seat), Turn::Decide(other)) => {
                    prop_assert_eq!(other, seat.other());
                    let actions = position.legal_actions();
                    let action = actions[choices.below(actions.len())];
                    position.play_unchecked(action);
                    let action = half_turn_action(&action.to_string()).parse().unwrap();
                    prop_assert_eq!(image.play(action), Ok(action));
                }
                (Turn::Pass(seat), Turn::Pass(other)) => {
                    prop_assert_eq!(other, seat.other());
                    position.pass();
                    image.pass();
                }
                (Turn::Over(outcome), Turn::Over(other)) => {
                    prop_assert_eq!(other.winner, outcome.winner.map(Seat::other));
                    prop_assert_eq!(
                        (other.points, other.reason),
                        (outcome.points, outcome.reason)
                    );
                    break;
                }
                (turn, image) => prop_assert!(false, "{turn:?} and {image:?}"),
            }
        }
    }
}
