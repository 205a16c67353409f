//! The write to a log that is under way.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The write to a log that is under way, if there is one.
///
/// A disk that hangs never ends it, so it does not appear among the writes that ended.
#[derive(Debug, Default)]
pub struct OngoingWrite(Mutex<Option<Instant>>);

impl OngoingWrite {
    /// Creates one that is not under way.
    #[must_use]
    pub const fn none() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the time since it began; 0 if none is under way.
    #[must_use]
    pub fn age(&self) -> Duration {
        let begun = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// Begins one, which ends when the result is dropped.
    pub(super) fn begin(&self) -> Begun<'_> {
        self.set(Some(Instant::now()));
        Begun(self)
    }

    fn set(&self, begun: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = begun;
    }
}

/// A write that has begun.
pub(super) struct Begun<'a>(&'a OngoingWrite);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.0.set(None);
    }
}
