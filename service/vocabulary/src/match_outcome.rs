use dragontooth_games::Seat;

use crate::{EndReason, FailureText, PlayerId, Termination};

/// The result of a match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatchOutcome {
    /// The winner; `None` if the match was drawn, or ended without one.
    pub winner: Option<Seat>,
    /// The reason why it ended.
    pub termination: Termination,
    /// The player or operator that aborted it, or the player that declined it; `None` if nobody did, and from
    /// early versions of the service.
    pub aborted_by: Option<PlayerId>,
    /// Why the program of the seat that resigned could not continue; `None` if it resigned by
    /// choice, and from early versions of the service.
    pub failure: Option<FailureText>,
    /// The reason for which an operator aborted it, who always gives one, or a player declined it. `None` in a
    /// match that its creator or a player aborted.
    pub reason: Option<EndReason>,
}

impl MatchOutcome {
    /// Creates the result of a match that nobody called off, without the failure of a program.
    #[must_use]
    pub const fn new(winner: Option<Seat>, termination: Termination) -> Self {
        Self {
            winner,
            termination,
            aborted_by: None,
            failure: None,
            reason: None,
        }
    }
}
