use std::time::Duration;

use dragontooth_service_vocabulary::MatchId;

/// How long a session tries to reach the service for the first time, unless it is told otherwise.
pub const FIRST_PATIENCE: Duration = Duration::from_secs(10);
/// How long a session tries to reach the service again, unless it is told otherwise.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(10);
/// How many matches a session plays at once, unless it is told otherwise.
pub const MATCHES_AT_ONCE: usize = 1024;

/// How a session plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// The player's name in the matches that it is invited to, at most 64 bytes.
    pub name: String,
    /// What the player adds to the random choices of the matches that it is invited to, at most 64
    /// bytes; none for what is usual.
    pub draw_seed: Option<String>,
    /// What the seeds of the decisions follow from: see [`decision_seed`](super::decision_seed).
    pub seed: u64,
    /// When the session is over.
    pub until: Until,
    /// How many matches it plays at once: it accepts no invitation beyond that.
    pub matches_at_once: usize,
    /// How long it tries to reach the service for the first time.
    pub first_patience: Duration,
    /// How long it tries to reach the service again after a lost connection.
    pub patience: Duration,
}

/// When a session is over, if nothing stops it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Never.
    Stopped,
    /// When so many matches are over; it accepts no more.
    Matches(u32),
    /// When this match is over; it accepts no other.
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
