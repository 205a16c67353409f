use std::time::Duration;

use super::Check;

/// The reason for skipping the checks of a game in which the bot does not connect.
pub const NOT_CONNECTED: &str = "it does not connect";

/// The verdict on one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckVerdict {
    /// The check.
    pub check: &'static Check,
    /// The game that was played.
    pub game: &'static str,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// The observation, or the reason why there is none, for people.
    pub seen: String,
    /// The scene of the failure, if it is known.
    pub scene: Option<Scene>,
    /// The last lines that its program wrote, if something went wrong.
    pub wrote: Vec<String>,
    /// Duration of the check.
    pub took: Duration,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// It did.
    Passed,
    /// It did not.
    Failed,
    /// The check does not apply to this bot.
    Skipped,
    /// The kit itself failed.
    Unknown,
}

/// The decision at which something went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The match.
    pub match_id: String,
    /// The decision.
    pub decision_id: u64,
    /// The position.
    pub position: String,
    /// The last roll, such as dice.
    pub roll: Option<String>,
    /// The legal actions.
    pub legal: Vec<String>,
    /// The bot's last answer, if there is one.
    pub answered: Option<String>,
    /// The service's refusal of it, if it was refused.
    pub refusal: Option<String>,
}

impl CheckOutcome {
    /// One word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
        }
    }
}

impl CheckVerdict {
    /// Returns true if the check was skipped because the bot does not connect.
    #[must_use]
    pub fn is_moot(&self) -> bool {
        self.outcome == CheckOutcome::Skipped && self.seen == NOT_CONNECTED
    }

    /// The link to the explanation of the check.
    #[must_use]
    pub fn link(&self) -> String {
        format!("docs/conformance.md#{}", self.check.name)
    }
}
