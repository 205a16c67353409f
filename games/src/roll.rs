use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::chance::Chance;

/// What chance gives in the course of a game, such as two dice.
pub trait Roll:
    Copy
    + Eq
    + Hash
    + Debug
    + Display
    + FromStr<Err: Error + Send + Sync + 'static>
    + Send
    + Sync
    + 'static
{
    /// All rolls, each as likely as the others.
    const ALL: &'static [Self];

    /// Draws a roll: the number that `chance` gives below the number of rolls is its place in
    /// [`Roll::ALL`]. None if there are no rolls.
    fn draw(chance: &mut dyn Chance) -> Option<Self> {
        let count = u32::try_from(Self::ALL.len())
            .ok()
            .filter(|count| *count > 0)?;
        Some(Self::ALL[chance.below(count) as usize])
    }
}

/// The roll of a game in which chance has no part after the start: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoRoll {}

impl Roll for NoRoll {
    const ALL: &'static [Self] = &[];
}

impl Display for NoRoll {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl FromStr for NoRoll {
    type Err = ParseNoRollError;

    fn from_str(_: &str) -> Result<Self, Self::Err> {
        Err(ParseNoRollError)
    }
}

/// A text that is to be a roll in a game that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is rolled in this game")]
pub struct ParseNoRollError;
