use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use dragontooth_service_store::{
    ChainHead, ChainedEvent, Heads, MatchLog, MatchLogError, MatchReplay, NewHead, RESERVED_STREAM,
    ReadError, StoredMatch, StreamId,
};
use dragontooth_service_vocabulary::{MatchId, Sequence, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tracing::{debug, error};

use super::Matches;
use crate::matches::Refusal;
use crate::matches::actor::{Duty, clock_start, clock_start_elsewhere, is_followed};
use crate::matches::message::Message;

/// Matches that are read at once.
const MATCHES_AT_ONCE: usize = 256;

/// Messages of other services that wait for those who watch lists.
const HEARD_AT_ONCE: usize = 64;

/// Events of a match that are read at once.
const PAGE_EVENTS: usize = 64;

/// The time between two looks at the log itself.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// The time after which a timer is overdue that no service has seen to: the others have had theirs by then.
const OVERDUE: Duration = Duration::from_secs(8);

/// The time after which another service may take an overdue match if nothing has happened in it.
const TAKE_AGAIN: Duration = Duration::from_mins(1);

/// The pause before what could not be read, or delivered, is tried again.
const PAUSE: Duration = Duration::from_millis(100);

impl Matches {
    /// Follows what other services append to the matches that somebody here plays or looks at, and takes up those whose timers nobody
    /// sees to, if the log is shared, for as long as it is polled.
    pub(crate) async fn follow_matches(self: &Arc<Self>) {
        let Some(feed) = self.log.feed() else {
            return std::future::pending().await;
        };
        let (heard, noted) = mpsc::channel(HEARD_AT_ONCE);
        let hearing = async {
            loop {
                let heads = feed.take().await;
                self.send_listed(&heads, &heard);
                self.hear(&feed, heads).await;
            }
        };
        let looking = async {
            let mut ticks = interval(LOOK_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = ticks.tick() => {}
                    () = feed.gap() => {}
                }
                if let Err(error) = self.look(&feed).await {
                    debug!(%error, "the matches cannot be looked at");
                }
            }
        };
        let taking = async {
            let mut ticks = interval(LOOK_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if let Err(error) = self.take_up_overdue().await {
                    debug!(%error, "overdue matches cannot be taken up");
                }
            }
        };
        tokio::join!(hearing, looking, taking, self.note_listed(noted));
    }

    /// Takes in the heads of matches that others have moved.
    async fn hear(self: &Arc<Self>, feed: &Arc<Heads>, heads: HashMap<StreamId, NewHead>) {
        let unread: Vec<_> = heads
            .into_iter()
            .filter(|(stream, _)| *stream != RESERVED_STREAM)
            .filter_map(|(stream, new)| {
                let id = MatchId::from_bytes(stream.0);
                Some((id, new, self.needed_after(id, &new)?))
            })
            .collect();
        for some in unread.chunks(MATCHES_AT_ONCE) {
            match self.read_news(some).await {
                Ok(again) => try_again(feed, again),
                Err(error) => {
                    debug!(%error, "what other services append cannot be read");
                    feed.add(some.iter().map(|(id, new, _)| (stream(*id), *new)));
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// The head from which a match has to be read up to a new one; `None` if nothing is missing, or nobody here follows it.
    fn needed_after(&self, id: MatchId, new: &NewHead) -> Option<ChainHead> {
        let Some(live) = self.live_entry(id) else {
            let mut concerned = new.players.iter().flatten();
            let is_of_player = concerned.any(|player| self.players.stream(*player).is_some());
            return (is_of_player && !self.is_damaged(id)).then(|| MatchLog::start(id));
        };
        let known = live.shared.state().chain_head();
        if known.sequence >= new.head {
            return None;
        }
        if is_followed(&live.shared, &self.players) {
            return Some(known);
        }
        // A match whose mailbox is full finds out when it is looked at.
        let _ = live
            .mailbox
            .messages
            .try_send(Box::new(Message::Overtaken(new.head)));
        None
    }

    /// Looks at the log itself, in case a message was lost.
    async fn look(self: &Arc<Self>, feed: &Arc<Heads>) -> Result<(), MatchLogError> {
        if feed.take_gap() {
            self.news.note_gap();
        }
        let catalogue = self.log.catalogue();
        let live: Vec<_> = self.lock().live.keys().copied().collect();
        let begun = self.now();
        let mut heads = self.log.heads(&live).await?;
        heads.retain(|id, head| !self.is_current(*id, *head, begun));
        feed.add(heads.into_iter().map(|(id, head)| {
            let new = NewHead {
                head,
                ..NewHead::default()
            };
            (stream(id), new)
        }));
        for id in catalogue.matches_of(self.players.with_streams()).await? {
            self.take_up_if_new(id, Duty::None).await?;
        }
        let live_anywhere = catalogue.live().await?;
        self.live_anywhere.store(live_anywhere, Ordering::Relaxed);
        Ok(())
    }

    /// Returns true if a match that had this head at a time, or later, is here up to that, and notes it.
    fn is_current(&self, id: MatchId, head: Sequence, at: Timestamp) -> bool {
        let Some(live) = self.live_entry(id) else {
            return false;
        };
        let is_current = live.shared.state().head() >= head;
        if is_current {
            live.shared.note_current(at);
        }
        is_current
    }

    /// Takes up all matches whose timers nobody has seen to. Those that are taken are not overdue any more, for this service or another.
    async fn take_up_overdue(self: &Arc<Self>) -> Result<(), MatchLogError> {
        let catalogue = self.log.catalogue();
        let now = self.now();
        let (overdue, again) = (now.before(OVERDUE), now.after(TAKE_AGAIN));
        loop {
            let taken = catalogue
                .take_overdue(overdue, again, MATCHES_AT_ONCE)
                .await?;
            let may_be_more = taken.len() == MATCHES_AT_ONCE;
            let mut all_taken_up = Ok(());
            for id in taken {
                debug!(match_id = %id, "nobody has seen to the timers of the match");
                let taken_up = self.take_up_if_new(id, Duty::OfGone).await;
                // The others would wait until they may be taken again.
                all_taken_up = all_taken_up.and(taken_up);
            }
            all_taken_up?;
            if !may_be_more {
                return Ok(());
            }
        }
    }

    /// Gives a match an actor, if it has none here and is not over.
    ///
    /// # Errors
    ///
    /// The storage has failed.
    pub(super) async fn take_up_if_new(
        self: &Arc<Self>,
        id: MatchId,
        duty: Duty,
    ) -> Result<(), MatchLogError> {
        if self.live_entry(id).is_some() || self.is_damaged(id) {
            return Ok(());
        }
        match self.log.replay(id).await {
            Ok(Some(state)) if state.result().is_none() => self.take_up_heard(id, state, duty),
            Ok(_) => {}
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => self.note_damage(id, error),
        }
        Ok(())
    }

    fn is_damaged(&self, id: MatchId) -> bool {
        let damaged = self.damaged.lock();
        damaged
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&id)
    }

    fn note_damage(&self, id: MatchId, error: MatchLogError) {
        let damaged = self.damaged.lock();
        let is_new = damaged.unwrap_or_else(PoisonError::into_inner).insert(id);
        if !is_new {
            return;
        }
        let refusal = Refusal::unreadable(id, error);
        error!(match_id = %id, %refusal, "match is not followed");
    }

    /// Reads matches and passes on what is new. Returns those that have to be looked at again.
    async fn read_news(
        self: &Arc<Self>,
        unread: &[(MatchId, NewHead, ChainHead)],
    ) -> Result<Vec<(StreamId, NewHead)>, ReadError> {
        let known: HashMap<_, _> = unread.iter().map(|(id, _, known)| (*id, *known)).collect();
        let mut read = self.log.read_many(&known, PAGE_EVENTS).await?;
        let mut again = Vec::new();
        for (id, new, known) in unread {
            let events = read.remove(id).unwrap_or_else(|| Ok(Vec::new()));
            let is_new = known.sequence == Sequence::START;
            let done = match events {
                Ok(events) if is_new => self.take_up_new(*id, events).await.map(|()| true),
                Ok(events) => Ok(self.deliver(*id, events)),
                Err(error) => Err(error),
            };
            match done {
                Ok(true) => {}
                Ok(false) => again.push((stream(*id), *new)),
                Err(error) if error.is_unavailable() => again.push((stream(*id), *new)),
                Err(error) => self.note_damage(*id, error),
            }
            tokio::task::consume_budget().await;
        }
        Ok(again)
    }

    /// Gives a live match events that another service has appended. Returns false if there may be more, or it is busy.
    fn deliver(&self, id: MatchId, events: Vec<ChainedEvent>) -> bool {
        let Some(live) = self.live_entry(id) else {
            return true;
        };
        let is_whole = events.len() < PAGE_EVENTS;
        match live
            .mailbox
            .messages
            .try_send(Box::new(Message::Grown(events)))
        {
            // One that has just ended has them.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => is_whole,
            Err(mpsc::error::TrySendError::Full(_)) => false,
        }
    }

    /// Enters a match that another service has created, from its first events on.
    async fn take_up_new(
        self: &Arc<Self>,
        id: MatchId,
        mut events: Vec<ChainedEvent>,
    ) -> Result<(), MatchLogError> {
        let mut replay = MatchReplay::new(id);
        loop {
            for entry in &events {
                replay.push(entry)?;
            }
            if events.len() < PAGE_EVENTS {
                break;
            }
            events = self.log.read(id, replay.head(), PAGE_EVENTS).await?;
        }
        let Some(state) = replay.into_match() else {
            return Ok(());
        };
        if state.result().is_none() {
            self.take_up_heard(id, state, Duty::None);
        }
        Ok(())
    }

    /// Goes on with a match of which this service has just heard.
    pub(super) fn take_up_heard(self: &Arc<Self>, id: MatchId, mut state: StoredMatch, duty: Duty) {
        if let Some(due) = state.due() {
            let (resumed, now) = (self.lock().resumed, self.clock.now());
            // The other service can have told a player who plays by calls, or had a stream there.
            let can_know = |player| {
                self.players.stream(player).is_none()
                    || self.players.was_elsewhere(player, due.since)
            };
            let seated = state.seated(due.seat);
            let knows =
                seated.is_some_and(|seated| can_know(seated.player)) && resumed <= due.since;
            let start = if knows {
                clock_start_elsewhere(due.since, now)
            } else {
                clock_start(due.since, resumed, now)
            };
            state.state_mut().restart_clock(start);
        }
        self.take_up(id, state, duty);
    }

    /// Waits until a live match has what other services had appended to it by now.
    pub(super) async fn catch_up(&self, id: MatchId) -> Result<(), Refusal> {
        if !self.log.is_shared() {
            return Ok(());
        }
        let Some(live) = self.live_entry(id) else {
            return Ok(());
        };
        live.shared.note_call();
        let (reply, done) = oneshot::channel();
        let asked = Instant::now();
        let message = Box::new(Message::CatchUp { asked, reply });
        if live.mailbox.messages.send(message).await.is_err() {
            return Ok(());
        }
        // A match that has just ended has nothing more to read.
        done.await.unwrap_or(Ok(()))
    }
}

/// Has matches looked at again a little later.
fn try_again(feed: &Arc<Heads>, again: Vec<(StreamId, NewHead)>) {
    if !again.is_empty() {
        let feed = Arc::clone(feed);
        tokio::spawn(async move {
            sleep(PAUSE).await;
            feed.add(again);
        });
    }
}

fn stream(id: MatchId) -> StreamId {
    StreamId(id.bytes())
}
