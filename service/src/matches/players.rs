mod player;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_service_store::{PlayerSession, SessionBoard};
use dragontooth_service_vocabulary::{
    CloseReason, MatchId, Offer, OfferPeriod, PlayerId, Timestamp,
};
use dragontooth_service_wire::offer;
pub(super) use player::OfferWatch;
use player::{Elsewhere, OfferedHere, OpenStream, Player};

use super::lobby::Lobby;
use super::{PlayerStream, Refusal, Sink};
use crate::limits::Guard;
use crate::wall_clock::WallClock;

/// The time that a player who is away is given in addition where other services have to hear first that it is back.
const HEARING: Duration = Duration::from_secs(1);

/// The time for which the withdrawal of an offer is posted: longer than the others take to hear of it.
const WITHDRAWAL: Duration = Duration::from_secs(10);

/// The age of a session without a stream at which the others certainly still read it; they forget those of a minute.
const STILL_READ: Duration = Duration::from_secs(30);

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

/// An offer by a call that counts from now on.
#[derive(Debug)]
pub(super) struct OfferSet {
    pub(super) period: OfferPeriod,
    /// If nobody watches its end yet.
    pub(super) unwatched: Option<OfferWatch>,
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
        let opened = entry.newer(now);
        entry.offered = None;
        let open = OpenStream {
            sink: sink.clone(),
            opened,
            offer: offer.map(Arc::new),
        };
        if let Some(older) = entry.stream.replace(open) {
            older.sink.close(CloseReason::Superseded);
        }
        self.post(player, entry, now);
        self.lobby.set(player, entry.presence(now));
        let matches = entry.matches.iter().copied().collect();
        (sink, stream, matches)
    }

    /// Notes what a player accepts until a time, without a stream. `since` is the time of its first call, if this is not that;
    /// one that is the first closes the player's stream.
    pub(super) fn set_offer(
        &self,
        player: PlayerId,
        since: Option<Timestamp>,
        offer: Offer,
        ttl: Duration,
        guard: &Guard,
    ) -> Result<OfferSet, Refusal> {
        let mut players = self.lock();
        let now = self.clock.now();
        let before = players.get(&player);
        let opened =
            before.map_or_else(|| Ok(since.unwrap_or(now)), |entry| entry.go_on(since, now))?;
        let offered = before.and_then(|entry| entry.offered.as_ref());
        let is_counted = offered.is_some_and(|offered| offered.slot.is_some());
        let slot = (!is_counted).then(|| guard.make_offer()).transpose()?;
        let entry = players.entry(player).or_default();
        let period = OfferPeriod {
            since: since.unwrap_or(opened),
            expires: now.after(ttl),
        };
        let (watch, unwatched) = self.offer_watch(entry);
        let before = entry.offered.as_mut();
        let slot = slot.or_else(|| before?.slot.take());
        entry.offered = Some(OfferedHere {
            watch,
            opened,
            period,
            offer: Some(Arc::new(offer)),
            posted_until: period.expires,
            slot,
        });
        if let Some(stream) = entry.stream.take() {
            stream.sink.close(CloseReason::Superseded);
        }
        entry.seen = now;
        self.post(player, entry, now);
        self.lobby.set(player, entry.presence(now));
        Ok(OfferSet { period, unwatched })
    }

    /// The watch of a player's offers, and again if nobody has it yet.
    fn offer_watch(&self, entry: &Player) -> (OfferWatch, Option<OfferWatch>) {
        if let Some(offered) = &entry.offered {
            return (offered.watch.clone(), None);
        }
        let watch = OfferWatch {
            number: self.streams.fetch_add(1, Ordering::Relaxed),
            moved: Arc::default(),
        };
        (watch.clone(), Some(watch))
    }

    /// Withdraws an offer. Returns the watch of the end of that, if nobody watches it yet.
    pub(super) fn withdraw_offer(
        &self,
        player: PlayerId,
        since: Option<Timestamp>,
    ) -> Result<Option<OfferWatch>, Refusal> {
        let mut players = self.lock();
        let Some(entry) = players.get_mut(&player) else {
            return Ok(None);
        };
        let now = self.clock.now();
        let newest = entry.newest();
        // Without an id it is any offer of the player, but not its stream.
        let Some(period) = newest.and_then(|newest| newest.period) else {
            return if newest.is_some() && since.is_some() {
                Err(Refusal::Superseded)
            } else {
                Ok(None)
            };
        };
        let opened = entry.go_on(Some(since.unwrap_or(period.since)), now)?;
        let (watch, unwatched) = self.offer_watch(entry);
        entry.offered = Some(OfferedHere {
            watch,
            opened,
            period: OfferPeriod {
                expires: now,
                ..period
            },
            offer: None,
            posted_until: (self.board.as_ref()).map_or(now, |_| now.after(WITHDRAWAL)),
            slot: None,
        });
        entry.seen = now;
        self.post(player, entry, now);
        self.lobby.set(player, entry.presence(now));
        Ok(unwatched)
    }

    /// The time at which a watched offer ends. One that is over, or not the player's any more, is forgotten: `None`.
    pub(super) fn offer_end(&self, player: PlayerId, watch: &OfferWatch) -> Option<Timestamp> {
        let now = self.clock.now();
        let mut end = None;
        self.change(player, |entry| {
            let offered = entry.offered.as_ref();
            let Some(offered) = offered.filter(|offered| offered.watch.number == watch.number)
            else {
                return;
            };
            if offered.posted_until > now {
                end = Some(offered.posted_until);
                return;
            }
            entry.offered = None;
            self.post(player, entry, entry.seen.max(now.before(STILL_READ)));
            self.lobby.set(player, entry.presence(now));
        });
        end
    }

    /// Takes in a session at other services. If a stream there is newer than the one here, this one ends, and so does an offer.
    pub(super) fn heard(&self, session: &PlayerSession) {
        let mut players = self.lock();
        let entry = players.entry(session.player).or_default();
        let said = session.offer.as_deref();
        entry.elsewhere = session.opened.map(|opened| Elsewhere {
            opened,
            period: said.and_then(offer::period_from_bytes),
            offer: said.and_then(offer::from_bytes).map(Arc::new),
        });
        entry.seen = entry.seen.max(session.seen);
        let is_newer = |own: Timestamp| session.opened.is_some_and(|opened| opened > own);
        if let Some(stream) = &entry.stream
            && is_newer(stream.opened)
        {
            stream.sink.close(CloseReason::Superseded);
        }
        let now = self.clock.now();
        if entry
            .offered
            .take_if(|offered| is_newer(offered.opened))
            .is_some()
        {
            self.post(
                session.player,
                entry,
                entry.seen.max(now.before(STILL_READ)),
            );
        }
        self.lobby.set(session.player, entry.presence(now));
        if entry.is_idle() {
            players.remove(&session.player);
        }
    }

    /// Notes, for other services, that a player has called who may have no stream.
    pub(super) fn note_call(&self, player: PlayerId, time: Timestamp) {
        if self.board.is_some() {
            let players = self.lock();
            let entry = players.get(&player);
            let away = Player::default();
            let entry = entry.unwrap_or(&away);
            if entry.stream.is_none() {
                self.post(player, entry, time);
            }
        }
    }

    /// The time by which a grace is longer because other services may know better.
    pub(super) fn hearing_time(&self) -> Duration {
        self.board.as_ref().map_or(Duration::ZERO, |_| HEARING)
    }

    /// Posts what other services have to know of a player: its stream here, or its offer.
    fn post(&self, player: PlayerId, entry: &Player, seen: Timestamp) {
        let Some(board) = &self.board else {
            return;
        };
        let stream = entry.stream.as_ref();
        let stream = stream.map(|stream| (stream.opened, None, stream.offer.as_deref()));
        let offered = entry.offered.as_ref().map(|offered| {
            let offer = offered.offer.as_deref();
            (offered.opened, Some(offered.period), offer)
        });
        let newest = [stream, offered].into_iter().flatten();
        let newest = newest.max_by_key(|(opened, ..)| *opened);
        let said = newest.filter(|(_, period, offer)| period.is_some() || offer.is_some());
        board.post(PlayerSession {
            player,
            opened: newest.map(|(opened, ..)| opened),
            seen,
            offer: said.map(|(_, period, offer)| offer::to_bytes(offer, period).into()),
        });
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
        let elsewhere = entry.filter(|entry| entry.has_stream_elsewhere());
        let elsewhere = elsewhere.and_then(|entry| entry.elsewhere.as_ref());
        elsewhere.is_some_and(|stream| stream.opened <= time)
    }

    /// The signs of `player` at all services.
    pub(super) fn whereabouts(&self, player: PlayerId) -> Whereabouts {
        let players = self.lock();
        let entry = players.get(&player);
        Whereabouts {
            has_stream: entry
                .is_some_and(|entry| entry.stream.is_some() || entry.has_stream_elsewhere()),
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
                self.post(player, entry, entry.seen);
                self.lobby.set(player, entry.presence(entry.seen));
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
