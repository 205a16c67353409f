use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_runner_tournament::Fault;

/// The details of a match beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchDetails {
    /// Its id in the service.
    pub match_id: String,
    /// The time of its creation.
    pub started: SystemTime,
    /// The time of its end.
    pub ended: SystemTime,
    /// The time between.
    pub duration: Duration,
    /// The bots' faults, in order.
    pub faults: Vec<Fault>,
}

/// The details of the matches, by title.
#[derive(Clone, Debug, Default)]
pub struct AllMatchDetails(HashMap<String, MatchDetails>);

impl AllMatchDetails {
    /// The details of these matches, by title.
    #[must_use]
    pub const fn new(by_title: HashMap<String, MatchDetails>) -> Self {
        Self(by_title)
    }

    /// The details of the match with this title.
    #[must_use]
    pub fn of(&self, title: &str) -> Option<&MatchDetails> {
        self.0.get(title)
    }

    /// The start of the first match and the end of the last; `None` before a match is over.
    #[must_use]
    pub fn span(&self) -> Option<(SystemTime, SystemTime)> {
        let first = self.0.values().map(|details| details.started).min()?;
        let last = self.0.values().map(|details| details.ended).max()?;
        Some((first, last))
    }
}

impl MatchDetails {
    /// The faults of the bot in `seat`.
    pub fn faults_of(&self, seat: Seat) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| fault.seat == seat)
    }
}
