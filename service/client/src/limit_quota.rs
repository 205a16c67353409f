use std::time::Duration;

/// A player's quota under a limit of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitQuota {
    /// The limit's name, as in a refusal: `actions`.
    pub limit: String,
    /// The capacity; `None` means no limit.
    pub allowed: Option<u64>,
    /// The rest of it; `None` means no limit.
    pub available: Option<u64>,
    /// The refill per second; 0 if a place becomes free only when something ends.
    pub per_second: u32,
    /// The moment when the quota is full again if nothing more is used; `None` if it does not
    /// refill with time.
    pub reset_in: Option<Duration>,
}
