use dragontooth_games::Seat;

use super::Contender;
use crate::{Ending, Fault, Leg, MovesDigest};

/// An entry of the journal of an arena. All that is known of an arena follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaEntry {
    /// Two contenders are to play an encounter.
    Paired {
        /// Its number, from 1, without gaps.
        encounter: u64,
        /// The contenders; the first has the first seat in the first leg.
        contenders: [Contender; 2],
        /// Their public names, for people; may be empty.
        names: [String; 2],
    },
    /// A match of an encounter is over.
    Ended {
        /// The encounter.
        encounter: u64,
        /// The leg.
        leg: Leg,
        /// Its result.
        result: LegResult,
    },
}

/// The result of a match of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegResult {
    /// The winner; `None` if it was drawn or void.
    pub winner: Option<Seat>,
    /// The reason why it ended.
    pub termination: Ending,
    /// Fingerprint of the moves; `None` if they are not known.
    pub moves: Option<MovesDigest>,
    /// The faults, in order.
    pub faults: Vec<Fault>,
}

/// The reason why an entry does not follow those before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEntry {
    /// The encounters are not numbered in order.
    #[error("it pairs encounter {found}, where encounter {expected} is next")]
    OutOfOrder {
        /// The number that follows.
        expected: u64,
        /// The number that it has.
        found: u64,
    },
    /// The contenders are the same player.
    #[error("it pairs {0} with itself")]
    Itself(Contender),
    /// An anchor that the arena does not have.
    #[error("the arena has no anchor {0}")]
    UnknownAnchor(Contender),
    /// The encounter has not begun, or is over.
    #[error("encounter {0} is not open")]
    NotOpen(u64),
    /// The leg is over already.
    #[error("match {leg} of encounter {encounter} is over already", leg = leg.number())]
    Twice {
        /// The encounter.
        encounter: u64,
        /// The leg.
        leg: Leg,
    },
}
