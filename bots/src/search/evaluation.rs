use dragontooth_games::{Position, Seat};

use super::{Candidate, DEPTH_MAX};

/// What a search has to know of a game beyond its rules.
pub trait Evaluation<P: Position>: Send {
    /// The points of a win that `seat`, which decides, has within one action; none if it has none
    /// or that is not known.
    fn win_at_hand(&self, position: &P, seat: Seat) -> Option<u32>;

    /// How good the position is for `seat`, which decides and has no win at hand. Values beyond
    /// [`Value::STATIC_MAX`](super::Value::STATIC_MAX) count as that.
    fn evaluate(&self, position: &P, seat: Seat) -> i32;

    /// What it brings `winner` to have won this game, which is over, with so many points: from 0
    /// to [`Value::GAIN_MAX`](super::Value::GAIN_MAX).
    fn gain(&self, position: &P, winner: Seat, points: u32) -> u16;

    /// The most that `winner` may gain in this game, which is not over.
    fn gain_max(&self, position: &P, winner: Seat) -> u16;

    /// The most plies that are worth looking ahead from the position, from 1.
    fn depth_max(&self, position: &P) -> u8 {
        let _ = position;
        DEPTH_MAX
    }

    /// Hints which of the legal actions are worth looking at first: see [`Candidate::hint`].
    fn hint(&self, position: &P, seat: Seat, candidates: &mut [Candidate<P::Action>]);
}
