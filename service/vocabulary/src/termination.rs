use std::fmt;

/// The reason for which a match ended. Its text, as in records and results, is in snake case.
///
/// ```
/// use dragontooth_service_vocabulary::Termination;
///
/// assert_eq!(Termination::IllegalAction.to_string(), "illegal_action");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By the rules of the game and of match play.
    Normal,
    /// The loser's clock ran out.
    Timeout,
    /// The loser resigned.
    Resignation,
    /// The match was called off.
    Aborted,
    /// The loser reached the limit on illegal actions at one decision.
    IllegalAction,
    /// The loser was absent for longer than the grace. Without a winner, both were.
    Disconnect,
    /// A seat was still free when the time to join was over.
    Expired,
    /// A player declined the seat that was reserved for it.
    Declined,
}

impl Termination {
    /// Its name: `illegal_action`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Timeout => "timeout",
            Self::Resignation => "resignation",
            Self::Aborted => "aborted",
            Self::IllegalAction => "illegal_action",
            Self::Disconnect => "disconnect",
            Self::Expired => "expired",
            Self::Declined => "declined",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
