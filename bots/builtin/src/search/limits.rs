use std::time::{Duration, Instant};

/// Positions that are visited between two looks at the stopwatch.
const NODES_PER_LOOK: u64 = 256;
/// Part of a decision's time that a search leaves unused, as a divisor: one twentieth.
const TIME_RESERVE_DIVISOR: u32 = 20;
/// Time that a search leaves unused in addition, for its work between two looks at the clock and after the
/// last.
const TIME_RESERVE: Duration = Duration::from_millis(5);

/// The limits of a search; the first one that is reached ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Plies to look ahead, 1 to [`DEPTH_MAX`].
    pub depth: u8,
    /// Positions to visit; `None` means no limit.
    pub nodes: Option<u64>,
    /// Time to take; `None` means no limit.
    pub time: Option<Duration>,
}

/// Largest depth of a search in plies.
pub const DEPTH_MAX: u8 = 100;

impl SearchLimits {
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

/// Returns the time that a search may take: the least of a fixed limit and the time of the budget, less a
/// reserve.
pub(crate) fn thinking_limit(
    fixed: Option<Duration>,
    budget: Option<Duration>,
) -> Option<Duration> {
    let left = budget.map(|time| {
        let reserve = time / TIME_RESERVE_DIVISOR + TIME_RESERVE;
        time.saturating_sub(reserve)
    });
    fixed.into_iter().chain(left).min()
}

/// A limit was reached and the search must end.
#[derive(Debug)]
pub(super) struct Stopped;

/// Counts the positions that a search visits and ends it at its limits.
pub(super) struct Meter<'a> {
    nodes: u64,
    nodes_max: u64,
    time_max: Option<Duration>,
    stopwatch: &'a dyn Stopwatch,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: &SearchLimits, stopwatch: &'a dyn Stopwatch) -> Self {
        let nodes_max = limits.nodes.unwrap_or(u64::MAX);
        Self {
            nodes: 0,
            nodes_max,
            time_max: limits.time,
            stopwatch,
        }
    }

    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts one more position.
    #[inline]
    pub(super) fn count(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.nodes_max {
            return Err(Stopped);
        }
        if self.nodes.is_multiple_of(NODES_PER_LOOK) && self.is_time_up() {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    fn is_time_up(&self) -> bool {
        self.time_max
            .is_some_and(|max| self.stopwatch.elapsed() >= max)
    }
}
