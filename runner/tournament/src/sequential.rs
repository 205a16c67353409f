use dragontooth_games::Seat;

use super::{MatchResult, Results, ScheduledMatch};
use crate::statistics::{Decision, Pentanomial, Sample, Score, Sprt};

/// How a sequential test of the first bot of an event against the second one stands.
///
/// It looks at encounters in the order of the schedule, each as soon as all before it are over: so
/// where it ends depends on the results alone, not on the order in which they came. An encounter
/// with a match that counts for nobody counts for nothing.
#[derive(Clone, Debug)]
pub struct Sequential {
    test: Sprt,
    /// The encounters that were looked at.
    encounters: usize,
    counts: Pentanomial,
    /// The log-likelihood ratio after each encounter that counts.
    ratios: Vec<f64>,
    decision: Decision,
}

impl Sequential {
    pub(super) const fn new(test: Sprt) -> Self {
        Self {
            test,
            encounters: 0,
            counts: Pentanomial([0; 5]),
            ratios: Vec::new(),
            decision: Decision::Undecided,
        }
    }

    /// The test.
    #[must_use]
    pub const fn test(&self) -> &Sprt {
        &self.test
    }

    /// The encounters that count, from the side of the first bot.
    ///
    /// # Panics
    ///
    /// Never: an event has fewer matches than a sample may have.
    #[must_use]
    pub fn sample(&self) -> Sample {
        self.counts
            .sample()
            .expect("an event has fewer matches than a sample may have")
    }

    /// The log-likelihood ratio after each encounter that counts, in order.
    #[must_use]
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// What it says.
    #[must_use]
    pub const fn decision(&self) -> Decision {
        self.decision
    }

    /// Looks at what has come. The number of matches up to the one with which it was decided; none
    /// if it is not.
    pub(super) fn advance(
        &mut self,
        matches: &[ScheduledMatch],
        results: &Results,
    ) -> Option<usize> {
        while self.decision == Decision::Undecided
            && let Some([one, two]) = matches.as_chunks::<2>().0.get(self.encounters)
            && let (Some(first), Some(second)) = (results.of(one.number), results.of(two.number))
        {
            self.encounters += 1;
            let (Some(first), Some(second)) = (score(one, first), score(two, second)) else {
                continue;
            };
            self.counts.count([first, second]);
            let ratio = self
                .test
                .log_likelihood_ratio(&self.sample())
                .expect("a test of an event is one of encounters");
            self.ratios.push(ratio);
            self.decision = self.test.decision(ratio);
        }
        (self.decision != Decision::Undecided).then_some(2 * self.encounters)
    }
}

/// What a match brought to the first bot of the event.
fn score(planned: &ScheduledMatch, result: &MatchResult) -> Option<Score> {
    let seat = if planned.bot(Seat::First) < planned.bot(Seat::Second) {
        Seat::First
    } else {
        Seat::Second
    };
    result.verdict().score(seat)
}
