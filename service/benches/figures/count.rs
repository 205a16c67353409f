use std::mem;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::times::Times;

/// A count of acknowledged actions, with the times that some of them took.
#[derive(Default)]
pub(crate) struct Count {
    count: AtomicU64,
    times: Mutex<Vec<Duration>>,
}

impl Count {
    /// Counts one more.
    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts `more`.
    pub(crate) fn add_many(&self, more: u64) {
        self.count.fetch_add(more, Ordering::Relaxed);
    }

    /// Counts one more that took this time, if it is known.
    pub(crate) fn add_after(&self, time: Option<Duration>) {
        self.add();
        let mut times = self.times.lock().expect("no player panics while it counts");
        times.extend(time);
    }

    pub(crate) fn get(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The times that were counted since the last call of this.
    pub(crate) fn take_times(&self) -> Times {
        let mut times = self.times.lock().expect("no player panics while it counts");
        Times::new(mem::take(&mut times))
    }
}
