use std::ops::{AddAssign, SubAssign};
use std::sync::Arc;

use dragontooth_games::Seat;

use super::{MatchNumber, MatchResult, ScheduledMatch, Verdict};
use crate::statistics::PlayedMatch;

/// Results in one chunk.
const CHUNK: usize = 1024;

/// The results of a schedule so far, by match, in whatever order they came.
///
/// A copy shares its results with the original, in chunks, until one of them gets more: a copy of a million results is
/// a copy of a thousand pointers.
#[derive(Clone, Debug)]
pub struct Results {
    /// All but the last have [`CHUNK`] places.
    chunks: Vec<Arc<Vec<Option<MatchResult>>>>,
    matches: usize,
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
        let mut none = Self {
            chunks: Vec::new(),
            matches: 0,
            totals: Totals::default(),
        };
        none.fit(matches.len());
        none
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
        let number = result.number;
        if self.of(number).is_some() {
            return Err(AlreadyRecorded { number });
        }
        self.totals += Totals::of(&result);
        let chunk = &mut self.chunks[number.get() / CHUNK];
        Arc::make_mut(chunk)[number.get() % CHUNK] = Some(result);
        Ok(())
    }

    /// Returns the result of a match, if there is one.
    #[must_use]
    pub fn of(&self, number: MatchNumber) -> Option<&MatchResult> {
        let chunk = self.chunks.get(number.get() / CHUNK)?;
        chunk.get(number.get() % CHUNK)?.as_ref()
    }

    /// Returns the matches with a result, in the order of `matches`, those of the schedule.
    pub fn with_match<'a>(
        &'a self,
        matches: &'a [ScheduledMatch],
    ) -> impl Iterator<Item = (&'a ScheduledMatch, &'a MatchResult)> {
        let results = self.chunks.iter().flat_map(|chunk| chunk.iter());
        let pairs = matches.iter().zip(results);
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
                moves: result.moves_of_copies().map(|moves| moves.short()),
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
        self.matches - self.totals.played
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
        while self.matches < matches {
            let filled = self.matches % CHUNK;
            if filled == 0 {
                self.chunks.push(Arc::default());
            }
            let more = (matches - self.matches).min(CHUNK - filled);
            let last = self.chunks.last_mut();
            let last = last.expect("a chunk that is full is followed by another");
            Arc::make_mut(last).resize(filled + more, None);
            self.matches += more;
        }
        while self.matches > matches {
            let first = (self.matches - 1) / CHUNK * CHUNK;
            let kept = matches.saturating_sub(first);
            let last = &mut self.chunks[first / CHUNK];
            for dropped in Arc::make_mut(last).drain(kept..).flatten() {
                self.totals -= Totals::of(&dropped);
            }
            self.matches = first + kept;
            if kept == 0 {
                self.chunks.pop();
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ending, Event, Format, GameCounts, MatchRules, MovesDigest, Name, Repeat, Schedule, repeats,
    };
    use dragontooth_service_vocabulary::Termination;

    fn result(number: MatchNumber) -> MatchResult {
        MatchResult {
            number,
            winner: Some(Seat::First),
            termination: Ending::By(Termination::Normal),
            call: None,
            score: [1, 0],
            games: GameCounts::default(),
            plies: 3,
            moves: None,
            moves_to_call: None,
            opening: None,
            faults: Vec::new(),
        }
    }

    fn schedule(cycles: u32) -> Schedule {
        let bots = ["a", "b"].map(|name| Name::new(name).unwrap()).to_vec();
        let rules = MatchRules::new("linja", None, 1).unwrap();
        let format = Format::RoundRobin { cycles };
        Schedule::new(Event::new(Name::new("demo").unwrap(), 7, rules, bots, format).unwrap())
    }

    /// All begin alike, so those that a fault ends before the first action have the same moves, none.
    #[test]
    fn matches_without_an_action_are_no_copies() {
        let schedule = schedule(4);
        let matches = schedule.matches();
        let with_plies = |plies| {
            let mut all = Results::none(matches);
            for planned in matches {
                let alike = MatchResult {
                    plies,
                    moves: Some(MovesDigest::from_bytes([1; 32])),
                    ..result(planned.number)
                };
                all.add(alike).unwrap();
            }
            let played = all.played_matches(matches);
            let copies = played.iter().filter(|played| played.moves.is_some());
            let counts = |repeat: &Repeat| (repeat.matches, repeat.unique);
            let repeats: Vec<_> = repeats(&schedule, &all).iter().map(counts).collect();
            (copies.count(), repeats)
        };
        assert_eq!(with_plies(0), (0, vec![]));
        assert_eq!(with_plies(1), (8, vec![(8, 2)]));
    }

    /// Results of more than two chunks grow and shrink to every size near their borders.
    #[test]
    fn a_set_of_any_size_counts_what_it_has() {
        let schedule = schedule(1100);
        let matches = schedule.matches();
        let mut all = Results::none(matches);
        assert_eq!((all.remaining(), all.played()), (2200, 0));
        let mut copies = Vec::new();
        for planned in matches {
            copies.push(all.clone());
            all.add(result(planned.number)).unwrap();
            assert!(all.add(result(planned.number)).is_err());
        }
        assert_eq!((all.remaining(), all.actions()), (0, 6600));
        for (played, copy) in copies.iter().enumerate() {
            assert_eq!((copy.played(), copy.remaining()), (played, 2200 - played));
            assert_eq!(copy.with_match(matches).count(), played);
        }
        for size in [
            2100, 2049, 2048, 2047, 1024, 1023, 1025, 2048, 2200, 1, 0, 5,
        ] {
            let before = all.played();
            all.fit(size);
            assert_eq!(all.played(), before.min(size), "{size}");
            assert_eq!(all.remaining(), size - all.played(), "{size}");
            assert_eq!(all.with_match(matches).count(), all.played(), "{size}");
            assert_eq!(all.of(matches[size.min(2199)].number), None, "{size}");
        }
    }
}
