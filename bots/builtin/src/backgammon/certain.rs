use dragontooth_games::Seat;
use dragontooth_games::backgammon::{BAR, CHECKERS, Due, OFF, Position};

use super::bear_off::{BearOff, ROLLS_MAX};

/// The most checkers that a roll bears off, and the most pips that it moves: those of a double six.
const CHECKERS_OF_ROLL: u32 = 4;
const PIPS_OF_ROLL: u32 = 24;

/// Returns the seat that wins the game whatever the dice are and whatever the other plays, if the checkers have
/// passed each other and the table of bear-offs proves it. `None` unless a turn begins.
pub(crate) fn certain_winner(position: &Position) -> Option<Seat> {
    match position.due() {
        Due::Roll | Due::RollOrDouble => {}
        Due::OpeningRoll | Due::TakeOrDrop | Due::Moves(_) | Due::Answer(_) | Due::Nothing => {
            return None;
        }
    }
    if position.board().has_contact() {
        return None;
    }
    let roller = position.mover()?;
    Seat::BOTH.into_iter().find(|seat| {
        // The other rolls as often before the last roll of this seat, or once more if it begins.
        let head_start = u32::from(*seat != roller);
        rolls_at_most(position, *seat)
            .is_some_and(|most| most + head_start <= rolls_at_least(position, seat.other()))
    })
}

/// The rolls after which a seat is certainly done if it plays as the table does; `None` if the table does not have
/// its checkers.
fn rolls_at_most(position: &Position, seat: Seat) -> Option<u32> {
    let entry = BearOff::table().entry(&position.board().places(seat))?;
    // The last place stands for longer bear-offs, too.
    let most = entry.lengths.iter().rposition(|chance| *chance > 0.0)?;
    (most < ROLLS_MAX).then(|| u32::try_from(most).expect("the table has few places"))
}

/// A number of rolls that a seat needs in any case.
fn rolls_at_least(position: &Position, seat: Seat) -> u32 {
    let places = position.board().places(seat);
    let left = u32::from(CHECKERS - places[usize::from(OFF)]);
    let pips: u32 = (1..=BAR)
        .map(|place| u32::from(place) * u32::from(places[usize::from(place)]))
        .sum();
    // Nothing is borne off before all checkers are at home.
    left.div_ceil(CHECKERS_OF_ROLL)
        .max(pips.div_ceil(PIPS_OF_ROLL))
}
