use crate::REMEMBERED_REQUESTS;

/// The greatest limit on illegal actions: fewer than the requests of a match that are remembered, so that one
/// that is repeated always counts once.
pub const MAX_ILLEGAL_ACTIONS: u32 = 32;

const _: () = assert!((MAX_ILLEGAL_ACTIONS as usize) < REMEMBERED_REQUESTS);

/// With how many illegal actions at one decision a seat loses the match: 1 to [`MAX_ILLEGAL_ACTIONS`].
///
/// A text that is no action of the game counts as one that a rule forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IllegalActionLimit(u32);

/// A number that cannot be such a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a limit on illegal actions is 1 to {MAX_ILLEGAL_ACTIONS}")]
pub struct InvalidIllegalActionLimit;

impl IllegalActionLimit {
    /// The limit of this number.
    ///
    /// # Errors
    ///
    /// The number is out of the range.
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
