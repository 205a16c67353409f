use super::{BotIndex, Pairing};

/// Encounters that can be played at the same time: no bot is in two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// The cycle, from 1.
    pub(super) cycle: u32,
    /// The round in the cycle, from 1.
    pub(super) number: u32,
    /// The pairings, each with its number in the round, from 1.
    pub(super) pairings: Vec<(u32, Pairing)>,
}

impl Round {
    /// Creates a round whose pairings are numbered in order.
    pub(super) fn new(
        cycle: u32,
        number: u32,
        pairings: impl IntoIterator<Item = Pairing>,
    ) -> Self {
        Self {
            cycle,
            number,
            pairings: (1..).zip(pairings).collect(),
        }
    }
}

impl Pairing {
    /// Returns the pairing with the seats swapped.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
        }
    }

    /// Returns the pairing as it is in odd cycles, swapped in even ones.
    pub(super) const fn in_cycle(self, cycle: u32) -> Self {
        if cycle.is_multiple_of(2) {
            self.swapped()
        } else {
            self
        }
    }

    /// Both bots.
    #[must_use]
    pub const fn bots(self) -> [BotIndex; 2] {
        [self.first, self.second]
    }
}
