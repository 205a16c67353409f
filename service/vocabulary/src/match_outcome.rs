use dragontooth_games::Seat;

use crate::{FailureText, PlayerId, Termination};

/// The result of a match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatchOutcome {
    /// The winner; `None` if the match was drawn or aborted.
    pub winner: Option<Seat>,
    /// The reason why it ended.
    pub termination: Termination,
    /// The player that aborted it; `None` if it was not aborted, and from early versions of the
    /// service.
    pub aborted_by: Option<PlayerId>,
    /// Why the program of the seat that resigned could not continue; `None` if it resigned by
    /// choice, and from early versions of the service.
    pub failure: Option<FailureText>,
}
