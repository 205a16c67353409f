use std::fmt;

use dragontooth_runner_tournament::Name;

/// A check that a bot has to pass before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreflightCheck {
    /// Its program can be started.
    Starts,
    /// It takes its seat.
    Connects,
    /// It plays several matches at once to their ends by the rules.
    Plays,
    /// It decides in time.
    KeepsTime,
    /// When its program is ended in the middle of a match and started again, it plays on.
    Restarts,
    /// Its program ends when asked to.
    Ends,
}

/// The verdict on a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreflightVerdict {
    /// The bot.
    pub bot: Name,
    /// The check; `None` for a bot that cannot be checked.
    pub trial: Option<PreflightCheck>,
    /// True if it passed.
    pub passed: bool,
    /// Details for people, possibly empty.
    pub detail: String,
}

impl PreflightCheck {
    const fn words(self) -> &'static str {
        match self {
            Self::Starts => "starts",
            Self::Connects => "connects",
            Self::Plays => "plays",
            Self::KeepsTime => "keeps its time",
            Self::Restarts => "survives a restart",
            Self::Ends => "ends when told",
        }
    }
}

impl fmt::Display for PreflightCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

impl fmt::Display for PreflightVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passed = match (self.trial, self.passed) {
            (None, _) => "-",
            (Some(_), true) => "ok",
            (Some(_), false) => "FAILED",
        };
        let trial = self.trial.map_or("is not tried", PreflightCheck::words);
        let line = format!("{}: {trial:<18} {passed:<6} {}", self.bot, self.detail);
        f.write_str(line.trim_end())
    }
}
