use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::{CloseReason, History, Sequence};
use futures::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{DecisionView, Refusal, ThinkingNote};
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
        seat: Seat,
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
        field: Cow<'static, str>,
        why: String,
    },
    /// A match is over, after these events since the player's last decision.
    Closed {
        state: Box<StoredMatch>,
        since: History,
    },
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
    pub(crate) thinking: ThinkingNote,
}

/// The sending end of a player's stream.
#[derive(Clone, Debug)]
pub(crate) struct Sink(Arc<Shared>);

/// The part of a stream that both ends have.
#[derive(Debug)]
struct Shared {
    number: u64,
    opened: Instant,
    with_legal_actions: bool,
    capacity: usize,
    queue: Mutex<Queue>,
    /// Notified for each notice that is taken.
    taken: Notify,
    /// Cancelled when the stream has no reader left.
    gone: CancellationToken,
}

/// The unread notices of a stream. One lock is all that a notice takes on its way, whoever sends it.
#[derive(Debug, Default)]
struct Queue {
    notices: VecDeque<Notice>,
    close: Option<CloseReason>,
    /// Woken by the next notice or the end.
    reader: Option<Waker>,
    has_reader: bool,
}

impl Sink {
    /// The number of the stream, different for each.
    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    /// The moment at which it was opened.
    pub(super) fn opened(&self) -> Instant {
        self.0.opened
    }

    pub(super) fn with_legal_actions(&self) -> bool {
        self.0.with_legal_actions
    }

    /// Sends a notice. If too many are unread, the stream is closed instead of growing: the player
    /// gets what is due when it opens another.
    pub(crate) fn send(&self, notice: Notice) {
        let mut queue = self.0.lock();
        if !queue.has_reader || queue.is_cut_off() {
            return;
        }
        if queue.notices.len() >= self.0.capacity {
            drop(queue);
            return self.close(CloseReason::SlowReader);
        }
        queue.notices.push_back(notice);
        wake(queue);
    }

    /// Ready when half of the queue or more is free.
    pub(super) async fn has_room(&self) {
        while self.0.lock().notices.len() > self.0.capacity / 2 {
            self.0.taken.notified().await;
        }
    }

    /// Ends the stream; the first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        let mut queue = self.0.lock();
        if queue.close.is_some() {
            return;
        }
        queue.close = Some(reason);
        // Dropped after the lock.
        let _unread = queue
            .is_cut_off()
            .then(|| std::mem::take(&mut queue.notices));
        wake(queue);
        self.0.taken.notify_one();
        if reason == CloseReason::SlowReader {
            metrics::closed_slow_reader();
        }
    }

    /// Ready when the stream has no reader left.
    pub(crate) async fn closed(&self) {
        self.0.gone.cancelled().await;
    }
}

impl Queue {
    /// Returns true if a notice waits on a stream that goes on.
    fn has_next(&self) -> bool {
        self.close.is_none() && !self.notices.is_empty()
    }

    /// Returns true if the stream has ended before the notices that wait. At a drain, a reader that has kept up gets
    /// them.
    fn is_cut_off(&self) -> bool {
        self.close
            .is_some_and(|reason| reason != CloseReason::Draining)
    }

