use std::time::Duration;

/// What a player has of a limit of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The limit's name, as in a refusal: `actions`.
    pub limit: String,
    /// The most at once; none for no limit.
    pub allowed: Option<u64>,
    /// What of it is left; none for no limit.
    pub available: Option<u64>,
    /// What comes back each second; 0 for what comes back when something ends.
    pub per_second: u32,
    /// When all of it is there again if nothing more is taken; none where that is not a matter of
    /// time.
    pub full_in: Option<Duration>,
}
