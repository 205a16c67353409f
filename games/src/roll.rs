use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::chance::Chance;

/// A random event during a game, such as a roll of two dice.
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
    /// All rolls, equally likely.
    const ALL: &'static [Self];

    /// Draws a roll: one number from `chance` is its index in [`Roll::ALL`]. `None` if there are no
    /// rolls.
    fn draw(chance: &mut dyn Chance) -> Option<Self> {
        let count = u32::try_from(Self::ALL.len())
            .ok()
            .filter(|count| *count > 0)?;
        Some(Self::ALL[chance.below(count) as usize])
    }
}

/// The roll type of a game without chance after its start. It has no values.
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

/// The error of parsing a roll in a game that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this game has no rolls")]
pub struct ParseNoRollError;
