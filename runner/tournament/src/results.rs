use std::ops::{AddAssign, SubAssign};

use dragontooth_games::Seat;

use super::{MatchNumber, MatchResult, ScheduledMatch, Verdict};
use crate::statistics::PlayedMatch;

/// The results of a schedule so far, by match, in whatever order they came.
#[derive(Clone, Debug)]
pub struct Results {
    by_match: Vec<Option<MatchResult>>,
    totals: Totals,
}

/// Sums over the results, kept with each change: a run asks for them after every match.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    played: usize,
    void: usize,
    actions: u64,
    faults: usize,
}

/// A match that already has a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("match {} already has a result", number.get() + 1)]
pub struct AlreadyRecorded {
    number: MatchNumber,
}

impl Results {
    /// Creates an empty set for the matches of a schedule.
    #[must_use]
    pub fn none(matches: &[ScheduledMatch]) -> Self {
        Self {
            by_match: vec![None; matches.len()],
            totals: Totals::default(),
        }
    }

    /// Adds a result.
    ///
    /// # Errors
    ///
    /// The match already has one; nothing changes.
    ///
    /// # Panics
    ///
    /// If the result belongs to another schedule.
    pub fn add(&mut self, result: MatchResult) -> Result<(), AlreadyRecorded> {
        let place = &mut self.by_match[result.number.get()];
        if place.is_some() {
            return Err(AlreadyRecorded {
                number: result.number,
            });
        }
        self.totals += Totals::of(&result);
        *place = Some(result);
        Ok(())
    }

    /// Returns the result of a match, if there is one.
    #[must_use]
    pub fn of(&self, number: MatchNumber) -> Option<&MatchResult> {
        self.by_match.get(number.get())?.as_ref()
    }

    /// Returns the matches with a result, in the order of `matches`, those of the schedule.
    pub fn with_match<'a>(
        &'a self,
        matches: &'a [ScheduledMatch],
    ) -> impl Iterator<Item = (&'a ScheduledMatch, &'a MatchResult)> {
        let pairs = matches.iter().zip(&self.by_match);
        pairs.filter_map(|(planned, result)| result.as_ref().map(|result| (planned, result)))
    }

    /// Returns the matches that count, as input for the ratings, in the order of `matches`, those
    /// of the schedule. Bots are numbered as in the event's list.
    #[must_use]
    pub fn played_matches(&self, matches: &[ScheduledMatch]) -> Vec<PlayedMatch> {
        let counting = self.with_match(matches).filter_map(|(planned, result)| {
            Some(PlayedMatch {
                encounter: u64::from(planned.encounter),
                first: planned.bot(Seat::First).get(),
                second: planned.bot(Seat::Second).get(),
                first_score: result.verdict().score(Seat::First)?,
                moves: result.moves.map(|moves| moves.short()),
            })
        });
        counting.collect()
    }

    /// Number of matches with a result.
    #[must_use]
    pub const fn played(&self) -> usize {
        self.totals.played
    }

    /// Number of known matches of the schedule without a result.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.by_match.len() - self.totals.played
    }

    /// Number of void matches.
    #[must_use]
    pub const fn void(&self) -> usize {
        self.totals.void
    }

    /// Number of actions in all matches with a result.
    #[must_use]
    pub const fn actions(&self) -> u64 {
        self.totals.actions
    }

    /// Number of faults.
    #[must_use]
    pub const fn faults(&self) -> usize {
        self.totals.faults
    }

    /// Makes room for this number of matches. Results of matches beyond it are dropped.
    pub(super) fn fit(&mut self, matches: usize) {
        if matches < self.by_match.len() {
            for dropped in self.by_match.drain(matches..).flatten() {
                self.totals -= Totals::of(&dropped);
            }
        } else {
            self.by_match.resize(matches, None);
        }
    }
}

impl Totals {
    /// The share of one match.
    fn of(result: &MatchResult) -> Self {
        Self {
            played: 1,
            void: usize::from(result.verdict() == Verdict::Void),
            actions: u64::from(result.plies),
            faults: result.faults.len(),
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.played += other.played;
        self.void += other.void;
        self.actions += other.actions;
        self.faults += other.faults;
    }
}

impl SubAssign for Totals {
    fn sub_assign(&mut self, other: Self) {
        self.played -= other.played;
        self.void -= other.void;
        self.actions -= other.actions;
        self.faults -= other.faults;
    }
}
