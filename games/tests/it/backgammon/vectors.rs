//! The vectors of the rules page.

use std::collections::BTreeSet;

use dragontooth_games::backgammon::{Board, Dice, Position};
use dragontooth_games::{Position as _, Seat};

use super::scenes::position_text;
use crate::play::{read, rows};

#[test]
fn dice_lead_to_the_published_positions() {
    let mut rows_read = 0;
    for [id, dice, results] in rows(include_str!("data/vectors.txt"), " | ") {
        for seat in Seat::BOTH {
            let board = Board::from_position_id(id, seat).unwrap();
            let dice: Dice = dice.parse().unwrap();
            for dice in [dice, Dice::new(dice.second(), dice.first()).unwrap()] {
                let position: Position = read(&position_text(&board, seat, dice));
                let found: BTreeSet<String> = position
                    .legal_actions()
                    .into_iter()
                    .map(|action| position.result_of(action))
                    .collect();
                let expected: BTreeSet<String> =
                    results.split_whitespace().map(str::to_owned).collect();
                assert_eq!(found, expected, "{id} {dice}");
            }
        }
        rows_read += 1;
    }
    assert_eq!(rows_read, 7);
}
