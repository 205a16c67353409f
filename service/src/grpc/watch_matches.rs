use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_proto::v1 as wire;
use dragontooth_service_vocabulary::{CloseReason, MatchId, Sequence, Sight, Stage};
use dragontooth_service_wire::{close_reason, timestamp};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tracing::debug;
use wire::watch_matches_response::{Batch, CaughtUp, Change, Closing, Heartbeat, Response, change};

use super::page_tokens::PagedList;
use super::relays::Relays;
use super::stream_ends::StreamEnds;
use super::to_proto::found_match;
use crate::limits::CallerKey;
use crate::matches::{
    FoundMatch, HEARTBEAT_INTERVAL, ListChange, ListedChange, MatchList, Matches, MissedNews,
    NewsPlace, Reader, Refusal, SharedMatch,
};

/// The most changes that are looked at for a batch, and matches that are listed for one.
const MAX_BATCH_CHANGES: usize = 50;

/// The least time between two batches of changes: those of many matches come together.
const BATCH_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two looks at matches under way that are sent as they go on.
const MOVES_INTERVAL: Duration = Duration::from_secs(1);

/// The most matches that are sent as they go on: the newest of those that were sent.
const MAX_FOLLOWED: usize = 50;

/// The followers of the news.
pub(super) type NewsRelay = Relays<(), NewsPlace>;

/// The page with which a watch begins.
pub(super) struct FirstPage {
    /// The most matches on it.
    pub(super) size: usize,
    /// Its tokens.
    pub(super) pages: PagedList,
}

/// The matches of a list, and their changes; with `moves`, those under way also when they have only gone on.
///
/// The stream reads them when the client takes the next message and never before: a slow reader costs no memory.
pub(super) fn watch_matches(
    matches: Arc<Matches>,
    relay: &NewsRelay,
    ends: StreamEnds,
    caller: CallerKey,
    list: MatchList,
    first: FirstPage,
    moves: bool,
) -> BoxStream<'static, Result<wire::WatchMatchesResponse, Status>> {
    // Before the page is read, so that nothing happens between the two.
    let (place, head) = matches.news().open();
    let head = relay.follow((), head);
    let watcher = Watcher {
        head,
        matches,
        ends,
        caller,
        list,
        place,
        stage: WatchStage::Listing {
            last: None,
            rest: first.size,
        },
        listing: None,
        pages: first.pages,
        followed: moves.then(BTreeMap::new),
        next_batch: Instant::now(),
        next_moves: Instant::now(),
    };
    let responses = stream::unfold(watcher, |mut watcher| async move {
        let response = Some(watcher.next().await?);
        Some((Ok(wire::WatchMatchesResponse { response }), watcher))
    });
    responses.boxed()
}

struct Watcher {
    matches: Arc<Matches>,
    ends: StreamEnds,
    caller: CallerKey,
    list: MatchList,
    pages: PagedList,
    stage: WatchStage,
    /// The read of a part of the first page that is under way.
    listing: Option<Listing>,
    head: watch::Receiver<NewsPlace>,
    place: NewsPlace,
    /// The matches that are sent as they go on.
    followed: Option<BTreeMap<MatchId, Followed>>,
    /// The time before which no batch of changes is sent.
    next_batch: Instant,
    /// The time of the next look at the followed matches.
    next_moves: Instant,
}

/// A read of a part of the first page: its matches, and the last of them if there are more.
type Listing = BoxFuture<'static, Result<(Vec<(MatchId, FoundMatch)>, Option<MatchId>), Refusal>>;

/// The part of a watch that comes next.
#[derive(Clone, Copy)]
enum WatchStage {
    /// Those of the first page after `last`, at most `rest`.
    Listing { last: Option<MatchId>, rest: usize },
    /// The end of the page, with the place of the next.
    Listed { next: Option<MatchId> },
    /// Changes.
    Following,
    /// Nothing.
    Closed,
}

/// A match that is sent as it goes on.
enum Followed {
    /// One that the viewer sees without a delay.
    AtOnce {
        shared: Arc<SharedMatch>,
        head: watch::Receiver<Sequence>,
        sent: Sequence,
    },
    /// One of which the news tell.
    Delayed,
}

