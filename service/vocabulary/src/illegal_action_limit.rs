/// The greatest limit on illegal actions. The service remembers more requests of a match than this, so
/// that a repeated one always counts once.
pub const MAX_ILLEGAL_ACTIONS: u32 = 32;

/// The number of illegal actions at one decision that loses the match: 1 to [`MAX_ILLEGAL_ACTIONS`].
///
/// A text that is not an action of the game counts like an action that a rule forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IllegalActionLimit(u32);

/// The error for a number that is not a limit on illegal actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a limit on illegal actions is 1 to {MAX_ILLEGAL_ACTIONS}")]
pub struct InvalidIllegalActionLimit;

impl IllegalActionLimit {
    /// The limit of this number.
    ///
    /// # Errors
    ///
    /// The number is out of range.
    pub const fn new(actions: u32) -> Result<Self, InvalidIllegalActionLimit> {
        if actions == 0 || actions > MAX_ILLEGAL_ACTIONS {
            return Err(InvalidIllegalActionLimit);
        }
        Ok(Self(actions))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}
