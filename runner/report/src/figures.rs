use dragontooth_games::counted;
use dragontooth_runner_tournament::Sequential;
use dragontooth_runner_tournament::statistics::{
    Estimate, InvalidSample, Method, Model, ModelNeedsMatches, Sample, Sprt, SprtDecision,
    SprtTrajectory, StopEstimate, sprt_trajectory, stop_estimate,
};
use serde::Serialize;

use super::table::{DataTable, NOTHING};

/// The estimate of a bot's strength from counts, for people and as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimateFigures {
    unit: &'static str,
    units: u64,
    matches: u64,
    score: f64,
    score_low: f64,
    score_high: f64,
    standard_error: f64,
    variance: f64,
    elo: Option<f64>,
    elo_error: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    normalized_elo: Option<f64>,
    normalized_elo_error: Option<f64>,
    superiority: f64,
    method: &'static str,
}

/// The state of a sequential test, for people and as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtFigures {
    model: &'static str,
    elo0: f64,
    elo1: f64,
    unit: &'static str,
    units: u64,
    matches: u64,
    pentanomial: Option<[u64; 5]>,
    elo: Option<f64>,
    elo_error: Option<f64>,
    normalized_elo: Option<f64>,
    normalized_elo_error: Option<f64>,
    log_likelihood_ratio: f64,
    lower_bound: f64,
    upper_bound: f64,
    decision: &'static str,
    expected_encounters: Option<[f64; 3]>,
    estimate: Option<StopFigures>,
}

/// The estimate after a stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct StopFigures {
    elo: f64,
    low: f64,
    high: f64,
}

impl EstimateFigures {
    /// The figures of a sample.
    ///
    /// # Errors
    ///
    /// There is nothing in it.
    pub fn new(sample: &Sample) -> Result<Self, InvalidSample> {
        let estimate = Estimate::of(sample)?;
        Ok(Self {
            unit: unit(sample),
            units: estimate.units,
            matches: estimate.matches,
            score: estimate.score,
            score_low: estimate.interval.low,
            score_high: estimate.interval.high,
            standard_error: estimate.standard_error,
            variance: estimate.variance,
            elo: estimate.elo(),
            elo_error: estimate.elo_error(),
            elo_low: estimate.elo_low(),
            elo_high: estimate.elo_high(),
            normalized_elo: estimate.normalized.map(|normalized| normalized.elo),
            normalized_elo_error: estimate.normalized.map(|normalized| normalized.error),
            superiority: estimate.superiority,
            method: match estimate.method {
                Method::Normal => "normal",
                Method::Wilson => "wilson",
            },
        })
    }

    /// The figures as a table for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.2} %", share * 100.0);
        let row = |what: &str, value: String, low: String, high: String| {
            vec![what.to_owned(), value, low, high]
        };
        let (low, high) = match (self.normalized_elo, self.normalized_elo_error) {
            (Some(elo), Some(error)) => (Some(elo - error), Some(elo + error)),
            (Some(_) | None, _) => (None, None),
        };
        let nothing = String::new;
        let rows = vec![
            row(
                "score",
                percent(self.score),
                percent(self.score_low),
                percent(self.score_high),
            ),
            row(
                "Elo",
                signed(self.elo),
                signed(self.elo_low),
                signed(self.elo_high),
            ),
            row(
                "normalised Elo",
                signed(self.normalized_elo),
                signed(low),
                signed(high),
            ),
            row("LOS", percent(self.superiority), nothing(), nothing()),
        ];
        let table = DataTable {
            title: "",
            head: ["", "value", "95 % from", "to"].map(str::to_owned).to_vec(),
            rows,
            left_columns: 1,
        };
        let counted = units(self.unit, self.units, self.matches);
        format!("{counted}; {} interval\n{}\n", self.method, table.text())
    }
}

impl SprtFigures {
    /// The state of `sprt` after a sample.
    ///
    /// # Errors
    ///
    /// The model takes matches and the sample is one of encounters.
    pub fn new(sprt: &Sprt, sample: &Sample) -> Result<(Self, SprtDecision), ModelNeedsMatches> {
        let ratio = sprt.log_likelihood_ratio(sample)?;
        Ok(Self::with_ratio(sprt, sample, ratio))
    }

    /// The state of the test of an event.
    #[must_use]
    pub fn of_event(test: &Sequential) -> Self {
        let ratio = test.ratios().last().copied().unwrap_or_default();
        Self::with_ratio(test.test(), &test.sample(), ratio).0
    }

    fn with_ratio(sprt: &Sprt, sample: &Sample, ratio: f64) -> (Self, SprtDecision) {
        let decision = sprt.decision(ratio);
        let [elo0, elo1] = sprt.hypotheses();
        let [lower_bound, upper_bound] = sprt.bounds();
        let units = sample.units();
        let seen = Estimate::of(sample).ok();
        let normalized = seen.and_then(|seen| seen.normalized);
        let figures = Self {
            model: match sprt.model() {
                Model::Logistic => "logistic",
                Model::Normalized => "normalized",
                Model::BayesElo => "bayeselo",
            },
            elo0,
            elo1,
            unit: unit(sample),
            units,
            matches: units * sample.matches_in_unit(),
            pentanomial: sample.counts().try_into().ok(),
            elo: seen.and_then(|seen| seen.elo()),
            elo_error: seen.and_then(|seen| seen.elo_error()),
            normalized_elo: normalized.map(|normalized| normalized.elo),
            normalized_elo_error: normalized.map(|normalized| normalized.error),
            log_likelihood_ratio: ratio,
            lower_bound,
            upper_bound,
            decision: match decision {
                SprtDecision::Accepted => "accepted",
                SprtDecision::Rejected => "rejected",
                SprtDecision::Undecided => "undecided",
            },
            expected_encounters: expected(sprt, sample),
            estimate: stop_estimate(sprt, sample)
                .map(|StopEstimate { elo, low, high }| StopFigures { elo, low, high }),
        };
        (figures, decision)
    }

