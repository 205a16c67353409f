use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of the network's faults and of the players' reactions.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    connections: AtomicU64,
    delays: AtomicU64,
    cuts: AtomicU64,
    half_opens: AtomicU64,
    swallowed_bytes: AtomicU64,
    changes: AtomicU64,
    duplicates: AtomicU64,
    repeats: AtomicU64,
}

/// A counted event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// A connection through the proxy.
    Connection,
    /// Bytes that were delayed while those of the other direction continued.
    Delay,
    /// A connection that was cut.
    Cut,
    /// A half-open connection: only one direction continued.
    HalfOpen,
    /// A changing request.
    Change,
    /// Another copy of such a request, sent at the same time, with the same answer.
    Duplicate,
    /// A request that was repeated because no answer came.
    Repeat,
}

impl Tally {
    pub(super) fn count(&self, what: Counted) {
        let counts = &self.0;
        let counter = match what {
            Counted::Connection => &counts.connections,
            Counted::Delay => &counts.delays,
            Counted::Cut => &counts.cuts,
            Counted::HalfOpen => &counts.half_opens,
            Counted::Change => &counts.changes,
            Counted::Duplicate => &counts.duplicates,
            Counted::Repeat => &counts.repeats,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes that never arrived on a half-open connection.
    pub(super) fn swallow(&self, bytes: usize) {
        let counter = &self.0.swallowed_bytes;
        counter.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Checks that something went wrong: a run without faults proves nothing.
    pub(super) fn assert_enough(&self) {
        let counts = &self.0;
        for counter in [
            &counts.delays,
            &counts.cuts,
            &counts.half_opens,
            &counts.swallowed_bytes,
            &counts.duplicates,
            &counts.repeats,
        ] {
            let count = counter.load(Ordering::Relaxed);
            assert!(count >= 20, "too little went wrong: {self}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.0;
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        write!(
            f,
            "connections {}, delays {}, cuts {}, half-opens {} ({} bytes swallowed), changes {}, \
             duplicates {}, repeats {}",
            of(&counts.connections),
            of(&counts.delays),
            of(&counts.cuts),
            of(&counts.half_opens),
            of(&counts.swallowed_bytes),
            of(&counts.changes),
            of(&counts.duplicates),
            of(&counts.repeats),
        )
    }
}
