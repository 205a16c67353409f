use std::time::Duration;

use super::LimitName;

/// What a caller has of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) limit: LimitName,
    /// The most at once; none for no limit.
    pub(crate) allowed: Option<u64>,
    /// What of it is taken.
    pub(crate) used: u64,
    /// What comes back each second; zero where things count that end by themselves.
    pub(crate) per_second: u32,
    /// When all of it is there again if nothing more is taken; none where that is not a matter of
    /// time.
    pub(crate) full_in: Option<Duration>,
}
