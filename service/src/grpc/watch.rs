use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::{MatchId, PlayerId, Sequence};
use dragontooth_service_store::{MatchLogError, MatchReplay, StoredMatch};
use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::watch;
use tonic::Status;
use tracing::error;
use wire::watch_match_response::{Batch, CaughtUp, Closing, Heartbeat, Response};

use super::fault::Fault;
use super::stream_ends::StreamEnds;
use super::to_proto;
use crate::matches::{CloseReason, Found, HEARTBEAT_INTERVAL, Matches};

/// The most events in a batch.
const MAX_BATCH_EVENTS: usize = 256;

/// The events of a match after a sequence, and those to come.
///
/// The stream reads the log when the client takes the next message and never before: a slow reader
/// costs no memory and misses nothing.
pub(super) fn watch(
    matches: Arc<Matches>,
    ends: StreamEnds,
    id: MatchId,
    player: Option<PlayerId>,
    after: u64,
) -> Result<BoxStream<'static, Result<wire::WatchMatchResponse, Status>>, Fault> {
    let found = matches.find(id)?;
    let head = found.with(|state| state.head()).0;
    if after > head {
        return Err(Fault::SequenceOutOfRange { asked: after, head });
    }
    let live = match found {
        Found::Live(shared) => Some(shared.head()),
        Found::Ended(_) => None,
    };
    let kept = matches.states().at_most(id, Sequence(after));
    let replay = kept.map_or_else(
        || MatchReplay::new(id),
        |kept| MatchReplay::after(StoredMatch::clone(&kept)),
    );
    let watcher = Watcher {
        matches,
        ends,
        id,
        player,
        live,
        replay,
        sent: Sequence(after),
        caught_up: false,
        closed: false,
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
    /// Who watches, if it has told.
    player: Option<PlayerId>,
    live: Option<watch::Receiver<Sequence>>,
    replay: MatchReplay,
    sent: Sequence,
    caught_up: bool,
    closed: bool,
}

impl Watcher {
    async fn next(&mut self) -> Option<Response> {
        if self.closed {
            return None;
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
                Err(error) => {
                    error!(match_id = %self.id, %error, "match cannot be watched");
                    return Some(self.close(CloseReason::LogDamaged));
                }
            }
            if !self.caught_up {
                self.caught_up = true;
                return Some(Response::CaughtUp(CaughtUp {
                    head_sequence: self.sent.0,
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

    /// The next events to send; none when all have been sent.
    async fn read(&mut self) -> Result<Vec<wire::MatchEvent>, MatchLogError> {
        let mut events = Vec::new();
        loop {
            let seen = self.replay.head();
            let page = self.matches.log().read(self.id, seen, MAX_BATCH_EVENTS)?;
            if page.is_empty() {
                return Ok(events);
            }
            for entry in &page {
                let before = self.replay.state().map(|state| *state.clocks());
                let after = self.replay.push(entry)?;
                if entry.recorded.sequence > self.sent {
                    self.sent = entry.recorded.sequence;
                    events.push(to_proto::match_event(self.id, entry, before, after));
                }
            }
            self.keep_state();
            if !events.is_empty() {
                return Ok(events);
            }
            // A long way to where the reader wants to go on is not gone in one piece.
            tokio::task::yield_now().await;
        }
    }

    /// Keeps the match as it is here, if that is a place to begin from.
    fn keep_state(&self) {
        let states = self.matches.states();
        if let Some(state) = self.replay.state()
            && states.wants(self.id, state.head())
            && let Some(stored) = self.replay.to_match()
        {
            states.keep(self.id, Arc::new(stored));
        }
    }

    fn is_over(&self) -> bool {
        self.replay
            .state()
            .is_some_and(|state| state.result().is_some())
    }

    /// Waits for events; gives what is to be sent when something else comes first.
    async fn wait(&mut self) -> Option<Response> {
        let sent = self.sent;
        // A player that watches its match is there.
        if let Some(player) = self.player {
            self.matches.hear_of(self.id, player);
        }
        let Some(head) = &mut self.live else {
            return Some(self.close(CloseReason::Draining));
        };
        let reason = tokio::select! {
            biased;
            () = self.matches.draining().cancelled() => CloseReason::Draining,
            reason = self.ends.reason() => reason,
            changed = head.wait_for(|head| *head > sent) => match changed {
                Ok(_) => return None,
                Err(_) => CloseReason::Draining,
            },
            () = tokio::time::sleep(HEARTBEAT_INTERVAL / 2) => {
                return Some(Response::Heartbeat(Heartbeat {
                    head_sequence: sent.0,
                    server_time: Some(to_proto::timestamp(self.matches.now())),
                }));
            }
        };
        Some(self.close(reason))
    }

    fn close(&mut self, reason: CloseReason) -> Response {
        self.closed = true;
        Response::Closing(Closing {
            reason: to_proto::close_reason(reason),
            resume_after_sequence: self.sent.0,
        })
    }
}
