use std::sync::Arc;
use std::time::Duration;

use dragontooth_proto::v1 as wire;
use dragontooth_service_vocabulary::CloseReason;
use dragontooth_service_wire::{close_reason, timestamp};
use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::watch;
use tokio::time::Instant;
use tonic::Status;
use wire::watch_players_response::{Batch, CaughtUp, Change, Closing, Heartbeat, Response, change};

use super::stream_ends::StreamEnds;
use super::to_proto;
use crate::matches::{self, HEARTBEAT_INTERVAL, LobbyReader, Matches, PlayerNews};

/// The most changes that are looked at for a batch.
const MAX_BATCH_CHANGES: usize = 256;

/// The least time between two batches of changes: those of many players come together.
const BATCH_INTERVAL: Duration = Duration::from_millis(100);

/// The players that are present, and their changes.
///
/// The stream reads them when the client takes the next message and never before: a slow reader costs no memory.
pub(super) fn watch_players(
    matches: Arc<Matches>,
    ends: StreamEnds,
    reader: LobbyReader,
) -> BoxStream<'static, Result<wire::WatchPlayersResponse, Status>> {
    let watcher = Watcher {
        head: matches.players_head(),
        matches,
        ends,
        reader,
        has_caught_up: false,
        has_closed: false,
        next_batch: Instant::now(),
    };
    let responses = stream::unfold(watcher, |mut watcher| async move {
        let response = Some(watcher.next().await?);
        Some((Ok(wire::WatchPlayersResponse { response }), watcher))
    });
    responses.boxed()
}

struct Watcher {
    matches: Arc<Matches>,
    ends: StreamEnds,
    head: watch::Receiver<matches::Change>,
    reader: LobbyReader,
    has_caught_up: bool,
    has_closed: bool,
    /// The time before which no batch is sent.
    next_batch: Instant,
}

impl Watcher {
    async fn next(&mut self) -> Option<Response> {
        if self.has_closed {
            return None;
        }
        let heartbeat = Instant::now() + HEARTBEAT_INTERVAL / 2;
        loop {
            let next_batch = self.next_batch;
            let read = self.reader.read();
            let news = async {
                if self.has_caught_up {
                    // The sender ends with the matches, after they are drained.
                    let _ = self.head.wait_for(|head| *head > read).await;
                    tokio::time::sleep_until(next_batch).await;
                }
            };
            tokio::select! {
                biased;
                () = self.matches.draining().cancelled() => {
                    return Some(self.close(CloseReason::Draining));
                }
                reason = self.ends.reason() => return Some(self.close(reason)),
                () = tokio::time::sleep_until(heartbeat) => {
                    return Some(Response::Heartbeat(Heartbeat {
                        server_time: Some(timestamp::to_proto(self.matches.now())),
                    }));
                }
                () = news => {}
            }
            let Ok(news) = self
                .matches
                .news_of_players(&mut self.reader, MAX_BATCH_CHANGES)
            else {
                return Some(self.close(CloseReason::SlowReader));
            };
            if !news.is_empty() {
                self.next_batch = Instant::now() + BATCH_INTERVAL;
                let changes = news.into_iter().map(|news| self.change(news)).collect();
                return Some(Response::Batch(Batch { changes }));
            }
            if !self.has_caught_up && self.reader.has_caught_up() {
                self.has_caught_up = true;
                return Some(Response::CaughtUp(CaughtUp {}));
            }
        }
    }

    fn change(&self, news: PlayerNews) -> Change {
        let change = match news {
            PlayerNews::Present(present) => {
                change::Change::Present(to_proto::present_player(&self.matches, &present))
            }
            PlayerNews::Gone(player) => change::Change::GonePlayerId(player.to_string()),
        };
        Change {
            change: Some(change),
        }
    }

    fn close(&mut self, reason: CloseReason) -> Response {
        self.has_closed = true;
        Response::Closing(Closing {
            reason: close_reason::to_proto(reason),
        })
    }
}
