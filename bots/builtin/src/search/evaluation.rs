use dragontooth_games::{Position, Seat};

use super::DEPTH_MAX;

/// The knowledge of a game that a search needs beyond its rules.
pub trait Evaluation<P: Position>: Send {
    /// The points of a win within one action for `seat`, which decides; `None` if there is no such win or it is
    /// not known.
    fn win_at_hand(&self, position: &P, seat: Seat) -> Option<u32>;

    /// The static value of the position for `seat`, which decides and has no win at hand. Values beyond
    /// [`Value::STATIC_MAX`](super::Value::STATIC_MAX) are clamped.
    fn evaluate(&self, position: &P, seat: Seat) -> i32;

    /// The gain of `winner` from this finished game, won with `points` points: from 0 to
    /// [`Value::GAIN_MAX`](super::Value::GAIN_MAX).
    fn gain(&self, position: &P, winner: Seat, points: u32) -> u16;

    /// The largest gain that `winner` can reach in this game, which is not over.
    fn gain_max(&self, position: &P, winner: Seat) -> u16;

    /// Largest depth in plies that is worth searching from the position, at least 1.
    fn depth_max(&self, position: &P) -> u8 {
        let _ = position;
        DEPTH_MAX
    }

    /// Gives hints about the legal actions to search first: see [`Candidate::hint`].
    fn hint(&self, position: &P, seat: Seat, candidates: &mut [Candidate<P::Action>]);
}

/// A legal action to be searched.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<A> {
    pub(super) action: A,
    /// Its index in the order of the rules.
    pub(super) index: u16,
    /// Its slot in the history.
    pub(super) slot: u16,
    /// Candidates with a higher priority are searched earlier.
    pub(super) priority: i32,
}

impl<A: Copy> Candidate<A> {
    /// The action.
    #[must_use]
    pub const fn action(&self) -> A {
        self.action
    }

    /// Adds a hint: candidates with a higher hint are searched earlier. The default is 0.
    pub fn hint(&mut self, hint: i16) {
        self.priority += i32::from(hint) << HINT_SHIFT;
    }
}

/// Hints outweigh everything that a search learns about actions.
const HINT_SHIFT: u32 = 14;
/// Largest learnt priority, below that of a hint.
pub(super) const LEARNT_MAX: i32 = (1 << HINT_SHIFT) - 1;
/// Above the priority of every hint.
pub(super) const BEST_KNOWN: i32 = i32::MAX;
