use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_service_store::{MatchLogError, MatchReplay, StoredMatch};
use dragontooth_service_vocabulary::{MatchId, Sequence, Timestamp};
use tokio::time::{Instant, timeout_at};

use super::shared_page::SharedPage;
use crate::grpc::thinking_reader::ThinkingReader;
use crate::grpc::to_proto;
use crate::matches::{Matches, is_shown};

/// The most events in a batch.
const MAX_BATCH_EVENTS: usize = 256;

/// The part of the log that a watcher sees now. `None` means all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// The time of the last event.
    pub(super) until: Option<Timestamp>,
    /// The last event.
    pub(super) head: Option<Sequence>,
}

/// The way of a watcher through the log of its match.
#[derive(Clone)]
pub(super) struct EventReader {
    pub(super) id: MatchId,
    /// Watchers that are at the same event share it.
    pub(super) replay: Arc<MatchReplay>,
    /// The last event sent.
    pub(super) sent: Sequence,
    /// The time of the first event that the watcher does not see yet.
    pub(super) hidden: Option<Timestamp>,
    pub(super) thinking: ThinkingReader,
}

/// A page of the log.
pub(super) enum EventPage {
    /// Nothing in it is new to the watcher, and there is more.
    Behind,
    /// The log has not answered in time.
    Late,
    /// The new events; empty if there are none.
    Events(Vec<wire::MatchEvent>),
}

impl EventReader {
    /// A reader that sends what comes after an event.
    pub(super) fn new(
        matches: &Matches,
        id: MatchId,
        after: Sequence,
        thinking: ThinkingReader,
    ) -> Self {
        let kept = matches.states().at_most(id, after);
        let replay = kept.map_or_else(
            || MatchReplay::new(id),
            |kept| MatchReplay::after(StoredMatch::clone(&kept)),
        );
        Self {
            id,
            replay: Arc::new(replay),
            sent: after,
            hidden: None,
            thinking,
        }
    }

    /// Takes a page that another watcher has read, if it is the one that follows.
    pub(super) fn take(&mut self, page: &SharedPage) -> bool {
        let here = self.replay.head().sequence;
        let fits = here == self.sent && page.after == here && page.thinking == self.thinking;
        if fits {
            self.replay = Arc::clone(&page.replay);
            self.sent = self.replay.head().sequence;
            self.hidden = None;
            self.narrow();
        }
        fits
    }

    /// Notes that the watcher is a spectator, once it is known.
    fn narrow(&mut self) {
        if let Some(state) = self.replay.state() {
            self.thinking = self.thinking.of_match(state);
        }
    }

    /// Reads a page of the log, as far as it is shown; calls `pause` after each event. The log has until `late` to answer.
    pub(super) async fn page(
        &mut self,
        matches: &Matches,
        shown: Shown,
        late: Option<Instant>,
        pause: impl Fn(),
    ) -> Result<EventPage, MatchLogError> {
        let mut events = Vec::new();
        self.hidden = None;
        let reading = matches
            .log()
            .read(self.id, self.replay.head(), MAX_BATCH_EVENTS);
        let page = match late {
            None => reading.await?,
            Some(late) => match timeout_at(late, reading).await {
                Ok(page) => page?,
                Err(_) => return Ok(EventPage::Late),
            },
        };
        if page.is_empty() {
            return Ok(EventPage::Events(events));
        }
        for entry in &page {
            if shown
                .head
                .is_some_and(|head| entry.recorded.sequence > head)
            {
                return Ok(EventPage::Events(events));
            }
            if shown
                .until
                .is_some_and(|time| !is_shown(&entry.recorded, time))
            {
                self.hidden = Some(entry.recorded.time);
                return Ok(EventPage::Events(events));
            }
            let before = self.replay.state().map(|state| *state.clocks());
            let after = Arc::make_mut(&mut self.replay).push(entry)?;
            if after.result().is_some() {
                let learning = matches.seeds().learn([after.created()]);
                // A seed that is not known in time is not shown this time.
                match late {
                    None => learning.await,
                    Some(late) => drop(timeout_at(late, learning).await),
                }
            }
            if entry.recorded.sequence > self.sent {
                self.sent = entry.recorded.sequence;
                events.push(to_proto::match_event(
                    matches,
                    entry,
                    before,
                    after,
                    self.thinking,
                ));
            }
            pause();
        }
        self.narrow();
        self.keep_state(matches);
        if events.is_empty() {
            return Ok(EventPage::Behind);
        }
        Ok(EventPage::Events(events))
    }

    /// Caches the state of the match here, if a watcher may resume from it.
    fn keep_state(&self, matches: &Matches) {
        let states = matches.states();
        if let Some(state) = self.replay.state()
            && states.wants(self.id, state.head())
            && let Some(stored) = self.replay.to_match()
        {
            states.keep(self.id, Arc::new(stored));
        }
    }
}
