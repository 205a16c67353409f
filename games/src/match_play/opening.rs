use super::{InvalidOpening, MatchPlay, PlayError, Target};
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

/// The position from which an opening is played, and its text if it is the first entry.
///
/// # Errors
///
/// The first entry is a position from which no such match starts, or there is none and the variant draws it.
pub(super) fn start_of<P: MatchPlay>(
    first: &str,
    variant: P::Variant,
    target: Target,
) -> Result<(P, Option<String>), InvalidOpening> {
    let fault = match first.parse::<P>() {
        Ok(given) => {
            let start = given.as_start(variant, target);
            let start = start.map_err(|why| InvalidOpening::Start { why })?;
            return Ok((start, Some(start.to_string())));
        }
        Err(fault) => fault,
    };
    let mut chance = NoChance::default();
    let start = P::first_game(variant, target, &mut chance);
    if chance.asked {
        return Err(InvalidOpening::Drawn {
            variant: super::Variant::name(variant),
            entry: first.to_owned(),
            why: fault.to_string(),
        });
    }
    Ok((start, None))
}

/// The entry with this number, from 1, that cannot be played for this reason. Where no position is given, the first
/// one may be meant as one.
pub(super) fn refused<P: Position>(number: usize, entry: &str, why: PlayError) -> InvalidOpening {
    let is_unreadable = match why {
        PlayError::UnreadableAction(_) | PlayError::UnreadableRoll(_) => number == 1,
        PlayError::UnreadablePosition(_) | PlayError::Illegal { .. } | PlayError::OutOfStep => {
            false
        }
    };
    let why = if let PlayError::UnreadableRoll(why) = why {
        PlayError::UnreadableRoll(format!("a roll is due here: {why}"))
    } else {
        why
    };
    let entry = entry.to_owned();
    match entry.parse::<P>() {
        Err(fault) if is_unreadable => InvalidOpening::Unreadable {
            entry,
            why,
            position: fault.to_string(),
        },
        Ok(_) | Err(_) => InvalidOpening::Entry { number, entry, why },
    }
}

/// Plays the passes that are due before the entry with this number.
///
/// # Errors
///
/// The game is over.
pub(super) fn go_on<P: Position>(position: &mut P, number: usize) -> Result<(), InvalidOpening> {
    position.settle();
    match position.turn() {
        Turn::Decide(_) | Turn::Chance | Turn::Pass(_) => Ok(()),
        Turn::Over(_) => Err(InvalidOpening::Over { number: number - 1 }),
    }
}
