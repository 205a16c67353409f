use std::fmt;

use crate::{IdentityName, PlayerName};

/// The name of a player in a match.
///
/// ```
/// use dragontooth_service_vocabulary::{IdentityName, PlayerName, DisplayName};
///
/// let claimed = DisplayName::SelfGiven(PlayerName::new("Ann")?);
/// let verified = DisplayName::Identity(IdentityName::new("Ann")?);
/// assert_eq!(claimed.as_str(), verified.as_str());
/// assert!(verified.is_verified() && !claimed.is_verified());
/// # Ok::<(), dragontooth_service_vocabulary::InvalidText>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayName {
    /// The player, with a token of its own choice, gave it itself: anyone may give any name.
    SelfGiven(PlayerName),
    /// The name of the player's identity, which only that identity has.
    Identity(IdentityName),
}

impl DisplayName {
    /// The name as text; empty if the player gave none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::SelfGiven(name) => name.as_str(),
            Self::Identity(name) => name.as_str(),
        }
    }

    /// Returns true if it is the name of the player's identity.
    #[must_use]
    pub const fn is_verified(&self) -> bool {
        matches!(self, Self::Identity(_))
    }
}

impl From<PlayerName> for DisplayName {
    fn from(name: PlayerName) -> Self {
        Self::SelfGiven(name)
    }
}

impl fmt::Display for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
