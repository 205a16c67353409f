use std::str::FromStr;

use crate::{InvalidText, SeedText};

/// The most matches for which a creator gives one seed.
pub const MAX_SEED_MATCHES: u32 = 1024;

/// A seed that the creator of one or more matches gives, so that they share their random choices.
///
/// It is secret until all of these matches are over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSeed {
    text: SeedText,
    matches: u32,
}

/// The error for a number of matches that cannot share a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is for 1 to {MAX_SEED_MATCHES} matches")]
pub struct InvalidSeedMatches;

impl SharedSeed {
    /// A seed for `matches` matches.
    ///
    /// # Errors
    ///
    /// The number is out of range.
    pub fn new(text: SeedText, matches: u32) -> Result<Self, InvalidSeedMatches> {
        if matches == 0 || matches > MAX_SEED_MATCHES {
            return Err(InvalidSeedMatches);
        }
        Ok(Self { text, matches })
    }

    /// The text that the creator gives.
    #[must_use]
    pub const fn text(&self) -> &SeedText {
        &self.text
    }

    /// The number of matches.
    #[must_use]
    pub const fn matches(&self) -> u32 {
        self.matches
    }
}

impl From<SeedText> for SharedSeed {
    /// A seed for one match.
    fn from(text: SeedText) -> Self {
        Self { text, matches: 1 }
    }
}

impl FromStr for SharedSeed {
    type Err = InvalidText;

    /// A seed for one match.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SeedText::new(text).map(Self::from)
    }
}
