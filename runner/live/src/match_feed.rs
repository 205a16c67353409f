use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_runner_report::LiveStep;

/// The most steps of a match that are kept for the page; a longer one is shown as it was then.
const MAX_STEPS: usize = 20_000;

/// The way of a match under way to the page. Copies lead to the same match.
#[derive(Clone, Debug, Default)]
pub struct MatchFeed(Arc<Mutex<InPlay>>);

/// A match as far as it was played.
#[derive(Debug, Default)]
struct InPlay {
    /// The number of times it was begun again.
    attempt: u32,
    steps: Vec<LiveStep>,
}

/// The steps of a match that the page has not shown.
#[derive(Debug)]
pub(crate) struct News {
    /// The number of times the match was begun again.
    pub(crate) attempt: u32,
    /// All steps if it was begun again since the last time, otherwise those after it.
    pub(crate) steps: Vec<LiveStep>,
}

impl MatchFeed {
    /// The match begins, perhaps again: what was played before does not count.
    pub fn begin(&self) {
        let mut here = self.lock();
        here.attempt += 1;
        here.steps.clear();
    }

    /// Something happened in the match. Takes well below a microsecond, whoever looks.
    pub fn add(&self, step: LiveStep) {
        let mut here = self.lock();
        if here.steps.len() < MAX_STEPS {
            here.steps.push(step);
        }
    }

    /// The news after `taken` steps of an attempt.
    pub(crate) fn news(&self, attempt: u32, taken: usize) -> News {
        let here = self.lock();
        let from = if here.attempt == attempt { taken } else { 0 };
        News {
            attempt: here.attempt,
            steps: here.steps.get(from..).unwrap_or_default().to_vec(),
        }
    }

    /// Nothing that holds the lock fails half way.
    fn lock(&self) -> MutexGuard<'_, InPlay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
