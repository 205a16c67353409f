use std::time::Duration;

use dragontooth_service_vocabulary::{MatchId, Offer};

use super::ShareSecret;

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
    /// The player's share of the seeds of the matches that it is invited to, at most 64 bytes; `None` for a
    /// share derived from `draw_secret`, which nobody else can know in advance.
    pub draw_seed: Option<String>,
    /// The secret from which the shares are derived; drawn from the operating system by default.
    pub draw_secret: ShareSecret,
    /// Seed from which the seeds of the decisions are derived: see [`decision_seed`](super::decision_seed).
    pub seed: u64,
    /// The end of the session.
    pub until: Until,
    /// Terms that the player accepts, shown in the service's list of players; `None` to say nothing. It does not
    /// decline invitations: see [`Session::accept_if`](super::Session::accept_if).
    pub offer: Option<Offer>,
    /// Largest number of matches at once: no invitation is accepted beyond it.
    pub matches_at_once: usize,
    /// True if bots are made on threads of their own: that of a match that the player is invited to before the seat is
    /// taken, so that no clock runs meanwhile, and others when the match opens. Otherwise a bot is made at its first decision.
    pub makes_bots_early: bool,
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

impl SessionOptions {
    /// The player's share of the seed of the matches with this commitment.
    #[must_use]
    pub fn share(&self, commitment: &str) -> String {
        let derived = || self.draw_secret.share(commitment);
        self.draw_seed.clone().unwrap_or_else(derived)
    }
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            draw_seed: None,
            draw_secret: ShareSecret::random(),
            seed: 0,
            until: Until::Stopped,
            offer: None,
            matches_at_once: MATCHES_AT_ONCE,
            makes_bots_early: false,
            first_patience: FIRST_PATIENCE,
            patience: DEFAULT_PATIENCE,
        }
    }
}
