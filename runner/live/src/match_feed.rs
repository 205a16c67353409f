use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use dragontooth_runner_report::LiveStep;
use dragontooth_service_vocabulary::TimeControl;

/// The most steps of a match that are kept for the page; a longer one is shown as it was then.
const MAX_STEPS: usize = 20_000;

/// The way of a match under way to the page. Copies lead to the same match.
#[derive(Clone, Debug, Default)]
pub struct MatchFeed(Arc<Mutex<InPlay>>);

/// A match as far as it was played.
#[derive(Debug)]
struct InPlay {
    /// The number of times it was begun again.
    attempt: u32,
    /// By seat.
    time_controls: [Option<TimeControl>; 2],
    steps: Vec<LiveStep>,
    /// Time of the last step, or of the beginning.
    time: SystemTime,
}

impl Default for InPlay {
    fn default() -> Self {
        Self {
            attempt: 0,
            time_controls: [None; 2],
            steps: Vec::new(),
            time: SystemTime::UNIX_EPOCH,
        }
    }
}

/// The steps of a match that the page has not shown.
#[derive(Debug)]
pub(crate) struct News {
    /// The number of times the match was begun again.
    pub(crate) attempt: u32,
    /// The time controls of the seats.
    pub(crate) time_controls: [Option<TimeControl>; 2],
    /// The time of the last step, or of the beginning.
    pub(crate) time: SystemTime,
    /// All steps if it was begun again since the last time, otherwise those after it.
    pub(crate) steps: Vec<LiveStep>,
}

impl MatchFeed {
    /// The match begins, perhaps again: what was played before does not count. The time controls are by seat.
    pub fn begin(&self, time_controls: [Option<TimeControl>; 2]) {
        let mut here = self.lock();
        here.attempt += 1;
        here.time_controls = time_controls;
        here.steps.clear();
        here.time = SystemTime::now();
    }

    /// Something happened in the match. Takes well below a microsecond, whoever looks.
    pub fn add(&self, step: LiveStep) {
        let mut here = self.lock();
        if here.steps.len() < MAX_STEPS {
            here.steps.push(step);
            here.time = SystemTime::now();
        }
    }

    /// Returns true if both are of the same match.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The news after `taken` steps of an attempt.
    pub(crate) fn news(&self, attempt: u32, taken: usize) -> News {
        let here = self.lock();
        let from = if here.attempt == attempt { taken } else { 0 };
        News {
            attempt: here.attempt,
            time_controls: here.time_controls,
            time: here.time,
            steps: here.steps.get(from..).unwrap_or_default().to_vec(),
        }
    }

    /// Nothing that holds the lock fails half way.
    fn lock(&self) -> MutexGuard<'_, InPlay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
