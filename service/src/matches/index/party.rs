use std::collections::HashMap;

use dragontooth_service_vocabulary::PlayerId;

/// A player, by a number that is shorter than its id, or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Party(u32);

/// The numbers of the players that have or had a match.
#[derive(Debug, Default)]
pub(super) struct Parties(HashMap<PlayerId, Party>);

impl Party {
    pub(super) const ANYONE: Self = Self(0);
    pub(super) const OPERATORS: Self = Self(1);
    const FIRST_PLAYER: u32 = 2;
}

impl Parties {
    pub(super) fn find(&self, player: PlayerId) -> Option<Party> {
        self.0.get(&player).copied()
    }

    /// The number of a player, a new one if it has none.
    pub(super) fn enter(&mut self, player: PlayerId) -> Party {
        let known = u32::try_from(self.0.len()).expect("2^32 players do not fit into memory");
        *self
            .0
            .entry(player)
            .or_insert(Party(known + Party::FIRST_PLAYER))
    }

    /// The numbers of the players in both seats; anyone in one that is free for anyone.
    pub(super) fn enter_both(&mut self, players: [Option<PlayerId>; 2]) -> [Party; 2] {
        players.map(|player| player.map_or(Party::ANYONE, |player| self.enter(player)))
    }

    /// The creator of a private match; anyone for a public one.
    pub(super) fn keeper(&mut self, creator: PlayerId, is_private: bool) -> Party {
        if is_private {
            self.enter(creator)
        } else {
            Party::ANYONE
        }
    }
}
