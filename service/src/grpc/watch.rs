mod event_reader;
mod shared_page;

use std::error::Error;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_proto::v1 as wire;
use dragontooth_service_store::MatchLogError;
use dragontooth_service_vocabulary::{CloseReason, MatchId, PlayerId, Sequence, Timestamp};
use dragontooth_service_wire::{close_reason, timestamp};
use event_reader::{EventPage, EventReader, Shown};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use shared_page::{PageSlot, SharedPage, SharedPages};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tracing::error;
use wire::watch_match_response::{Batch, CaughtUp, Closing, Heartbeat, Response};

use super::call_cost;
use super::fault::Fault;
use super::relays::Relays;
use super::stream_ends::StreamEnds;
use super::thinking_reader::ThinkingReader;
use crate::access::Viewer;
use crate::limits::{CallerKey, Counted};
use crate::matches::{FoundMatch, HEARTBEAT_INTERVAL, Matches, Reader, Refusal};

/// Events by which a watcher of a live match may be behind and still read them at once: what was written lately is in
/// memory. Who is further behind reads on a thread that may wait.
const MAX_EVENTS_AT_ONCE: u64 = 32;

/// Things that the watchers of a match have in common.
#[derive(Clone, Debug)]
pub(super) struct MatchAudiences {
    pages: SharedPages,
    heads: Relays<MatchId, Sequence>,
}

impl MatchAudiences {
    /// Those of no match yet; players are served on the current runtime.
    ///
    /// # Panics
    ///
    /// There is no current runtime.
    pub(super) fn new() -> Self {
        Self {
            pages: SharedPages::default(),
            heads: Relays::new(),
        }
    }
}

/// The events of a match after a sequence, and those to come.
///
/// The stream reads the log when the client takes the next message and never before: a slow reader
/// costs no memory and misses nothing.
pub(super) async fn watch(
    matches: Arc<Matches>,
    audiences: &MatchAudiences,
    ends: StreamEnds,
    id: MatchId,
    (viewer, caller): (&Viewer, CallerKey),
    after: u64,
) -> Result<BoxStream<'static, Result<wire::WatchMatchResponse, Status>>, Fault> {
    let slot = matches.guard().watch_match(id).map_err(Refusal::from)?;
    let found = matches.seen(id, viewer, caller).await?;
    let (head, is_over) = found.with(|facts| (facts.head.sequence.0, facts.is_over()));
    if after > head {
        return Err(Fault::SequenceOutOfRange { asked: after, head });
    }
    let cost = call_cost::of_events(head - after);
    matches
        .guard()
        .spend_rest_of_call(caller, cost, matches.now())?;
    let delay = match &found {
        FoundMatch::Earlier(state) => Some(state.created().audience.spectator_delay()),
        FoundMatch::Live(_) | FoundMatch::Settled(_) | FoundMatch::Summarised(_) => None,
    };
    let live = matches.live(id).map(|shared| shared.head());
    let live = live.map(|head| audiences.heads.follow(id, head));
    let watcher = Watcher {
        events: EventReader::new(
            &matches,
            id,
            Sequence(after),
            ThinkingReader::new(viewer, is_over),
        ),
        reading: None,
        matches,
        ends,
        id,
        caller,
        player: viewer.player(),
        delay,
        live,
        opened: Sequence(head),
        slot: audiences.pages.of(id),
        caught_up: false,
        owes_time: false,
        closed: false,
        heartbeat: Instant::now(),
        _slot: slot,
    };
    let responses = stream::unfold(watcher, |mut watcher| async move {
        let response = watcher.next().await?;
        Some((
            Ok(wire::WatchMatchResponse {
                response: Some(response),
            }),
            watcher,
        ))
    });
    Ok(responses.boxed())
}

struct Watcher {
    matches: Arc<Matches>,
    ends: StreamEnds,
    id: MatchId,
    caller: CallerKey,
    /// The watching player, if it has a token.
    player: Option<PlayerId>,
    /// The delay of what the watcher sees, until the match is over.
    delay: Option<Duration>,
    live: Option<watch::Receiver<Sequence>>,
    /// The last event when the watch was opened.
    opened: Sequence,
    slot: PageSlot,
    events: EventReader,
    /// The read under way on a thread of the pool, for which messages need not wait.
    reading: Option<Reading>,
    caught_up: bool,
    /// True right after `caught_up`: a client learns the service's time before the match goes on.
    owes_time: bool,
    closed: bool,
    /// The time by which a message is due, if only a heartbeat.
    heartbeat: Instant,
    _slot: Counted<MatchId>,
}

