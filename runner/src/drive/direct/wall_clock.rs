use std::time::{Duration, Instant, SystemTime};

use dragontooth_service_vocabulary::Timestamp;

/// The time of the matches: it starts at the system time and advances with a monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallClock {
    start: Timestamp,
    started: Instant,
}

impl WallClock {
    pub(super) fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            start: Timestamp::default().after(since_epoch.unwrap_or_default()),
            started: Instant::now(),
        }
    }

    pub(super) fn now(self) -> Timestamp {
        self.start.after(self.started.elapsed())
    }
}

/// A moment as the system has it.
pub(super) fn system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(time.micros())
}
