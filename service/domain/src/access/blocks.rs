use std::collections::{BTreeSet, HashMap};

use dragontooth_service_vocabulary::PlayerId;

/// The players that others block: whose invitations they refuse.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    of_players: HashMap<PlayerId, BTreeSet<PlayerId>>,
    total: usize,
}

impl Blocks {
    /// Returns true if `player` blocks `other`.
    #[must_use]
    pub fn is_blocked(&self, player: PlayerId, other: PlayerId) -> bool {
        let blocked = self.of_players.get(&player);
        blocked.is_some_and(|blocked| blocked.contains(&other))
    }

    /// The players that `player` blocks, in the order of their ids.
    pub fn of(&self, player: PlayerId) -> impl Iterator<Item = PlayerId> {
        self.of_players.get(&player).into_iter().flatten().copied()
    }

    /// The number of players that `player` blocks.
    #[must_use]
    pub fn count(&self, player: PlayerId) -> usize {
        self.of_players.get(&player).map_or(0, BTreeSet::len)
    }

    /// The number of blocks of all players.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Adds a block; returns false if it is there.
    pub(super) fn add(&mut self, player: PlayerId, blocked: PlayerId) -> bool {
        let is_new = self.of_players.entry(player).or_default().insert(blocked);
        self.total += usize::from(is_new);
        is_new
    }

    /// Removes a block; returns false if there is none.
    pub(super) fn remove(&mut self, player: PlayerId, blocked: PlayerId) -> bool {
        let Some(of_player) = self.of_players.get_mut(&player) else {
            return false;
        };
        let was_there = of_player.remove(&blocked);
        self.total -= usize::from(was_there);
        if of_player.is_empty() {
            self.of_players.remove(&player);
        }
        was_there
    }
}
