use std::time::Duration;

use dragontooth_service_vocabulary::MatchId;

/// Default time to reach the service for the first time.
pub const FIRST_PATIENCE: Duration = Duration::from_secs(10);
/// Default time to reach the service again after a lost connection.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(10);
/// Default number of matches that a session plays at once.
pub const MATCHES_AT_ONCE: usize = 1024;

/// Options of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// The player's name in the matches that it is invited to, at most 64 bytes.
    pub name: String,
    /// The player's contribution to the random draws of the matches that it is invited to, at most 64 bytes;
    /// `None` means the default.
    pub draw_seed: Option<String>,
    /// Seed from which the seeds of the decisions are derived: see [`decision_seed`](super::decision_seed).
    pub seed: u64,
    /// The end of the session.
    pub until: Until,
    /// Largest number of matches at once: no invitation is accepted beyond it.
    pub matches_at_once: usize,
    /// Time to reach the service for the first time.
    pub first_patience: Duration,
    /// Time to reach the service again after a lost connection.
    pub patience: Duration,
}

/// The condition that ends a session, unless it is stopped before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Never.
    Stopped,
    /// After this number of matches; no more are accepted.
    Matches(u32),
    /// After this match; no other is accepted.
    Match(MatchId),
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            draw_seed: None,
            seed: 0,
            until: Until::Stopped,
            matches_at_once: MATCHES_AT_ONCE,
            first_patience: FIRST_PATIENCE,
            patience: DEFAULT_PATIENCE,
        }
    }
}
