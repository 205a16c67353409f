use crate::{Seat, counted};

/// An entry that is read although the format has it otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Deviation {
    #[error("the format has no entry Losses: read as a win of seat {}", loser.other())]
    Losses { loser: Seat },
    #[error("the format has no entry Losses, and this one has no column: skipped")]
    LossesOfEither,
    #[error("the game is worth {} by the rules, not {found}: read as a win of {value}", counted(*value, "point"))]
    Below { found: u32, value: u32 },
}

impl Deviation {
    /// The deviation of a win that is recorded with `found` points, if it is worth more.
    pub(super) fn below(found: u32, value: u32) -> Option<Self> {
        (found < value).then_some(Self::Below { found, value })
    }
}
