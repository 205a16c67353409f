use dragontooth_games::Seat;

use super::{MatchResult, Results, ScheduledMatch};
use crate::statistics::{MatchPoints, Pentanomial, Sample, Sprt, SprtDecision};

/// A sequential test of the first bot of an event against the second.
///
/// It looks at encounters in the order of the schedule, each once all before it are over, so that
/// its end depends only on the results, not on the order in which they came. An encounter with a
/// void match does not count.
#[derive(Clone, Debug)]
pub struct Sequential {
    test: Sprt,
    /// Number of encounters considered.
    encounters: usize,
    counts: Pentanomial,
    /// The log-likelihood ratio after each encounter that counts.
    ratios: Vec<f64>,
    decision: SprtDecision,
}

impl Sequential {
    pub(super) const fn new(test: Sprt) -> Self {
        Self {
            test,
            encounters: 0,
            counts: Pentanomial([0; 5]),
            ratios: Vec::new(),
            decision: SprtDecision::Undecided,
        }
    }

    /// The test.
    #[must_use]
    pub const fn test(&self) -> &Sprt {
        &self.test
    }

    /// The encounters that count, from the first bot's point of view.
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

    /// The decision so far.
    #[must_use]
    pub const fn decision(&self) -> SprtDecision {
        self.decision
    }

    /// Considers new results. Returns the number of matches up to the deciding one; `None` while
    /// the test is undecided.
    pub(super) fn advance(
        &mut self,
        matches: &[ScheduledMatch],
        results: &Results,
    ) -> Option<usize> {
        while self.decision == SprtDecision::Undecided
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
                .expect("the test of an event counts encounters");
            self.ratios.push(ratio);
            self.decision = self.test.decision(ratio);
        }
        (self.decision != SprtDecision::Undecided).then_some(2 * self.encounters)
    }
}

/// Returns the points of the event's first bot in a match.
fn score(planned: &ScheduledMatch, result: &MatchResult) -> Option<MatchPoints> {
    let seat = if planned.bot(Seat::First) < planned.bot(Seat::Second) {
        Seat::First
    } else {
        Seat::Second
    };
    result.verdict().score(seat)
}
