use std::time::Duration;

/// How long the runner waits for a bot where no clock tells that it is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// To take its seat.
    pub join: Duration,
    /// For a decision in a match without clocks.
    pub stall: Duration,
}

impl Limits {
    /// The usual limits.
    pub const USUAL: Self = Self {
        join: Duration::from_mins(1),
        stall: Duration::from_mins(10),
    };
}
