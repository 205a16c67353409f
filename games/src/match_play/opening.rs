use super::InvalidOpening;
use crate::chance::Chance;
use crate::{Position, Seat, Turn};

/// The first game of a match with an opening.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenedGame<P> {
    /// The position after the opening.
    pub(super) position: P,
    /// The seat that had the first turn of the opening.
    pub(super) opener: Seat,
}

/// A source of chance that remembers if it was asked.
#[derive(Default)]
pub(super) struct NoChance {
    pub(super) asked: bool,
}

impl Chance for NoChance {
    fn below(&mut self, _: u32) -> u32 {
        self.asked = true;
        0
    }
}

/// Goes on to the seat that decides, past forced passes.
///
/// # Errors
///
/// A roll is due, or the game is over before the action with this number.
pub(super) fn decide_next<P: Position>(
    position: &mut P,
    number: usize,
) -> Result<(), InvalidOpening> {
    loop {
        match position.turn() {
            Turn::Decide(_) => return Ok(()),
            Turn::Pass(_) => position.pass(),
            Turn::Chance => return Err(InvalidOpening::Chance { number }),
            Turn::Over(_) => return Err(InvalidOpening::Over { number: number - 1 }),
        }
    }
}
