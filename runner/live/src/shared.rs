use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dragontooth_runner_report::RunPhase;
use dragontooth_runner_tournament::Event;
use tokio::sync::{Notify, watch};

use crate::inbox::Inbox;
use crate::snapshot::Snapshot;

/// The state that the run, the painter and the port share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) event: Event,
    inbox: Mutex<Inbox>,
    /// Wakes the painter.
    wake: Condvar,
    /// Wakes the run when the painter needs the results.
    ask: Notify,
    /// The state that is shown; `None` until the first painting.
    pub(crate) shown: watch::Sender<Option<Arc<Snapshot>>>,
}

impl Shared {
    pub(crate) fn new(event: Event) -> Self {
        Self {
            event,
            inbox: Mutex::new(Inbox::new()),
            wake: Condvar::new(),
            ask: Notify::new(),
            shown: watch::Sender::new(None),
        }
    }

    /// Wakes the painter: there is something in the inbox.
    pub(crate) fn wake(&self) {
        self.wake.notify_all();
    }

    /// Ready when the painter asks for the results. Cancel safe.
    pub(crate) async fn asked(&self) {
        self.ask.notified().await;
    }

    /// Nothing that holds the lock fails half way.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the run or a spectator has something for the painter, at most for `time`.
    pub(crate) fn wait<'a>(
        &self,
        inbox: MutexGuard<'a, Inbox>,
        time: Duration,
    ) -> MutexGuard<'a, Inbox> {
        let waited = self.wake.wait_timeout(inbox, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Asks the run for its state if there is a newer one, and waits for it, at most for `patience`. A run that has ended
    /// is not asked.
    pub(crate) fn up_to_date(&self, patience: Duration) -> MutexGuard<'_, Inbox> {
        let mut inbox = self.lock();
        if inbox.is_behind && inbox.phase == RunPhase::Live {
            let until = Instant::now() + patience;
            self.ask.notify_one();
            while inbox.is_behind && inbox.phase == RunPhase::Live && Instant::now() < until {
                inbox = self.wait(inbox, patience);
            }
        }
        inbox
    }

    /// Somebody has asked for the page.
    pub(crate) fn visit(&self) {
        self.lock().is_visited = true;
        self.wake();
    }

    /// Number of spectators.
    pub(crate) fn spectators(&self) -> usize {
        self.shown.receiver_count()
    }
}
