use std::time::SystemTime;

use dragontooth_service_vocabulary::Timestamp;
use tokio::time::Instant;

/// The clock of the matches, and the only reader of the time. It starts from the system's clock and continues by a monotonic one, so that
/// a correction of the system clock never moves a running game clock.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    start: Timestamp,
    started: Instant,
}

impl WallClock {
    /// Starts from the time of the system.
    #[must_use]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let start = Timestamp::default().after(since_epoch.unwrap_or_default());
        Self {
            start,
            started: Instant::now(),
        }
    }

    /// The time now.
    #[must_use]
    pub fn now(self) -> Timestamp {
        self.start.after(self.started.elapsed())
    }

    /// The reading of the monotonic clock at `time`.
    pub(crate) fn instant(self, time: Timestamp) -> Instant {
        self.started + time.since(self.start)
    }
}
