use std::cell::Cell;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Lowers the priority of this thread, where threads have priorities of their own. It cannot be raised again.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "a thread in the background keeps its priority");
    }
}

/// The niceness of threads in the background. Threads that yield, as those that replay do, get about as little at this one beside
/// threads that never wait as those of the lowest priority, 19, that do not; yielding at that one, they would get a
/// tenth of it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// The share of a processor that a thread in the background takes at once.
///
/// The system takes the processor from a thread, whatever its priority, only when its slice of some milliseconds
/// is over, and a thread that serves players waits so long. So the thread gives it back by itself. Not more often than
/// necessary: to the system a thread that yields has had its whole slice, so that it gets little beside threads that
/// never wait.
#[derive(Debug, Default)]
pub(crate) struct Slice {
    /// The processor time of the thread at its begin.
    begun: Cell<Duration>,
}

/// Processor time of a slice.
const SLICE: Duration = Duration::from_micros(100);

impl Slice {
    /// Lets a thread that serves players go first, if one waits for this processor and the slice is over.
    pub(crate) fn end_if_over(&self) {
        self.end_at(processor_time(), thread::yield_now);
    }

    /// The same when the thread has had this processor time, and with a way to give the processor back.
    pub(crate) fn end_at(&self, now: Duration, give_back: impl FnOnce()) {
        if now.saturating_sub(self.begun.get()) >= SLICE {
            give_back();
            self.begun.set(now);
        }
    }
}

/// The processor time that this thread has had.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_given_back_once_a_slice() {
        let slice = Slice::default();
        let given_back = |micros: u64| {
            let mut is_given_back = false;
            slice.end_at(Duration::from_micros(micros), || is_given_back = true);
            is_given_back
        };
        let times = [0, 99, 100, 150, 199, 205, 304, 305, 5000, 5001];
        let ended: Vec<u64> = times.into_iter().filter(|time| given_back(*time)).collect();
        assert_eq!(ended, [100, 205, 305, 5000]);
    }
}
