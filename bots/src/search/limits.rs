use std::time::{Duration, Instant};

/// Where a search ends, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The plies to look ahead, 1 to [`DEPTH_MAX`].
    pub depth: u8,
    /// The positions to visit.
    pub nodes: Option<u64>,
    /// The time to take.
    pub time: Option<Duration>,
}

/// The most plies that a search looks ahead.
pub const DEPTH_MAX: u8 = 100;

impl Limits {
    /// No limit but [`DEPTH_MAX`].
    pub const NONE: Self = Self {
        depth: DEPTH_MAX,
        nodes: None,
        time: None,
    };
}

/// Measures the time that a search takes.
pub trait Stopwatch {
    /// The time since it was started.
    fn elapsed(&self) -> Duration;
}

/// A stopwatch on the machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct RealTime(Instant);

impl RealTime {
    /// A stopwatch that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Stopwatch for RealTime {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
