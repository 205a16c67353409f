use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use dragontooth_service_vocabulary::Timestamp;
use tokio::time::Instant;

/// A clock that follows another one gains or loses one part in so many of the time at most, which no player notices.
const SLEW: i64 = 50;

/// The clock of the matches, and the only reader of the time. It starts from the system's clock, or from that of the event log, and
/// continues by a monotonic one, so that a correction of the system clock never moves a running game clock.
#[derive(Clone, Debug)]
pub struct WallClock {
    start: Timestamp,
    started: Instant,
    /// `None` if it follows no other.
    slew: Option<Arc<RwLock<Slew>>>,
}

/// A correction that grows from one value to another, all in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Slew {
    /// The elapsed time at which it began to grow.
    since: i64,
    from: i64,
    to: i64,
}

/// The time that another clock showed at some moment between two instants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
    pub(crate) time: Timestamp,
}

impl Reading {
    /// The most by which the moment of the reading is uncertain.
    pub(crate) fn uncertainty(&self) -> Duration {
        self.ended.duration_since(self.begun)
    }
}

impl WallClock {
    /// Starts from the time of the system.
    #[must_use]
    pub fn start() -> Self {
        Self::start_at_system_time(SystemTime::now())
    }

    /// Starts from a time of the system.
    pub(crate) fn start_at_system_time(time: SystemTime) -> Self {
        let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH);
        let start = Timestamp::default().after(since_epoch.unwrap_or_default());
        Self::start_at(start, Instant::now())
    }

    /// Starts with `time` at an instant.
    fn start_at(time: Timestamp, started: Instant) -> Self {
        Self {
            start: time,
            started,
            slew: None,
        }
    }

    /// Starts from the time of another clock, to follow it.
    pub(crate) fn start_from(reading: &Reading) -> Self {
        let time = reading.time.after(reading.uncertainty() / 2);
        Self {
            slew: Some(Arc::default()),
            ..Self::start_at(time, reading.ended)
        }
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.at(Instant::now())
    }

    /// Begins to correct the clock by as much as a reading of the clock that it follows proves it wrong. Returns the error in microseconds,
    /// less than 0 if this clock is behind.
    pub(crate) fn follow(&self, reading: &Reading) -> i64 {
        let elapsed = self.elapsed(reading.ended);
        let Some(slew) = &self.slew else {
            return 0;
        };
        let mut slew = slew.write().unwrap_or_else(PoisonError::into_inner);
        let shown = elapsed + slew.at(elapsed);
        let earliest = signed(reading.time.micros()) - signed(self.start.micros());
        let latest = earliest + micros(reading.uncertainty());
        let error = shown - shown.clamp(earliest, latest);
        let since = self.elapsed(Instant::now());
        let from = slew.at(since);
        let to = from - error;
        *slew = Slew { since, from, to };
        error
    }

    /// The reading of the monotonic clock at `time`, as far as corrections are known.
    pub(crate) fn instant(&self, time: Timestamp) -> Instant {
        let now = Instant::now();
        now + time.since(self.at(now))
    }

    fn at(&self, instant: Instant) -> Timestamp {
        let elapsed = self.elapsed(instant);
        let correction = self.slew.as_ref().map_or(0, |slew| {
            let slew = *slew.read().unwrap_or_else(PoisonError::into_inner);
            slew.at(elapsed)
        });
        let corrected = elapsed.saturating_add(correction).max(0);
        let since_start = Duration::from_micros(corrected.unsigned_abs());
        self.start.after(since_start)
    }

    fn elapsed(&self, instant: Instant) -> i64 {
        micros(instant.saturating_duration_since(self.started))
    }
}

impl Slew {
    fn at(self, elapsed: i64) -> i64 {
        let most = (elapsed - self.since).max(0) / SLEW;
        self.from + (self.to - self.from).clamp(-most, most)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

fn signed(micros: u64) -> i64 {
    i64::try_from(micros).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock() -> WallClock {
        let begun = Instant::now();
        WallClock::start_from(&Reading {
            begun,
            ended: begun,
            time: Timestamp::from_micros(1_000_000_000),
        })
    }

    /// A reading that took `uncertainty`, of a clock that is ahead of `clock` by `ahead` microseconds in the middle of it.
    fn reading(clock: &WallClock, ahead: i64, uncertainty: Duration) -> Reading {
        let ended = Instant::now();
        let middle = clock.now().before(uncertainty / 2);
        Reading {
            begun: ended - uncertainty,
            ended,
            time: Timestamp::from_micros(middle.micros().strict_add_signed(ahead)),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_is_corrected_gradually_and_never_back() {
        for ahead in [5_000_000, -5_000_000] {
            let clock = clock();
            tokio::time::advance(SECOND * 10).await;
            let error = clock.follow(&reading(&clock, ahead, Duration::ZERO));
            assert_eq!(error, -ahead);
            let before = clock.now();
            // 5 s at 2 %.
            for second in 1..=250 {
                tokio::time::advance(SECOND).await;
                let passed = micros(clock.now().since(before));
                let corrected = passed - second * 1_000_000;
                assert_eq!(corrected, second * 20_000 * ahead.signum());
            }
            tokio::time::advance(SECOND).await;
            let passed = micros(clock.now().since(before));
            assert_eq!(passed, 251_000_000 + ahead);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_a_reading_proves_is_corrected() {
        let clock = clock();
        tokio::time::advance(SECOND).await;
        let slow = Duration::from_millis(40);
        assert_eq!(clock.follow(&reading(&clock, 19_000, slow)), 0);
        assert_eq!(clock.follow(&reading(&clock, -19_000, slow)), 0);
        assert_eq!(clock.follow(&reading(&clock, 21_000, slow)), -1_000);
        assert_eq!(clock.follow(&reading(&clock, -21_000, slow)), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_was_set_before_a_correction_is_set_again() {
        let clock = clock();
        let end = clock.now().after(SECOND * 100);
        clock.follow(&reading(&clock, 1_000_000, Duration::ZERO));
        tokio::time::advance(SECOND * 99).await;
        assert!(clock.now() >= end);
        assert!(clock.instant(end) <= Instant::now());
    }
}
