//! Compares the move generator with a second implementation of the rules.

use std::collections::BTreeSet;

use dragontooth_games::backgammon::{Action, Dice, Position};
use dragontooth_games::{Position as _, Roll as _, Seat, Turn};

use super::scenes::{KINDS, position_text, scene};
use super::slow::Slow;
use crate::play::read;
use crate::strategies::Choices;

/// Number of boards of each kind.
const SCENES: u32 = 5_000;
/// Random games.
const GAMES: u64 = 150;

pub(crate) fn slow(position: &Position, seat: Seat) -> Slow {
    Slow {
        own: position.board().places(seat),
        other: position.board().places(seat.other()),
    }
}

/// Compares the plays of a position with the slow rules and returns their number.
fn compare(position: &Position, dice: Dice) -> usize {
    let seat = position.mover().unwrap();
    let expected = slow(position, seat).results([dice.first(), dice.second()]);
    let mut results = BTreeSet::new();
    let mut texts = BTreeSet::new();
    position.for_each_legal(|action| {
        let mut next = *position;
        next.play_unchecked(action);
        assert!(
            results.insert(slow(&next, seat)),
            "{position}: {action} reaches a position twice"
        );
        assert!(
            texts.insert(action.to_string()),
            "{position}: {action} twice"
        );
    });
    assert_eq!(results, expected, "{position}");
    let turn = if expected.is_empty() {
        Turn::Pass(seat)
    } else {
        Turn::Decide(seat)
    };
    assert_eq!(position.turn(), turn, "{position}");
    results.len()
}

#[test]
fn plays_in_random_scenes_are_the_same() {
    for kind in KINDS {
        let mut choices = Choices::new(7);
        let mut plays = 0;
        for number in 0..SCENES {
            let (board, dice) = scene(kind, &mut choices);
            let seat = Seat::BOTH[usize::from(number % 2 == 0)];
            let board = if seat == Seat::First {
                board
            } else {
                let [own, other] = Seat::BOTH.map(|seat| board.places(seat));
                dragontooth_games::backgammon::Board::new([other, own]).unwrap()
            };
            let position: Position = read(&position_text(&board, seat, dice));
            plays += compare(&position, dice);
        }
        assert!(plays > 2_000, "{kind}: {plays}");
    }
}

#[test]
fn plays_in_random_games_are_the_same() {
    for seed in 0..GAMES {
        let mut choices = Choices::new(seed);
        let mut position = Position::match_start(1).unwrap();
        loop {
            match position.turn() {
                Turn::Chance => position.roll(Dice::ALL[choices.below(36)]),
                Turn::Pass(_) => {
                    compare(&position, position.rolled().unwrap());
                    position.pass();
                }
                Turn::Decide(_) => {
                    compare(&position, position.rolled().unwrap());
                    let legal = position.legal_actions();
                    let action = legal[choices.below(legal.len())];
                    assert!(matches!(action, Action::Play(_)));
                    position.play(action).unwrap();
                }
                Turn::Over(_) => break,
            }
        }
    }
}