/// The event that ends a wait.
enum Woken {
    News,
    Moves,
    Quiet,
    End(CloseReason),
}

impl Watcher {
    async fn next(&mut self) -> Option<Response> {
        let heartbeat = Instant::now() + HEARTBEAT_INTERVAL / 2;
        loop {
            let changes = match self.stage {
                WatchStage::Closed => return None,
                WatchStage::Listing { last, rest } => {
                    match self.listed(last, rest, heartbeat).await {
                        Ok(changes) => changes,
                        Err(response) => return Some(response),
                    }
                }
                WatchStage::Listed { next } => {
                    self.stage = WatchStage::Following;
                    let next = next.map(|last| self.pages.token(&last.bytes()));
                    return Some(Response::CaughtUp(CaughtUp {
                        next_page_token: next.unwrap_or_default(),
                    }));
                }
                WatchStage::Following => match self.woken(heartbeat).await {
                    Woken::End(reason) => return Some(self.close(reason)),
                    Woken::Quiet => return Some(self.sign_of_life()),
                    Woken::Moves => self.moves().await,
                    Woken::News => match self.changes(heartbeat).await {
                        Ok(changes) => changes,
                        Err(reason) => return Some(self.close(reason)),
                    },
                },
            };
            if !changes.is_empty() {
                return Some(Response::Batch(Batch { changes }));
            }
        }
    }

    async fn woken(&mut self, heartbeat: Instant) -> Woken {
        let (place, next_batch, next_moves) = (self.place, self.next_batch, self.next_moves);
        let follows = self.followed.as_ref().is_some_and(|any| !any.is_empty());
        let news = async {
            // The sender ends with the matches, after they are drained.
            let _ = self.head.wait_for(|head| *head > place).await;
            tokio::time::sleep_until(next_batch).await;
        };
        tokio::select! {
            biased;
            () = self.matches.draining().cancelled() => Woken::End(CloseReason::Draining),
            reason = self.ends.reason() => Woken::End(reason),
            () = tokio::time::sleep_until(heartbeat) => Woken::Quiet,
            () = news => Woken::News,
            () = tokio::time::sleep_until(next_moves), if follows => Woken::Moves,
        }
    }

    /// The next matches of the first page, or what is to be sent before them.
    async fn listed(
        &mut self,
        last: Option<MatchId>,
        rest: usize,
        heartbeat: Instant,
    ) -> Result<Vec<Change>, Response> {
        let listing = self.listing.get_or_insert_with(|| {
            let (matches, caller) = (Arc::clone(&self.matches), self.caller);
            let MatchList { viewer, filter } = self.list.clone();
            let limit = rest.min(MAX_BATCH_CHANGES);
            // There is one such read at a time on each of the streams, which are counted.
            let read = async move |reader: &Reader| {
                let page = reader.list(&viewer, &filter, last, limit).await?;
                Ok((page.matches, page.next))
            };
            Box::pin(async move { matches.read_anyway(caller, read).await })
        });
        let read = tokio::select! {
            biased;
            () = self.matches.draining().cancelled() => {
                return Err(self.close(CloseReason::Draining));
            }
            reason = self.ends.reason() => return Err(self.close(reason)),
            read = listing => read,
            () = tokio::time::sleep_until(heartbeat) => return Err(self.sign_of_life()),
        };
        self.listing = None;
        let (found, next) = read.map_err(|refusal| {
            debug!(%refusal, "a list cannot be watched");
            self.close(CloseReason::LogUnavailable)
        })?;
        let rest = rest - found.len();
        self.stage = match next {
            Some(_) if rest > 0 => WatchStage::Listing { last: next, rest },
            next => WatchStage::Listed { next },
        };
        let mut changes = Vec::with_capacity(found.len());
        for (id, found) in found {
            let shown = found_match(&self.matches, &found);
            self.follow(id, &found, Sequence(shown.head_sequence)).await;
            changes.push(present(shown));
        }
        Ok(changes)
    }