/// A read of the next page: the reader after it, and the page.
type Reading = BoxFuture<'static, (EventReader, Result<EventPage, MatchLogError>)>;

/// The event that ends a wait.
enum Woken {
    /// There may be events to send.
    News,
    /// No further events will come: the match has ended, or the service is shutting down.
    Left,
    /// Nothing, for a while.
    Quiet,
    /// The stream has to end.
    End(CloseReason),
}

impl Watcher {
    async fn next(&mut self) -> Option<Response> {
        self.heartbeat = Instant::now() + HEARTBEAT_INTERVAL / 2;
        if self.closed {
            return None;
        }
        // A player that watches its match is there.
        if let Some(player) = self.player {
            self.matches.note_call(self.id, player);
        }
        if mem::take(&mut self.owes_time) && !self.is_over() {
            return Some(self.sign_of_life());
        }
        loop {
            if self.matches.draining().is_cancelled() {
                return Some(self.close(CloseReason::Draining));
            }
            if let Some(reason) = self.ends.reached() {
                return Some(self.close(reason));
            }
            match self.read().await {
                Ok(events) if !events.is_empty() => return Some(Response::Batch(Batch { events })),
                Ok(_) => {}
                Err(response) => return Some(response),
            }
            if !self.caught_up {
                self.caught_up = true;
                self.owes_time = true;
                return Some(Response::CaughtUp(CaughtUp {
                    head_sequence: self.events.sent.0,
                }));
            }
            if self.is_over() {
                return Some(self.close(CloseReason::MatchEnded));
            }
            if let Some(response) = self.wait().await {
                return Some(response);
            }
        }
    }

    /// The next events to send, empty when all have been sent; or what is to be sent instead of them.
    async fn read(&mut self) -> Result<Vec<wire::MatchEvent>, Response> {
        let shown = Shown {
            until: self.shown_until(),
            head: self.head(),
        };
        loop {
            let page = if self.reading.is_some() || !self.is_close_behind() {
                self.page_of_pool(shown).await?
            } else {
                self.page_at_once(shown).await
            };
            match page {
                Ok(EventPage::Behind) => {}
                Ok(EventPage::Late) => return Err(self.sign_of_life()),
                Ok(EventPage::Events(events)) => return Ok(events),
                Err(error) => {
                    let error_chain = &error as &dyn Error;
                    error!(match_id = %self.id, error = error_chain, "match cannot be watched");
                    return Err(self.close(if error.is_unavailable() {
                        CloseReason::LogUnavailable
                    } else {
                        CloseReason::LogDamaged
                    }));
                }
            }
        }
    }

    /// The next page, read by a thread of the pool; or what is to be sent before it. The pool serves players first, so
    /// that this may take long, and the client hears of it.
    async fn page_of_pool(
        &mut self,
        shown: Shown,
    ) -> Result<Result<EventPage, MatchLogError>, Response> {
        let reading = self.reading.get_or_insert_with(|| {
            let (matches, caller) = (Arc::clone(&self.matches), self.caller);
            let mut events = self.events.clone();
            // There is one such read at a time on each of the streams, which are counted.
            let read = async move |reader: &Reader| {
                let pause = || reader.yield_to_players();
                let page = events.page(reader.matches(), shown, None, pause).await;
                if let Err(error) = &page {
                    reader.unreadable(events.id, error.clone()).await;
                }
                (events, page)
            };
            Box::pin(async move { matches.read_anyway(caller, read).await })
        });
        let (events, page) = tokio::select! {
            biased;
            () = self.matches.draining().cancelled() => {
                return Err(self.close(CloseReason::Draining));
            }
            reason = self.ends.reason() => return Err(self.close(reason)),
            read = reading => read,
            () = tokio::time::sleep_until(self.heartbeat) => return Err(self.sign_of_life()),
        };
        self.reading = None;
        self.events = events;
        Ok(page)
    }

