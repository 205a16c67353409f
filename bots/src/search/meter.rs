use std::time::Duration;

use super::{Limits, Stopwatch};

/// Positions that are visited between two looks at the stopwatch.
const NODES_PER_LOOK: u64 = 256;

/// The search has to end: a limit was reached.
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
    pub(super) fn new(limits: &Limits, stopwatch: &'a dyn Stopwatch) -> Self {
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
