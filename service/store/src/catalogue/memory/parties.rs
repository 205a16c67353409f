use std::collections::HashMap;

use dragontooth_service_vocabulary::PlayerId;

use crate::catalogue::Party;

/// A party by a number that is shorter than a player's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PartyNumber(u32);

/// The numbers of the players that have or had a match.
#[derive(Debug, Default)]
pub(super) struct Parties(HashMap<PlayerId, PartyNumber>);

impl PartyNumber {
    const ANYONE: Self = Self(0);
    const OPERATORS: Self = Self(1);
    const FIRST_PLAYER: u32 = 2;
}

impl Parties {
    pub(super) fn find(&self, party: Party) -> Option<PartyNumber> {
        match party {
            Party::Anyone => Some(PartyNumber::ANYONE),
            Party::Operators => Some(PartyNumber::OPERATORS),
            Party::Player(player) => self.0.get(&player).copied(),
        }
    }

    /// The number of a party, a new one if it has none.
    pub(super) fn enter(&mut self, party: Party) -> PartyNumber {
        let player = match party {
            Party::Anyone => return PartyNumber::ANYONE,
            Party::Operators => return PartyNumber::OPERATORS,
            Party::Player(player) => player,
        };
        let known = u32::try_from(self.0.len()).expect("2^32 players do not fit into memory");
        *self
            .0
            .entry(player)
            .or_insert(PartyNumber(known + PartyNumber::FIRST_PLAYER))
    }
}
