use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_service_store::{PlayerSession, SessionBoard};
use dragontooth_service_vocabulary::{CloseReason, MatchId, Offer, PlayerId, Timestamp};
use dragontooth_service_wire::offer;

use super::lobby::Lobby;
use super::{PlayerStream, Sink};
use crate::wall_clock::WallClock;

/// The time that a player who is away is given in addition where other services have to hear first that it is back.
const HEARING: Duration = Duration::from_secs(1);

/// The players with their live matches and open streams, here and at the other services on the log.
#[derive(Debug)]
pub(crate) struct Players {
    clock: WallClock,
    /// Where other services hear of the streams, if there may be others.
    board: Option<Arc<dyn SessionBoard>>,
    entries: Mutex<HashMap<PlayerId, Player>>,
    lobby: Lobby,
    streams: AtomicU64,
}

#[derive(Debug, Default)]
struct Player {
    matches: BTreeSet<MatchId>,
    stream: Option<OpenStream>,
    /// The newest stream at another service.
    elsewhere: Option<Elsewhere>,
    /// The time at which the last stream ended, here or elsewhere.
    seen: Timestamp,
}

/// A stream of this service.
#[derive(Debug)]
struct OpenStream {
    sink: Sink,
    opened: Timestamp,
    offer: Option<Arc<Offer>>,
}

/// A stream of another service.
#[derive(Debug)]
struct Elsewhere {
    opened: Timestamp,
    offer: Option<Arc<Offer>>,
}

/// The signs that a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Whereabouts {
    /// It has a stream, at this service or another.
    pub(super) has_stream: bool,
    /// The time at which its last one ended.
    pub(super) seen: Timestamp,
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
        self.matches.is_empty() && self.stream.is_none() && self.elsewhere.is_none()
    }

    /// The time at which the newest stream was opened, and what the player said then.
    fn newest_stream(&self) -> Option<(Timestamp, Option<Arc<Offer>>)> {
        let here = self.stream.as_ref();
        let here = here.map(|stream| (stream.opened, &stream.offer));
        let elsewhere = self.elsewhere.as_ref();
        let elsewhere = elsewhere.map(|stream| (stream.opened, &stream.offer));
        let newest = [here, elsewhere].into_iter().flatten();
        let newest = newest.max_by_key(|(opened, _)| *opened);
        newest.map(|(opened, offer)| (opened, offer.clone()))
    }
}

impl Players {
    /// No players yet. The `board` is for other services.
    pub(super) fn new(clock: WallClock, board: Option<Arc<dyn SessionBoard>>) -> Self {
        Self {
            clock,
            board,
            entries: Mutex::default(),
            lobby: Lobby::default(),
            streams: AtomicU64::default(),
        }
    }

    /// Opens a stream for `player`, closes the one before it, and gives the player's live matches
    /// with it.
    pub(super) fn open_stream(
        self: &Arc<Self>,
        player: PlayerId,
        with_legal_actions: bool,
        offer: Option<Offer>,
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
        let now = self.clock.now();
        // It is the newest, whatever differs between the clocks.
        let elsewhere = entry.elsewhere.as_ref();
        let elsewhere = elsewhere.map(|stream| stream.opened.after(Duration::from_micros(1)));
        let opened = elsewhere.map_or(now, |time| time.max(now));
        let open = OpenStream {
            sink: sink.clone(),
            opened,
            offer: offer.map(Arc::new),
        };
        if let Some(older) = entry.stream.replace(open) {
            older.sink.close(CloseReason::Superseded);
        }
        self.post(player, Some(opened), now, entry.stream.as_ref());
        self.lobby.set(player, entry.newest_stream());
        let matches = entry.matches.iter().copied().collect();
        (sink, stream, matches)
    }

    /// Takes in a session at other services. If a stream there is newer than the one here, this one ends.
    pub(super) fn heard(&self, session: &PlayerSession) {
        let mut players = self.lock();
        let entry = players.entry(session.player).or_default();
        entry.elsewhere = session.opened.map(|opened| Elsewhere {
            opened,
            offer: (session.offer.as_deref().and_then(offer::from_bytes)).map(Arc::new),
        });
        entry.seen = entry.seen.max(session.seen);
        if let Some(stream) = &entry.stream
            && session.opened.is_some_and(|opened| opened > stream.opened)
        {
            stream.sink.close(CloseReason::Superseded);
        }
        self.lobby.set(session.player, entry.newest_stream());
        if entry.is_idle() {
            players.remove(&session.player);
        }
    }

    /// Notes, for other services, that a player has called who may have no stream.
    pub(super) fn note_call(&self, player: PlayerId, time: Timestamp) {
        if self.board.is_some() {
            let players = self.lock();
            let entry = players.get(&player);
            if entry.is_none_or(|entry| entry.stream.is_none()) {
                self.post(player, None, time, None);
            }
        }
    }

    /// The time by which a grace is longer because other services may know better.
    pub(super) fn hearing_time(&self) -> Duration {
        self.board.as_ref().map_or(Duration::ZERO, |_| HEARING)
    }

    fn post(
        &self,
        player: PlayerId,
        opened: Option<Timestamp>,
        seen: Timestamp,
        stream: Option<&OpenStream>,
    ) {
        if let Some(board) = &self.board {
            let offer = stream.and_then(|stream| stream.offer.as_deref());
            board.post(PlayerSession {
                player,
                opened,
                seen,
                offer: offer.map(|offer| offer::to_bytes(offer).into()),
            });
        }
    }

    /// The open stream of `player`.
    pub(super) fn stream(&self, player: PlayerId) -> Option<Sink> {
        let players = self.lock();
        let stream = players.get(&player)?.stream.as_ref()?;
        Some(stream.sink.clone())
    }

    /// The players with an open stream here.
    pub(super) fn with_streams(&self) -> Vec<PlayerId> {
        let players = self.lock();
        let open = players.iter().filter(|(_, entry)| entry.stream.is_some());
        open.map(|(player, _)| *player).collect()
    }

    /// Returns true if `player` has had a stream at another service since `time`, which has sent it what was due.
    pub(super) fn was_elsewhere(&self, player: PlayerId, time: Timestamp) -> bool {
        let players = self.lock();
        let entry = players.get(&player);
        let elsewhere = entry.and_then(|entry| entry.elsewhere.as_ref());
        elsewhere.is_some_and(|stream| stream.opened <= time)
    }

    /// The signs of `player` at all services.
    pub(super) fn whereabouts(&self, player: PlayerId) -> Whereabouts {
        let players = self.lock();
        let entry = players.get(&player);
        Whereabouts {
            has_stream: entry
                .is_some_and(|entry| entry.stream.is_some() || entry.elsewhere.is_some()),
            seen: entry.map_or_else(Timestamp::default, |entry| entry.seen),
        }
    }

    fn forget_stream(&self, player: PlayerId, number: u64) {
        self.change(player, |entry| {
            if entry
                .stream
                .as_ref()
                .is_some_and(|stream| stream.sink.number() == number)
            {
                entry.stream = None;
                entry.seen = self.clock.now();
                self.post(player, None, entry.seen, None);
                self.lobby.set(player, entry.newest_stream());
            }
        });
    }

    /// The players that are present.
    pub(super) const fn lobby(&self) -> &Lobby {
        &self.lobby
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
                stream.sink.close(reason);
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
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
