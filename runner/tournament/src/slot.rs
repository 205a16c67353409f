use std::fmt;
use std::str::FromStr;

use super::Pairing;

/// The number of a match in the schedule, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchNumber(u32);

impl MatchNumber {
    pub(super) fn new(number: usize) -> Self {
        Self(u32::try_from(number).expect("an event has at most MAX_MATCHES"))
    }

    /// The number, from 0.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// The place of a match in a schedule. All numbers are from 1.
///
/// Its text is the end of the match's title: `c1/r2/p1/m1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot {
    /// The cycle; in a knockout the number of the encounter within the pairing.
    pub cycle: u32,
    /// The round in the cycle.
    pub round: u32,
    /// The pairing in the round.
    pub pairing: u32,
    /// The match in the encounter.
    pub leg: Leg,
}

/// One of the two matches of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leg {
    /// The seats are as in the pairing.
    One,
    /// The seats are swapped.
    Two,
}

/// A text that is not a slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a place in a schedule is written like c1/r2/p3/m1")]
pub struct ParseSlotError;

impl Slot {
    /// The place of the encounter of this match: `c1/r2/p1`.
    #[must_use]
    pub fn encounter(&self) -> String {
        format!("c{}/r{}/p{}", self.cycle, self.round, self.pairing)
    }
}

impl Leg {
    /// Both legs, in order.
    pub const BOTH: [Self; 2] = [Self::One, Self::Two];

    /// Its number, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Returns the bots of this leg; `pairing` are those of the first.
    #[must_use]
    pub const fn seated(self, pairing: Pairing) -> Pairing {
        match self {
            Self::One => pairing,
            Self::Two => pairing.swapped(),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/m{}", self.encounter(), self.leg.number())
    }
}

impl FromStr for Slot {
    type Err = ParseSlotError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('/');
        let mut number = |letter: char| {
            let digits = parts.next()?.strip_prefix(letter)?;
            digits
                .parse()
                .ok()
                .filter(|number: &u32| number.to_string() == digits)
        };
        let numbers = (number('c'), number('r'), number('p'), number('m'));
        let (Some(cycle), Some(round), Some(pairing), Some(leg)) = numbers else {
            return Err(ParseSlotError);
        };
        let leg = Leg::BOTH
            .into_iter()
            .find(|each| each.number() == leg)
            .ok_or(ParseSlotError)?;
        if parts.next().is_some() {
            return Err(ParseSlotError);
        }
        Ok(Self {
            cycle,
            round,
            pairing,
            leg,
        })
    }
}
