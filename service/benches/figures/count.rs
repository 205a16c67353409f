use std::sync::atomic::{AtomicU64, Ordering};

/// A count of acknowledged actions.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Counts one more.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