    /// The next notice; if there is none, `reader` is woken by it.
    fn next(&mut self, reader: &Waker) -> Option<Notice> {
        let notice = self.notices.pop_front();
        let notice = notice.or_else(|| self.close.map(Notice::Closing));
        if notice.is_none() {
            self.reader = Some(reader.clone());
        }
        notice
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the reader of a queue, if it waits.
fn wake(mut queue: MutexGuard<'_, Queue>) {
    let reader = queue.reader.take();
    drop(queue);
    if let Some(reader) = reader {
        reader.wake();
    }
}

/// The receiving end of a player's stream. Dropping it ends the stream.
pub(crate) struct PlayerStream {
    shared: Arc<Shared>,
    registration: Option<Registration>,
    heartbeat: Interval,
    /// Number of notices since it last had to wait for one.
    burst: usize,
    wait: Wait,
    ended: bool,
}

/// The state of a stream between two notices.
enum Wait {
    /// It has not had to wait.
    None,
    /// It waits for a notice.
    ForNotice { is_busy: bool },
    /// It has one, and lets other tasks run before it goes on.
    ForOthers(BoxFuture<'static, ()>),
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
        let mut heartbeat = interval(HEARTBEAT_INTERVAL / 2);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let shared = Arc::new(Shared {
            number,
            opened: Instant::now(),
            with_legal_actions,
            capacity,
            queue: Mutex::new(Queue {
                has_reader: true,
                ..Queue::default()
            }),
            taken: Notify::new(),
            gone: CancellationToken::new(),
        });
        let stream = Self {
            shared: Arc::clone(&shared),
            registration: Some(registration),
            heartbeat,
            burst: 0,
            wait: Wait::None,
            ended: false,
        };
        (Sink(shared), stream)
    }

    /// The next notice; none after the last.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Notice>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let notice = ready!(self.poll_notice(context));
        self.burst += 1;
        self.shared.taken.notify_one();
        self.ended = matches!(notice, Notice::Closing(_));
        Poll::Ready(Some(notice))
    }

    fn poll_notice(&mut self, context: &mut Context<'_>) -> Poll<Notice> {
        // Other matches of a player with many are about to send, too: what they send meanwhile leaves with this
        // notice in one write. For a single match that would be one more detour.
        if let Wait::ForNotice { is_busy: true } = self.wait
            && self.shared.lock().has_next()
        {
            self.wait = Wait::ForOthers(Box::pin(tokio::task::yield_now()));
        }
        if let Wait::ForOthers(others) = &mut self.wait {
            ready!(others.as_mut().poll(context));
            self.wait = Wait::None;
        }
        let next = self.shared.lock().next(context.waker());
        if let Some(notice) = next {
            self.wait = Wait::None;
            return Poll::Ready(notice);
        }
        if let Wait::None = self.wait {
            self.heartbeat.reset();
            let is_busy = std::mem::take(&mut self.burst) > 1;
            self.wait = Wait::ForNotice { is_busy };
        }
        ready!(self.heartbeat.poll_tick(context));
        self.wait = Wait::None;
        Poll::Ready(Notice::Heartbeat)
    }
}

impl Drop for PlayerStream {
    fn drop(&mut self) {
        // The player counts as away before its sinks see the stream closed.
        drop(self.registration.take());
        let mut queue = self.shared.lock();
        queue.has_reader = false;
        let unread = std::mem::take(&mut queue.notices);
        drop(queue);
        drop(unread);
        self.shared.gone.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// A stream with one unread notice, closed for a reason.
    fn closed(reason: CloseReason) -> PlayerStream {
        let (sink, stream) = PlayerStream::open(1, Box::new(()), true, 16);
        sink.send(Notice::Heartbeat);
        sink.close(reason);
        stream
    }

    async fn next(stream: &mut PlayerStream) -> Option<Notice> {
        poll_fn(|context| stream.poll_next(context)).await
    }

    #[tokio::test]
    async fn a_drain_tells_what_was_done_until_then() {
        let mut stream = closed(CloseReason::Draining);
        assert!(matches!(next(&mut stream).await, Some(Notice::Heartbeat)));
        let last = next(&mut stream).await;
        assert!(matches!(last, Some(Notice::Closing(CloseReason::Draining))));
        assert!(next(&mut stream).await.is_none());
    }

    #[tokio::test]
    async fn a_slow_reader_is_closed_at_once() {
        let mut stream = closed(CloseReason::SlowReader);
        let last = next(&mut stream).await;
        assert!(matches!(
            last,
            Some(Notice::Closing(CloseReason::SlowReader))
        ));
        assert!(next(&mut stream).await.is_none());
    }

    #[tokio::test]
    async fn a_stream_that_is_cut_off_keeps_nothing() {
        let (sink, mut stream) = PlayerStream::open(1, Box::new(()), true, 16);
        for _ in 0..16 {
            sink.send(Notice::Heartbeat);
        }
        sink.close(CloseReason::Superseded);
        sink.send(Notice::Heartbeat);
        assert_eq!(stream.shared.lock().notices.capacity(), 0);
        sink.has_room().await;
        let last = next(&mut stream).await;
        assert!(matches!(
            last,
            Some(Notice::Closing(CloseReason::Superseded))
        ));
    }

    #[tokio::test]
    async fn a_stream_has_no_more_notices_than_its_capacity() {
        let (sink, mut stream) = PlayerStream::open(1, Box::new(()), true, 16);
        for _ in 0..16 {
            sink.send(Notice::Heartbeat);
        }
        assert!(matches!(next(&mut stream).await, Some(Notice::Heartbeat)));
        sink.send(Notice::Heartbeat);
        assert!(matches!(next(&mut stream).await, Some(Notice::Heartbeat)));
        sink.send(Notice::Heartbeat);
        sink.send(Notice::Heartbeat);
        let last = next(&mut stream).await;
        assert!(matches!(
            last,
            Some(Notice::Closing(CloseReason::SlowReader))
        ));
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_woken() {
        for is_busy in [false, true] {
            let (sink, mut stream) = PlayerStream::open(1, Box::new(()), true, 16);
            let number = if is_busy { 2 } else { 1 };
            for _ in 0..number {
                sink.send(Notice::Heartbeat);
                next(&mut stream).await.unwrap();
            }
            let reading = tokio::spawn(async move { next(&mut stream).await });
            tokio::task::yield_now().await;
            sink.send(Notice::Misread {
                request: RequestRef::default(),
                field: "field".into(),
                why: String::new(),
            });
            let read = reading.await.unwrap();
            assert!(matches!(read, Some(Notice::Misread { .. })), "{read:?}");
            // The stream was dropped with its reader.
            sink.closed().await;
            sink.send(Notice::Heartbeat);
        }
    }
}