    /// The next page of events. If the watcher sees all of them, another watcher of the match may have read it.
    async fn page_at_once(&mut self, shown: Shown) -> Result<EventPage, MatchLogError> {
        let late = Some(self.heartbeat);
        if shown.until.is_some() {
            return self.events.page(&self.matches, shown, late, || {}).await;
        }
        let Ok(mut last) = timeout_at(self.heartbeat, self.slot.turn()).await else {
            return Ok(EventPage::Late);
        };
        if let Some(page) = &*last
            && self.events.take(page)
        {
            return Ok(EventPage::Events(page.events.clone()));
        }
        if self.slot.is_alone() {
            // Nobody shares the replayed match, which is not copied then.
            *last = None;
            return self.events.page(&self.matches, shown, late, || {}).await;
        }
        let (after, thinking) = (self.events.sent, self.events.thinking);
        let is_whole = self.events.replay.head().sequence == after;
        let page = self.events.page(&self.matches, shown, late, || {}).await?;
        let is_newest = last
            .as_ref()
            .is_none_or(|last| last.replay.head().sequence < self.events.sent);
        if let EventPage::Events(events) = &page
            && !events.is_empty()
            && is_whole
            && is_newest
        {
            *last = Some(SharedPage {
                after,
                thinking,
                replay: Arc::clone(&self.events.replay),
                events: events.clone(),
            });
        }
        Ok(page)
    }

    /// Returns true if what comes next is in memory, or is little.
    fn is_close_behind(&self) -> bool {
        self.head()
            .is_some_and(|head| head.0 <= self.events.replay.head().sequence.0 + MAX_EVENTS_AT_ONCE)
    }

    /// The last event of a live match. The log may have more: an event is durable a moment before it is part of the match, and
    /// who has seen it may ask for the decision after it.
    fn head(&self) -> Option<Sequence> {
        let live = self.live.as_ref()?;
        Some(self.opened.max(*live.borrow()))
    }

    /// The time up to which the watcher sees events; `None` means all of them. The delay ends with the match.
    fn shown_until(&mut self) -> Option<Timestamp> {
        let delay = self.delay?;
        let live = self.matches.live(self.id);
        let is_over = live.map_or_else(
            // A service that drains has let go of the matches that go on, too.
            || !self.matches.draining().is_cancelled(),
            |shared| shared.state().result().is_some(),
        );
        if is_over {
            self.delay = None;
        }
        self.delay.map(|_| self.matches.now().before(delay))
    }

    fn is_over(&self) -> bool {
        let replayed = self.events.replay.state();
        replayed.is_some_and(|state| state.result().is_some())
    }

    /// Waits for events; gives what is to be sent when something else comes first.
    async fn wait(&mut self) -> Option<Response> {
        let sent = self.events.sent;
        let Some(head) = &mut self.live else {
            return Some(self.close(CloseReason::Draining));
        };
        let (delay, hidden) = (self.delay, self.events.hidden);
        let news = async {
            match delay {
                None => head.wait_for(|head| *head > sent).await.is_ok(),
                // Whatever happens does not show yet, unless it is the end.
                Some(_) => head.changed().await.is_ok(),
            }
        };
        let shown = async {
            match delay.zip(hidden) {
                Some((delay, hidden)) => self.matches.sleep_until(hidden.after(delay)).await,
                None => std::future::pending().await,
            }
        };
        let woken = tokio::select! {
            biased;
            () = self.matches.draining().cancelled() => Woken::End(CloseReason::Draining),
            reason = self.ends.reason() => Woken::End(reason),
            is_live = news => if is_live { Woken::News } else { Woken::Left },
            () = shown => Woken::News,
            () = tokio::time::sleep_until(self.heartbeat) => Woken::Quiet,
        };
        match woken {
            Woken::News => None,
            // The match has ended, and with it the delay.
            Woken::Left if delay.is_some() && self.shown_until().is_none() => None,
            Woken::Left => Some(self.close(CloseReason::Draining)),
            Woken::Quiet => Some(self.sign_of_life()),
            Woken::End(reason) => Some(self.close(reason)),
        }
    }

    fn sign_of_life(&self) -> Response {
        Response::Heartbeat(Heartbeat {
            head_sequence: self.events.sent.0,
            server_time: Some(timestamp::to_proto(self.matches.now())),
        })
    }

    fn close(&mut self, reason: CloseReason) -> Response {
        self.closed = true;
        Response::Closing(Closing {
            reason: close_reason::to_proto(reason),
            resume_after_sequence: self.events.sent.0,
        })
    }
}

#[cfg(test)]
mod tests;
