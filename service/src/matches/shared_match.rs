use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_store::{MatchLog, MatchLogError, MatchReplay, StoredMatch};
use dragontooth_service_vocabulary::{MatchId, PlayerId, Recorded, Sequence, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// Events that are read from the log at once.
const PAGE_EVENTS: usize = 64;

/// A live match as its actor has left it, for everyone to read.
#[derive(Debug)]
pub(crate) struct SharedMatch {
    id: MatchId,
    state: Mutex<StoredMatch>,
    forfeits: Mutex<[Option<Timestamp>; 2]>,
    /// The times at which the players were last heard from other than by commands, by [`Seat::index`].
    heard: Mutex<[Timestamp; 2]>,
    has_heard: Notify,
    head: watch::Sender<Sequence>,
    /// The latest time at which the log had no more than is here.
    current: Mutex<Timestamp>,
    /// The moment of the last call that was about it.
    called: Mutex<Option<Instant>>,
    /// Its actor has let go of it although it goes on.
    is_at_rest: AtomicBool,
    /// The match as spectators see it, if any has asked.
    earlier: tokio::sync::Mutex<Option<MatchReplay>>,
}

impl SharedMatch {
    pub(crate) fn new(id: MatchId, state: StoredMatch) -> Self {
        let head = watch::Sender::new(state.head());
        Self {
            id,
            state: Mutex::new(state),
            forfeits: Mutex::default(),
            heard: Mutex::default(),
            has_heard: Notify::new(),
            head,
            current: Mutex::default(),
            called: Mutex::default(),
            is_at_rest: AtomicBool::new(false),
            earlier: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) const fn id(&self) -> MatchId {
        self.id
    }

    /// The match. The lock is held for moments and never while waiting.
    pub(crate) fn state(&self) -> MutexGuard<'_, StoredMatch> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The times at which seats whose players are away lose the match, by [`Seat::index`].
    pub(crate) fn forfeits(&self) -> [Option<Timestamp>; 2] {
        *self.forfeits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_forfeits(&self, forfeits: [Option<Timestamp>; 2]) {
        *self.forfeits.lock().unwrap_or_else(PoisonError::into_inner) = forfeits;
    }

    /// Notes that a player was there at a time, by a call or until its stream ended. Returns false if it has no seat.
    pub(super) fn hear(&self, player: PlayerId, time: Timestamp) -> bool {
        let Some(seat) = self.state().seat_of(player) else {
            return false;
        };
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let last = &mut heard[seat.index()];
        *last = time.max(*last);
        drop(heard);
        self.has_heard.notify_one();
        true
    }

    /// The time at which the player of a seat was last heard from other than by commands.
    pub(super) fn heard(&self, seat: Seat) -> Timestamp {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)[seat.index()]
    }

    /// Waits until a player is heard from again. Any number of times before are one.
    pub(super) async fn has_heard(&self) {
        self.has_heard.notified().await;
    }

    /// Notes that the log had no more at a time than is here.
    pub(super) fn note_current(&self, at: Timestamp) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = at.max(*current);
    }

    /// The latest time at which the log had no more than is here, as far as this service has looked.
    pub(super) fn current(&self) -> Timestamp {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call that is about the match.
    pub(super) fn note_call(&self) {
        *self.called.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns true if somebody watches the match, or has called about it within `time`.
    pub(super) fn is_looked_at(&self, time: Duration) -> bool {
        let called = *self.called.lock().unwrap_or_else(PoisonError::into_inner);
        self.head.receiver_count() > 0 || called.is_some_and(|called| called.elapsed() < time)
    }

    /// Notes that its actor lets go of it.
    pub(super) fn rest(&self) {
        self.is_at_rest.store(true, Ordering::Release);
    }

    /// Returns true if its actor has let go of it, so that what is here grows old.
    pub(super) fn is_at_rest(&self) -> bool {
        self.is_at_rest.load(Ordering::Acquire)
    }

    /// Tells of every new last event; closed when the match is over or the service drains.
    pub(crate) fn head(&self) -> watch::Receiver<Sequence> {
        self.head.subscribe()
    }

    /// The match as it was at `time`, with its creation in any case; the time does not go back from call to
    /// call.
    pub(super) async fn earlier(
        &self,
        log: &MatchLog,
        time: Timestamp,
    ) -> Result<Option<StoredMatch>, MatchLogError> {
        let mut earlier = self.earlier.lock().await;
        // Taken out, so that one that has failed is not used any more.
        let mut replay = earlier.take().unwrap_or_else(|| MatchReplay::new(self.id));
        loop {
            let page = log.read(self.id, replay.head(), PAGE_EVENTS).await?;
            let shown = page
                .iter()
                .take_while(|entry| is_shown(&entry.recorded, time));
            let mut pushed = 0;
            for entry in shown {
                replay.push(entry)?;
                pushed += 1;
            }
            if pushed < PAGE_EVENTS {
                break;
            }
        }
        let seen = replay.clone().into_match();
        *earlier = Some(replay);
        Ok(seen)
    }

    /// Reports the last event to those who follow the match, if it is another one.
    pub(super) fn publish_head(&self) {
        let head = self.state().head();
        // To wake followers takes a lock for each of the groups that they are in, even if there are none. A follower
        // that comes later reads what the log has by then.
        self.head.send_if_modified(|last| {
            let is_new = *last != head;
            *last = head;
            is_new && self.head.receiver_count() > 0
        });
    }
}

/// Returns true if spectators, for whom it is `time`, see an event: the creation at once, so that the match can
/// be found and joined, and everything else with the delay.
pub(crate) fn is_shown(recorded: &Recorded, time: Timestamp) -> bool {
    recorded.sequence == Sequence(1) || recorded.time <= time
}
