use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// A count of acknowledged actions that one task can wait for.
#[derive(Default)]
pub(crate) struct Count {
    reached: AtomicU64,
    target: AtomicU64,
    at_target: Notify,
}

impl Count {
    /// Counts one more.
    pub(crate) fn add(&self) {
        let reached = self.reached.fetch_add(1, Ordering::SeqCst) + 1;
        if reached == self.target.load(Ordering::SeqCst) {
            self.at_target.notify_one();
        }
    }

    /// Ready when so many more have been counted.
    pub(crate) async fn wait_for(&self, more: u64) {
        let target = self.reached.load(Ordering::SeqCst) + more;
        self.target.store(target, Ordering::SeqCst);
        while self.reached.load(Ordering::SeqCst) < target {
            self.at_target.notified().await;
        }
    }
}
