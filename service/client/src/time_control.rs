use std::time::Duration;

/// The agreement on thinking time of a seat. The service allows durations up to 30 days, and zero only for
/// the increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// Every decision has the same limit.
    PerAction {
        /// The time for one action.
        limit: Duration,
    },
    /// A stock of time for the match that grows with every action.
    Fischer {
        /// The time at the start of the match.
        base: Duration,
        /// The time added after each action.
        increment: Duration,
    },
    /// A stock of time for the match that is touched only after a delay in each decision.
    Delay {
        /// The time at the start of the match.
        base: Duration,
        /// The time at the start of each decision in which the stock is not used up.
        delay: Duration,
    },
}