    /// The figures as lines for a terminal, in the words of other programs for such tests.
    #[must_use]
    pub fn text(&self) -> String {
        let counted = units(self.unit, self.units, self.matches);
        let scale = self.scale();
        let [elo0, elo1] = [self.elo0, self.elo1];
        let ptnml = self
            .pentanomial
            .map(|counts| format!("Ptnml(0-2): {counts:?}\n"));
        let verdict = match self.decision {
            "accepted" => format!("H1 is accepted: {scale} {elo1}, not {elo0}"),
            "rejected" => format!("H0 is accepted: {scale} {elo0}, not {elo1}"),
            _ => "undecided: the LLR has reached neither bound".to_owned(),
        };
        let expected = self.expected_encounters.map(|[at0, middle, at1]| {
            format!(
                "expected encounters of a whole test: {at0:.0} at {scale} {elo0}, {middle:.0} halfway, \
                 {at1:.0} at {scale} {elo1}\n"
            )
        });
        let estimate = self.estimate.map(|StopFigures { elo, low, high }| {
            let [elo, low, high] = [elo, low, high].map(|elo| signed(Some(elo)));
            format!("corrected for the stop: {scale} {elo}, 95 % {low} to {high}\n")
        });
        format!(
            "{counted}\n{}\n{}LLR: {} for {scale} {elo0} (H0) or {elo1} (H1)\n{verdict}\n{}{}",
            self.strength(),
            ptnml.unwrap_or_default(),
            self.ratio(),
            estimate.unwrap_or_default(),
            expected.unwrap_or_default(),
        )
    }

    /// The state of the test, in one short line.
    #[must_use]
    pub fn line(&self) -> String {
        let ptnml = self
            .pentanomial
            .map(|counts| format!(", Ptnml(0-2) {counts:?}"));
        let ratio = self.ratio();
        format!(
            "LLR {ratio}, {}{}",
            self.strength(),
            ptnml.unwrap_or_default()
        )
    }

    /// Elo and normalised Elo with half the widths of their intervals of 95 %.
    fn strength(&self) -> String {
        let with_error = |elo: Option<f64>, error: Option<f64>| match error {
            Some(error) => format!("{} ± {error:.1}", signed(elo)),
            None => signed(elo),
        };
        format!(
            "Elo {}, nElo {}",
            with_error(self.elo, self.elo_error),
            with_error(self.normalized_elo, self.normalized_elo_error),
        )
    }

    /// The log-likelihood ratio, how much of the way to the nearer bound that is, and both bounds.
    fn ratio(&self) -> String {
        let ratio = self.log_likelihood_ratio;
        let bound = if ratio < 0.0 {
            self.lower_bound
        } else {
            self.upper_bound
        };
        format!(
            "{ratio:.3} ({:.0} %) in ({:.3}, {:.3})",
            ratio / bound * 100.0,
            self.lower_bound,
            self.upper_bound
        )
    }

    /// The unit of the hypotheses.
    fn scale(&self) -> &'static str {
        match self.model {
            "normalized" => "nElo",
            "bayeselo" => "BayesElo",
            _ => "Elo",
        }
    }
}

/// The expected length of the whole test at elo0, halfway and at elo1, by the scatter seen.
fn expected(sprt: &Sprt, sample: &Sample) -> Option<[f64; 3]> {
    let encounters = sample.matches_in_unit() == 2 && sprt.model() != Model::BayesElo;
    let variance = Estimate::of(sample).ok().filter(|_| encounters)?.variance;
    let [elo0, elo1] = sprt.hypotheses();
    let at = |elo| {
        sprt_trajectory(sprt, elo, variance).map(|SprtTrajectory { encounters, .. }| encounters)
    };
    Some([at(elo0)?, at(f64::midpoint(elo0, elo1))?, at(elo1)?])
}

const fn unit(sample: &Sample) -> &'static str {
    if sample.matches_in_unit() == 2 {
        "encounter"
    } else {
        "match"
    }
}

fn units(unit: &str, units: u64, matches: u64) -> String {
    if unit == "match" {
        format!("{}, each a unit", counted(matches, "match"))
    } else {
        format!(
            "{} of two matches, each a unit",
            counted(units, "encounter")
        )
    }
}

/// Elo with its sign and one decimal.
pub(super) fn signed(elo: Option<f64>) -> String {
    elo.map_or_else(|| NOTHING.to_owned(), |elo| signed_to(elo, 1))
}

/// The decimals of a rating with this error: of a small one, the first digits say something.
pub(super) fn decimals_of(error: f64) -> usize {
    usize::from(error < 10.0)
}

/// A value with its sign and so many decimals; without a sign where these are all 0.
pub(super) fn signed_to(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let is_zero = text.chars().all(|letter| !matches!(letter, '1'..='9'));
    if is_zero { text[1..].to_owned() } else { text }
}
