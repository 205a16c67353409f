use std::time::SystemTime;

use dragontooth_service_vocabulary::Timestamp;
use tokio::time::Instant;

/// The only reader of the time. It starts from the system's clock and continues by a monotonic one, so that
/// a correction of the system clock never moves a running game clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallClock {
    start: Timestamp,
    started: Instant,
}

impl WallClock {
    pub(crate) fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let start = Timestamp::default().after(since_epoch.unwrap_or_default());
        Self {
            start,
            started: Instant::now(),
        }
    }

    pub(crate) fn now(self) -> Timestamp {
        self.start.after(self.started.elapsed())
    }

    /// The moment of the monotonic clock that is `time`.
    pub(crate) fn instant(self, time: Timestamp) -> Instant {
        self.started + time.since(self.start)
    }
}
