use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use dragontooth_runner_tournament::{Fault, MatchNumber};

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

/// The details that reports need, of all matches. A match without a fault takes 16 bytes.
#[derive(Clone, Debug, Default)]
pub struct AllMatchDetails {
    durations: Vec<Option<Duration>>,
    faults: BTreeMap<MatchNumber, Vec<Fault>>,
    span: Option<(SystemTime, SystemTime)>,
}

impl AllMatchDetails {
    /// Adds a match.
    pub fn add(&mut self, number: MatchNumber, details: MatchDetails) {
        let place = number.get();
        if place >= self.durations.len() {
            self.durations.resize(place + 1, None);
        }
        self.durations[place] = Some(details.duration);
        let (first, last) = self.span.unwrap_or((details.started, details.ended));
        self.span = Some((first.min(details.started), last.max(details.ended)));
        if !details.faults.is_empty() {
            self.faults.insert(number, details.faults);
        }
    }

    /// The duration of a match; `None` if it has no details.
    #[must_use]
    pub fn duration(&self, number: MatchNumber) -> Option<Duration> {
        *self.durations.get(number.get())?
    }

    /// The faults of the bots in a match, in order.
    #[must_use]
    pub fn faults(&self, number: MatchNumber) -> &[Fault] {
        self.faults.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The start of the first match and the end of the last; `None` before a match is over.
    #[must_use]
    pub const fn span(&self) -> Option<(SystemTime, SystemTime)> {
        self.span
    }
}
