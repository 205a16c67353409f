use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{CloseReason, Sequence};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{DecisionView, Refusal};
use crate::metrics;

/// A message, if only a heartbeat, comes on every stream at least so often.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// A notice to a player on its stream.
#[derive(Debug)]
pub(crate) enum Notice {
    /// A seat is kept for the player.
    Invitation { seat: Seat, state: Box<StoredMatch> },
    /// A match of the player is played from here on.
    Opened { seat: Seat, state: Box<StoredMatch> },
    /// The player has to decide.
    Decision(Box<DecisionView>),
    /// An answer was accepted and is durable.
    Accepted {
        request: RequestRef,
        sequence: Sequence,
        action: String,
    },
    /// A request was refused.
    Refused {
        request: RequestRef,
        refusal: Box<Refusal>,
    },
    /// A request cannot be read.
    Misread {
        request: RequestRef,
        field: &'static str,
        why: String,
    },
    /// A match is over.
    Closed { state: Box<StoredMatch> },
    /// The stream lives.
    Heartbeat,
    /// The stream ends: the last notice.
    Closing(CloseReason),
}

/// The request on a stream to which a notice belongs, in the words of the asker.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestRef {
    pub(crate) match_id: String,
    pub(crate) decision: u64,
    pub(crate) request: String,
}

/// The sending end of a player's stream.
#[derive(Clone, Debug)]
pub(crate) struct Sink(Arc<Inlet>);

#[derive(Debug)]
struct Inlet {
    number: u64,
    with_legal_actions: bool,
    queue: mpsc::Sender<Notice>,
    close: watch::Sender<Option<CloseReason>>,
    taken: Arc<Notify>,
}

impl Sink {
    /// The number of the stream, different for each.
    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    pub(super) fn with_legal_actions(&self) -> bool {
        self.0.with_legal_actions
    }

    /// Sends a notice. If too many are unread, the stream is closed instead of growing: the player
    /// gets what is due when it opens another.
    pub(crate) fn send(&self, notice: Notice) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.0.queue.try_send(notice) {
            self.close(CloseReason::SlowReader);
        }
    }

    /// Ready when half of the queue or more is free.
    pub(super) async fn has_room(&self) {
        let half = self.0.queue.max_capacity().div_ceil(2);
        while self.0.queue.capacity() < half {
            self.0.taken.notified().await;
        }
    }

    /// Ends the stream; the first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        let closed = self.0.close.send_if_modified(|current| {
            let first = current.is_none();
            current.get_or_insert(reason);
            first
        });
        if closed && reason == CloseReason::SlowReader {
            metrics::closed_slow_reader();
        }
    }

    /// Ready when the stream has no reader left.
    pub(crate) async fn closed(&self) {
        self.0.queue.closed().await;
    }
}

/// The receiving end of a player's stream. Dropping it ends the stream.
#[derive(Debug)]
pub(crate) struct PlayerStream {
    // Dropped first: the player counts as away before its sinks see the stream closed.
    _registration: Registration,
    queue: mpsc::Receiver<Notice>,
    close: watch::Receiver<Option<CloseReason>>,
    taken: Arc<Notify>,
    heartbeat: Interval,
    /// Number of notices since it last had to wait for one.
    burst: usize,
    ended: bool,
}

/// The entry of a stream among those of all players, which is removed when this is dropped.
pub(super) type Registration = Box<dyn Debug + Send>;

impl PlayerStream {
    pub(super) fn open(
        number: u64,
        registration: Registration,
        with_legal_actions: bool,
        capacity: usize,
    ) -> (Sink, Self) {
        let (notices_in, queue) = mpsc::channel(capacity);
        let (close_in, close) = watch::channel(None);
        let taken = Arc::new(Notify::new());
        let mut heartbeat = interval(HEARTBEAT_INTERVAL / 2);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let sink = Sink(Arc::new(Inlet {
            number,
            with_legal_actions,
            queue: notices_in,
            close: close_in,
            taken: Arc::clone(&taken),
        }));
        (
            sink,
            Self {
                _registration: registration,
                queue,
                close,
                taken,
                heartbeat,
                burst: 0,
                ended: false,
            },
        )
    }

    /// The next notice; none after the last.
    pub(crate) async fn next(&mut self) -> Option<Notice> {
        if self.ended {
            return None;
        }
        let notice = match self.waiting() {
            Some(notice) => notice,
            None => self.wait().await,
        };
        self.burst += 1;
        self.taken.notify_one();
        self.ended = matches!(notice, Notice::Closing(_));
        Some(notice)
    }

    /// The next notice, if it need not be waited for.
    fn waiting(&mut self) -> Option<Notice> {
        let closed = *self.close.borrow();
        match closed {
            None => self.queue.try_recv().ok(),
            Some(reason) => Some(self.last(reason)),
        }
    }

    async fn wait(&mut self) -> Notice {
        self.heartbeat.reset();
        let is_busy = std::mem::take(&mut self.burst) > 1;
        let Self {
            close,
            queue,
            heartbeat,
            ..
        } = self;
        let closed = async {
            match close.wait_for(Option::is_some).await {
                Ok(reason) => reason.unwrap_or(CloseReason::Superseded),
                Err(_) => CloseReason::Superseded,
            }
        };
        let woken = tokio::select! {
            biased;
            reason = closed => Err(reason),
            notice = queue.recv() => notice.ok_or(CloseReason::Superseded),
            _ = heartbeat.tick() => Ok(Notice::Heartbeat),
        };
        match woken {
            Ok(notice) => {
                // Other matches of a player with many are about to send, too: what they send meanwhile leaves with
                // this notice in one write. For a single match that would be one more detour.
                if is_busy {
                    tokio::task::yield_now().await;
                }
                notice
            }
            Err(reason) => self.last(reason),
        }
    }

    /// Returns the next notice of a closed stream. A reader that has kept up gets the waiting notices before
    /// the end.
    fn last(&mut self, reason: CloseReason) -> Notice {
        match (reason, self.queue.try_recv()) {
            (CloseReason::Draining, Ok(waiting)) => waiting,
            (reason, _) => Notice::Closing(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream with one unread notice, closed for a reason.
    fn closed(reason: CloseReason) -> PlayerStream {
        let (sink, stream) = PlayerStream::open(1, Box::new(()), true, 16);
        sink.send(Notice::Heartbeat);
        sink.close(reason);
        stream
    }

    #[tokio::test]
    async fn a_drain_tells_what_was_done_until_then() {
        let mut stream = closed(CloseReason::Draining);
        assert!(matches!(stream.next().await, Some(Notice::Heartbeat)));
        let last = stream.next().await;
        assert!(matches!(last, Some(Notice::Closing(CloseReason::Draining))));
        assert!(stream.next().await.is_none());
    }

    #[tokio::test]
    async fn a_slow_reader_is_closed_at_once() {
        let mut stream = closed(CloseReason::SlowReader);
        let last = stream.next().await;
        assert!(matches!(
            last,
            Some(Notice::Closing(CloseReason::SlowReader))
        ));
        assert!(stream.next().await.is_none());
    }
}
