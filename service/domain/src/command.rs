use dragontooth_games::Seat;
use dragontooth_games::record::Thinking;
use dragontooth_service_vocabulary::{
    DisplayName, EndReason, FailureText, PlayerId, RequestId, SeedText, Sequence,
};

/// A command to a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take a seat.
    Join {
        /// The player.
        player: PlayerId,
        /// The seat; `None` means a reserved one or the first free one.
        seat: Option<Seat>,
        /// The player's name in the match.
        name: DisplayName,
        /// The player's share of the seed; `None` means the default.
        seed: Option<SeedText>,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// Answer a decision.
    Act {
        /// The player.
        player: PlayerId,
        /// The decision: the sequence of the event that made it due.
        decision: Sequence,
        /// The action in any notation of the game.
        action: String,
        /// The player's thoughts; left out if their value is from the view of the other seat.
        thinking: Option<Box<OfferedThinking>>,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// Resign the match.
    Resign {
        /// The player.
        player: PlayerId,
        /// Why the program cannot continue; `None` if the player resigns by choice.
        failure: Option<FailureText>,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// Abort the match.
    Abort {
        /// The player.
        player: PlayerId,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// Abort the match by the authority of an operator.
    AbortAsOperator {
        /// The operator.
        operator: PlayerId,
        /// The reason.
        reason: EndReason,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// Decline the reserved seat.
    Decline {
        /// The player.
        player: PlayerId,
        /// The reason; `None` if the player gives none.
        reason: Option<EndReason>,
        /// The request.
        request_id: Option<RequestId>,
    },
    /// End the match if it is under way with a limit on absence, because the grace of this seat has
    /// expired.
    EndGrace {
        /// The seat.
        seat: Seat,
        /// True if the opponent is away too.
        opponent_away: bool,
    },
    /// End the match if the clock of the seat to act, or the time to join, has run out.
    CheckClock,
}

impl Command {
    /// Returns the calling player; `None` for commands of operators, who see every match, and for those
    /// caused by time.
    #[must_use]
    pub const fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Join { player, .. }
            | Self::Act { player, .. }
            | Self::Resign { player, .. }
            | Self::Abort { player, .. }
            | Self::Decline { player, .. } => Some(*player),
            Self::AbortAsOperator { .. } | Self::EndGrace { .. } | Self::CheckClock => None,
        }
    }
}

/// Thoughts as a player sends them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedThinking {
    /// The seat from whose view the value is; `None` means that of the player.
    pub seat: Option<Seat>,
    /// The thoughts.
    pub thinking: Thinking,
}

impl OfferedThinking {
    /// Returns true if the thoughts are from the view of this seat.
    #[must_use]
    pub fn is_of(&self, seat: Seat) -> bool {
        self.seat.is_none_or(|view| view == seat)
    }
}
