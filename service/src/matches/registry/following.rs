use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_store::{
    ChainHead, ChainedEvent, Heads, MatchBrief, MatchLog, MatchLogError, MatchReplay, MatchSummary,
    RESERVED_STREAM, ReadError, StoredMatch, StreamId,
};
use dragontooth_service_vocabulary::{MatchId, Sequence};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tracing::{debug, error};

use super::Matches;
use crate::matches::Refusal;
use crate::matches::actor::clock_start;
use crate::matches::message::Message;

/// Matches that are read at once.
const MATCHES_AT_ONCE: usize = 256;

/// Events of a match that are read at once.
const PAGE_EVENTS: usize = 64;

/// The pause before what could not be read, or delivered, is tried again.
const PAUSE: Duration = Duration::from_millis(100);

impl Matches {
    /// Follows what other services append to the matches, if the log is shared, for as long as it is polled.
    pub(crate) async fn follow_matches(self: &Arc<Self>) {
        let Some(feed) = self.log.feed() else {
            return std::future::pending().await;
        };
        let mut damaged = HashSet::new();
        loop {
            let heads = feed.take().await;
            let unread: Vec<_> = heads
                .into_iter()
                .filter(|(stream, _)| *stream != RESERVED_STREAM)
                .filter_map(|(stream, head)| {
                    let id = MatchId::from_bytes(stream.0);
                    Some((id, head, self.known_head(id, head)?))
                })
                .filter(|(id, _, _)| !damaged.contains(id))
                .collect();
            for some in unread.chunks(MATCHES_AT_ONCE) {
                match self.read_news(some, &mut damaged).await {
                    Ok(again) => try_again(&feed, again),
                    Err(error) => {
                        debug!(%error, "what other services append cannot be read");
                        let heads = some.iter().map(|(id, head, _)| (stream(*id), *head));
                        feed.add(heads);
                        sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// The head from which a match has to be read up to `head`; `None` if nothing is missing.
    fn known_head(&self, id: MatchId, head: Sequence) -> Option<ChainHead> {
        let tables = self.lock();
        match tables.live.get(&id) {
            Some(live) => {
                Some(live.shared.state().chain_head()).filter(|known| known.sequence < head)
            }
            None => (!self.is_known(&tables, id)).then(|| MatchLog::start(id)),
        }
    }

    /// Reads matches and passes on what is new. Returns those that have to be looked at again.
    async fn read_news(
        self: &Arc<Self>,
        unread: &[(MatchId, Sequence, ChainHead)],
        damaged: &mut HashSet<MatchId>,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError> {
        let known: HashMap<_, _> = unread.iter().map(|(id, _, known)| (*id, *known)).collect();
        let mut read = self.log.read_many(&known, PAGE_EVENTS).await?;
        let mut again = Vec::new();
        for (id, head, known) in unread {
            let events = read.remove(id).unwrap_or_else(|| Ok(Vec::new()));
            let is_new = known.sequence == Sequence::START;
            let done = match events {
                Ok(events) if is_new => self.take_up_new(*id, events).await.map(|()| true),
                Ok(events) => Ok(self.deliver(*id, events)),
                Err(error) => Err(error),
            };
            match done {
                Ok(true) => {}
                Ok(false) => again.push((stream(*id), *head)),
                Err(error) if error.is_unavailable() => again.push((stream(*id), *head)),
                Err(error) => {
                    let refusal = Refusal::unreadable(*id, error);
                    error!(match_id = %id, %refusal, "match is not followed");
                    damaged.insert(*id);
                }
            }
            tokio::task::consume_budget().await;
        }
        Ok(again)
    }

    /// Gives a live match events that another service has appended. Returns false if there may be more, or it is busy.
    fn deliver(&self, id: MatchId, events: Vec<ChainedEvent>) -> bool {
        let live = self.lock().live.get(&id).cloned();
        let Some(live) = live else {
            return true;
        };
        let is_whole = events.len() < PAGE_EVENTS;
        match live.mailbox.try_send(Box::new(Message::Grown(events))) {
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
        match MatchSummary::of(&state, state.chain_head()) {
            Some(summary) => {
                let mut tables = self.lock();
                if !self.is_known(&tables, id) {
                    self.enter_ended_in(&mut tables, id, MatchBrief::of(&summary));
                }
            }
            None => self.take_up_heard(id, state),
        }
        Ok(())
    }

    /// Goes on with a match of which this service has just heard.
    pub(super) fn take_up_heard(self: &Arc<Self>, id: MatchId, mut state: StoredMatch) {
        if let Some(due) = state.due() {
            let resumed = self.lock().resumed;
            let start = clock_start(due.since, resumed, self.clock.now());
            state.state_mut().restart_clock(start);
        }
        self.take_up(id, state);
    }

    /// Waits until a live match has what other services had appended to it by now.
    pub(super) async fn catch_up(&self, id: MatchId) -> Result<(), Refusal> {
        if !self.log.is_shared() {
            return Ok(());
        }
        let Some(live) = self.lock().live.get(&id).cloned() else {
            return Ok(());
        };
        let (reply, done) = oneshot::channel();
        let asked = Instant::now();
        let message = Box::new(Message::CatchUp { asked, reply });
        if live.mailbox.send(message).await.is_err() {
            return Ok(());
        }
        // A match that has just ended has nothing more to read.
        done.await.unwrap_or(Ok(()))
    }
}

/// Has matches looked at again a little later.
fn try_again(feed: &Arc<Heads>, again: Vec<(StreamId, Sequence)>) {
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
