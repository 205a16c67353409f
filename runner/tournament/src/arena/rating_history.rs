use super::{ArenaState, Contender};

/// The most points of a history; beyond them every second one goes.
const MAX_POINTS: usize = 64;

/// The ratings of an arena over time.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingHistory {
    step: u64,
    points: Vec<HistoryPoint>,
}

/// The ratings after some matches.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryPoint {
    /// The number of matches.
    pub matches: u64,
    /// The contenders that were rated then, and their ratings in Elo.
    pub ratings: Vec<(Contender, f64)>,
}

impl RatingHistory {
    /// The history of an arena in which `expected` matches are known to be over.
    #[must_use]
    pub fn new(expected: u64) -> Self {
        Self {
            step: expected.div_ceil(MAX_POINTS as u64).max(1),
            points: Vec::new(),
        }
    }

    /// Takes the ratings if it is time: call it after each match.
    pub fn follow(&mut self, state: &ArenaState) {
        let matches = state.counts().matches;
        let last = self.points.last().map_or(0, |point| point.matches);
        if matches < last + self.step {
            return;
        }
        if self.points.len() >= MAX_POINTS {
            let mut number = 0;
            self.points.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.step *= 2;
            return self.follow(state);
        }
        self.points.push(HistoryPoint {
            matches,
            ratings: state.ratings(),
        });
    }

    /// The points, in order.
    #[must_use]
    pub fn points(&self) -> &[HistoryPoint] {
        &self.points
    }
}
