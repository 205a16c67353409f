use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_service_vocabulary::{CloseReason, MatchId, PlayerId};

use super::{PlayerStream, Sink};

/// The players with their live matches and open streams.
#[derive(Debug, Default)]
pub(crate) struct Players {
    players: Mutex<HashMap<PlayerId, Player>>,
    streams: AtomicU64,
}

#[derive(Debug, Default)]
struct Player {
    matches: BTreeSet<MatchId>,
    stream: Option<Sink>,
}

/// The entry of an open stream, which is removed when this is dropped.
#[derive(Debug)]
struct StreamEntry {
    players: Arc<Players>,
    player: PlayerId,
    number: u64,
}

impl Drop for StreamEntry {
    fn drop(&mut self) {
        self.players.forget_stream(self.player, self.number);
    }
}

impl Player {
    fn is_idle(&self) -> bool {
        self.matches.is_empty() && self.stream.is_none()
    }
}

impl Players {
    /// Opens a stream for `player`, closes the one before it, and gives the player's live matches
    /// with it.
    pub(super) fn open_stream(
        self: &Arc<Self>,
        player: PlayerId,
        with_legal_actions: bool,
        capacity: usize,
    ) -> (Sink, PlayerStream, Vec<MatchId>) {
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        let entry = StreamEntry {
            players: Arc::clone(self),
            player,
            number,
        };
        let (sink, stream) =
            PlayerStream::open(number, Box::new(entry), with_legal_actions, capacity);
        let mut players = self.lock();
        let entry = players.entry(player).or_default();
        if let Some(older) = entry.stream.replace(sink.clone()) {
            older.close(CloseReason::Superseded);
        }
        let matches = entry.matches.iter().copied().collect();
        (sink, stream, matches)
    }

    /// The open stream of `player`.
    pub(super) fn stream(&self, player: PlayerId) -> Option<Sink> {
        self.lock().get(&player)?.stream.clone()
    }

    /// Returns true if `player` has an open stream.
    pub(super) fn has_stream(&self, player: PlayerId) -> bool {
        let players = self.lock();
        players
            .get(&player)
            .is_some_and(|entry| entry.stream.is_some())
    }

    fn forget_stream(&self, player: PlayerId, number: u64) {
        self.change(player, |entry| {
            if entry
                .stream
                .as_ref()
                .is_some_and(|stream| stream.number() == number)
            {
                entry.stream = None;
            }
        });
    }

    /// The live matches of `player`.
    pub(super) fn matches(&self, player: PlayerId) -> Vec<MatchId> {
        let players = self.lock();
        let matches = players.get(&player).map(|entry| &entry.matches);
        matches.into_iter().flatten().copied().collect()
    }

    pub(super) fn add_match(&self, player: PlayerId, id: MatchId) {
        self.lock().entry(player).or_default().matches.insert(id);
    }

    pub(super) fn remove_match(&self, player: PlayerId, id: MatchId) {
        self.change(player, |entry| {
            entry.matches.remove(&id);
        });
    }

    pub(super) fn close_all_streams(&self, reason: CloseReason) {
        for player in self.lock().values() {
            if let Some(stream) = &player.stream {
                stream.close(reason);
            }
        }
    }

    fn change(&self, player: PlayerId, change: impl FnOnce(&mut Player)) {
        let mut players = self.lock();
        if let Some(entry) = players.get_mut(&player) {
            change(entry);
            if entry.is_idle() {
                players.remove(&player);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PlayerId, Player>> {
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