    /// The changes that are not sent yet.
    async fn changes(&mut self, heartbeat: Instant) -> Result<Vec<Change>, CloseReason> {
        let (mut changes, mut sent) = (Vec::new(), Vec::new());
        {
            let mut turn = self.matches.news().turn().await;
            let listed =
                (self.matches).list_changes(&self.list, &mut self.place, MAX_BATCH_CHANGES);
            let listed = listed.map_err(|missed| match missed {
                MissedNews::TooFarBehind => CloseReason::SlowReader,
                MissedNews::Unheard => CloseReason::LogUnavailable,
            })?;
            if self.matches.log().is_shared() {
                // Nobody waits for a database that another one waits for.
                drop(turn);
                let learning = self.matches.learn_seeds(&listed);
                // A seed that is not known in time is not shown this time.
                let _ = timeout_at(heartbeat, learning).await;
                turn = self.matches.news().turn().await;
            }
            for ListedChange { id, found, change } in listed {
                let is_sent = match change {
                    ListChange::Fits => true,
                    ListChange::GoesOn => {
                        (self.followed.as_ref()).is_some_and(|any| any.contains_key(&id))
                    }
                    ListChange::Left => false,
                };
                if is_sent {
                    let shown = found_match(&self.matches, &found);
                    sent.push((id, found, Sequence(shown.head_sequence)));
                    changes.push(present(shown));
                } else if change == ListChange::Left {
                    if let Some(followed) = &mut self.followed {
                        followed.remove(&id);
                    }
                    changes.push(gone(id));
                }
            }
            drop(turn);
        }
        if self.followed.is_some() {
            for (id, found, head) in sent {
                self.follow(id, &found, head).await;
            }
        }
        if !changes.is_empty() {
            self.next_batch = Instant::now() + BATCH_INTERVAL;
        }
        Ok(changes)
    }

    /// The followed matches that have gone on.
    async fn moves(&mut self) -> Vec<Change> {
        let _turn = self.matches.news().turn().await;
        self.next_moves = Instant::now() + MOVES_INTERVAL;
        let mut changes = Vec::new();
        for followed in self.followed.iter_mut().flat_map(BTreeMap::values_mut) {
            let Followed::AtOnce { shared, head, sent } = followed else {
                continue;
            };
            let now = *head.borrow_and_update();
            if now > *sent {
                *sent = now;
                let found = FoundMatch::Live(Arc::clone(shared));
                let shown = found_match(&self.matches, &found);
                changes.push(present(shown));
            }
        }
        changes
    }

    /// Follows a match that was sent, if it is under way and among the newest; one that is over is not followed any longer.
    async fn follow(&mut self, id: MatchId, found: &FoundMatch, sent: Sequence) {
        let viewer = &self.list.viewer;
        let (stage, sight) = found.with(|facts| (facts.stage(), facts.sight(viewer)));
        let Some(followed) = &mut self.followed else {
            return;
        };
        if stage != Stage::Active {
            followed.remove(&id);
            return;
        }
        let oldest = followed.first_key_value().map(|(id, _)| *id);
        if followed.len() >= MAX_FOLLOWED && oldest.is_some_and(|oldest| oldest > id) {
            return;
        }
        let is_delayed = matches!(sight, Sight::Delayed(_));
        let follows = if is_delayed {
            Some(Followed::Delayed)
        } else {
            let shared = self.matches.followed(id, self.caller).await;
            shared.map(|shared| Followed::AtOnce {
                head: shared.head(),
                shared,
                sent,
            })
        };
        if let Some(follows) = follows {
            followed.insert(id, follows);
            if followed.len() > MAX_FOLLOWED {
                followed.pop_first();
            }
        }
    }

    fn sign_of_life(&self) -> Response {
        Response::Heartbeat(Heartbeat {
            server_time: Some(timestamp::to_proto(self.matches.now())),
        })
    }

    fn close(&mut self, reason: CloseReason) -> Response {
        self.stage = WatchStage::Closed;
        Response::Closing(Closing {
            reason: close_reason::to_proto(reason),
        })
    }
}

fn present(shown: wire::Match) -> Change {
    Change {
        change: Some(change::Change::Match(Box::new(shown))),
    }
}

fn gone(id: MatchId) -> Change {
    Change {
        change: Some(change::Change::GoneMatchId(id.to_string())),
    }
}
