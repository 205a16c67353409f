use std::fmt;

use dragontooth_service_vocabulary::{BuildText, PlayerId};

use crate::Name;

/// The unit that an arena rates: an anchor, or a build of a player.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Contender {
    /// A bot of the arena with a frozen rating.
    Anchor(Name),
    /// A build of a player.
    Build {
        /// The player.
        player: PlayerId,
        /// Its build; empty if it did not say.
        build: BuildText,
    },
}

impl Contender {
    /// Returns true if they are the same anchor, or builds of the same player.
    #[must_use]
    pub fn is_same_player(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Anchor(one), Self::Anchor(other)) => one == other,
            (Self::Build { player: one, .. }, Self::Build { player: other, .. }) => one == other,
            (Self::Anchor(_), Self::Build { .. }) | (Self::Build { .. }, Self::Anchor(_)) => false,
        }
    }

    /// The build; `None` for an anchor and for a player that did not say.
    #[must_use]
    pub fn build(&self) -> Option<&str> {
        match self {
            Self::Anchor(_) => None,
            Self::Build { build, .. } => Some(build.as_str()).filter(|build| !build.is_empty()),
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor(name) => name.fmt(f),
            Self::Build { player, build } if build.as_str().is_empty() => player.fmt(f),
            Self::Build { player, build } => write!(f, "{player} {build}"),
        }
    }
}
