use std::fmt::{self, Write};

use super::position::Phase;
use super::{CubeLimit, Position, Resignation};
use crate::Seat;

/// The prefix of an XGID.
pub(super) const PREFIX: &str = "XGID=";
/// The word for a mover that chose to roll.
pub(super) const ROLL: &str = "roll";
/// The word for a double that was dropped.
pub(super) const DROPPED: &str = "dropped";
/// The prefix of a resignation that is offered.
pub(super) const RESIGN: &str = "resign:";
/// The prefix of a resignation that was accepted.
pub(super) const RESIGNED: &str = "resigned:";
/// The prefix of the highest resignation that was declined.
pub(super) const DECLINED: &str = "declined:";
/// The word for a highest cube that counts.
pub(super) const CAPPED: &str = "capped";
/// The dice field while a double is offered.
pub(super) const DOUBLE_OFFERED: &str = "D";
/// The dice field before the roll.
pub(super) const NO_DICE: &str = "00";
/// The highest cube in doublings, for the last field of a position without a limit.
const MAX_CUBE: u8 = 10;

impl fmt::Display for Position {
    /// Writes the XGID, followed by words for the state that it cannot express.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.write_board(f)?;
        let cube_owner = match self.cube.owner() {
            None => 0,
            Some(owner) => sign(owner),
        };
        let turn = self.mover().map_or(0, sign);
        write!(f, ":{}:{cube_owner}:{turn}:", self.cube.doublings())?;
        match self.phase {
            Phase::Opening | Phase::Start | Phase::Rolling => f.write_str(NO_DICE)?,
            Phase::Doubled | Phase::Dropped => f.write_str(DOUBLE_OFFERED)?,
            Phase::Moving(dice) => write!(f, "{dice}")?,
        }
        let stakes = &self.stakes;
        let is_capped = stakes.cube_limit != CubeLimit::HIGHEST;
        let max_cube = if is_capped {
            stakes.cube_limit.doublings()
        } else {
            self.cube.doublings().max(MAX_CUBE)
        };
        write!(
            f,
            ":{}:{}:{}:{}:{}",
            stakes.score[0],
            stakes.score[1],
            u8::from(stakes.crawford || stakes.jacoby),
            stakes.length,
            max_cube
        )?;
        match self.phase {
            Phase::Rolling => write!(f, " {ROLL}")?,
            Phase::Dropped => write!(f, " {DROPPED}")?,
            Phase::Opening | Phase::Start | Phase::Doubled | Phase::Moving(_) => {}
        }
        let offer = if self.resigned { RESIGNED } else { RESIGN };
        write_resignation(offer, self.resigns, f)?;
        write_resignation(DECLINED, self.declined, f)?;
        if is_capped {
            write!(f, " {CAPPED}")?;
        }
        Ok(())
    }
}

impl Position {
    fn write_board(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in 0..26 {
            let bottom = if place == 0 {
                0
            } else {
                self.board.at(Seat::First, place)
            };
            let top = if place == 25 {
                0
            } else {
                self.board.at(Seat::Second, 25 - place)
            };
            f.write_char(match (bottom, top) {
                (0, 0) => '-',
                (0, top) => char::from(b'a' + top - 1),
                (bottom, _) => char::from(b'A' + bottom - 1),
            })?;
        }
        Ok(())
    }
}

fn write_resignation(
    word: &str,
    resignation: Option<Resignation>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match resignation {
        Some(resignation) => write!(f, " {word}{}", resignation.times()),
        None => Ok(()),
    }
}

/// The XGID sign of a seat: 1 for the bottom player, -1 for the top player.
pub(super) const fn sign(seat: Seat) -> i8 {
    match seat {
        Seat::First => 1,
        Seat::Second => -1,
    }
}
