use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use dragontooth_runner_report::{EstimateFigures, PlanFigures, SprtFigures, Strength};
use dragontooth_runner_tournament::statistics::{
    self, FirstSeat, InvalidSample, MAX_UNITS, Model, PairSpread, Pentanomial, Sample, Sprt,
    SprtDecision, Trinomial,
};

use super::{Failure, arena, cannot_run, print, usage};
use crate::exit_code::RunnerExit;
use crate::record::read_evidence;

/// The figures to compute.
#[derive(Debug, Subcommand)]
pub(super) enum Stats {
    /// Score, Elo, normalised Elo and likelihood of superiority from counts.
    Elo {
        #[command(flatten)]
        counts: Counts,
        /// Print one JSON object instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// A sequential test of two hypotheses: exit code 0 accepted, 1 rejected, 2 undecided, and 3
    /// if the command line is wrong.
    Sprt(Test),
    /// The errors to be expected of a round robin of equal bots, or the encounters that it takes.
    Plan(Plan),
    /// The joint fit of ratings to the results of runs.
    Ratings {
        /// `results.jsonl`, or the folder of a run; several for the results of several events together.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Fit what the first seat is worth, too.
        #[arg(long)]
        first_seat: bool,
        /// Print one JSON object instead of tables.
        #[arg(long)]
        json: bool,
    },
}

/// The results.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Counts {
    /// Matches won, drawn and lost, where each match is a unit of its own.
    #[arg(long, value_name = "W,D,L", value_parser = trinomial)]
    wdl: Option<Trinomial>,
    /// Encounters that brought 0, ½, 1, 1½ and 2 points.
    #[arg(long, value_name = "A,B,C,D,E", value_parser = pentanomial)]
    pentanomial: Option<Pentanomial>,
}

#[derive(Debug, Args)]
pub(super) struct Test {
    #[command(flatten)]
    counts: Counts,
    /// The difference that is to be rejected.
    #[arg(long)]
    elo0: f64,
    /// The difference that is to be accepted, above the other.
    #[arg(long)]
    elo1: f64,
    /// The probability of accepting when `elo0` is true.
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// The probability of rejecting when `elo1` is true.
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// The unit of the hypotheses.
    #[arg(long, value_enum, default_value_t = ModelName::Normalized)]
    model: ModelName,
    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct Plan {
    #[command(flatten)]
    aim: Aim,
    /// The number of bots.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=256))]
    bots: u64,
    /// The share of drawn matches, 0 to 1.
    #[arg(long, default_value_t = 0.0)]
    draw_rate: f64,
    /// The correlation of both matches of an encounter, -1 to 1.
    #[arg(long, default_value_t = 0.0)]
    correlation: f64,
    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Aim {
    /// Number of encounters of every two bots.
    #[arg(long)]
    encounters: Option<u64>,
    /// The error of a difference of two ratings, 95 %, in Elo, that is not to be exceeded.
    #[arg(long)]
    error: Option<f64>,
}

/// The reason why there is no such plan.
#[derive(Debug, thiserror::Error)]
enum InvalidPlan {
    /// A share is none, or a correlation.
    #[error("the draw rate is from 0 to 1, the correlation from -1 to 1")]
    Spread,
    /// There is nothing to play, or nothing to aim at.
    #[error("the encounters and the error are above 0")]
    Aim,
    /// The number of encounters is beyond any event.
    #[error("this takes more than {MAX_UNITS} encounters of every two")]
    TooMany,
}

/// The ratings of an arena are wanted.
#[derive(Debug, thiserror::Error)]
#[error(
    "this is an arena, whose ratings are fitted with its anchors: dragontooth-runner table DIR shows them"
)]
struct RatingsOfArena;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModelName {
    /// Normalised Elo: standard deviations of a match.
    Normalized,
    /// Elo: the mean score.
    Logistic,
    /// Elo as cutechess has it; takes `--wdl` alone.
    Bayeselo,
}

/// Computes what is asked for and prints it.
pub(super) fn run(stats: Stats) -> Result<RunnerExit, Failure> {
    match stats {
        Stats::Elo { counts, json } => {
            let sample = counts.sample().map_err(usage)?;
            let figures = EstimateFigures::new(&sample).map_err(usage)?;
            show(json.then(|| to_json(&figures)), || figures.text())?;
            Ok(RunnerExit::Success)
        }
        Stats::Sprt(test) => test.run(),
        Stats::Plan(plan) => {
            let figures = plan.figures().map_err(usage)?;
            show(plan.json.then(|| to_json(&figures)), || figures.text())?;
            Ok(RunnerExit::Success)
        }
        Stats::Ratings {
            files,
            first_seat,
            json,
        } => {
            if files.iter().any(|file| arena::event_in(file).is_some()) {
                return Err(usage(RatingsOfArena));
            }
            let evidence = read_evidence(&files).map_err(cannot_run)?;
            let first_seat = if first_seat {
                FirstSeat::Fitted
            } else {
                FirstSeat::Ignored
            };
            let strength = Strength::new(&evidence.bots, &evidence.matches, first_seat);
            let strength = strength.map_err(cannot_run)?;
            show(json.then(|| strength.json()), || strength.text())?;
            Ok(RunnerExit::Success)
        }
    }
}

impl Counts {
    fn sample(&self) -> Result<Sample, InvalidSample> {
        match (self.wdl, self.pentanomial) {
            (Some(counts), _) => counts.sample(),
            (None, counts) => counts.unwrap_or_default().sample(),
        }
    }
}

impl Test {
    /// 2 is a finding here: what is wrong ends with another code.
    fn run(&self) -> Result<RunnerExit, Failure> {
        let hypotheses = [self.elo0, self.elo1];
        let sprt = Sprt::new(self.model.into(), hypotheses, self.alpha, self.beta);
        let sprt = sprt.map_err(cannot_run)?;
        let sample = self.counts.sample().map_err(cannot_run)?;
        let (figures, decision) = SprtFigures::new(&sprt, &sample).map_err(cannot_run)?;
        show(self.json.then(|| to_json(&figures)), || figures.text())?;
        Ok(match decision {
            SprtDecision::Accepted => RunnerExit::Success,
            SprtDecision::Rejected => RunnerExit::Rejected,
            SprtDecision::Undecided => RunnerExit::Undecided,
        })
    }
}

impl Plan {
    fn figures(&self) -> Result<PlanFigures, InvalidPlan> {
        let spread = PairSpread::between_equals(self.draw_rate, self.correlation);
        let plan = statistics::Plan {
            spread: spread.ok_or(InvalidPlan::Spread)?,
        };
        let encounters = match self.aim.error {
            Some(error) => plan.encounters_for(self.bots, error),
            None => self.aim.encounters,
        };
        let encounters = encounters.filter(|encounters| *encounters > 0);
        let encounters = encounters.ok_or(InvalidPlan::Aim)?;
        if encounters > MAX_UNITS {
            return Err(InvalidPlan::TooMany);
        }
        PlanFigures::new(plan, self.bots, encounters).ok_or(InvalidPlan::Aim)
    }
}

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Self {
        match name {
            ModelName::Normalized => Self::Normalized,
            ModelName::Logistic => Self::Logistic,
            ModelName::Bayeselo => Self::BayesElo,
        }
    }
}

fn show(json: Option<String>, text: impl FnOnce() -> String) -> Result<(), Failure> {
    match json {
        Some(json) => print(&format!("{json}\n")),
        None => print(&text()),
    }
}

fn to_json(figures: &impl serde::Serialize) -> String {
    serde_json::to_string(figures).expect("numbers and texts can all be written")
}

fn trinomial(text: &str) -> Result<Trinomial, String> {
    let [wins, draws, losses] = counts(text)?;
    Ok(Trinomial {
        wins,
        draws,
        losses,
    })
}

fn pentanomial(text: &str) -> Result<Pentanomial, String> {
    counts(text).map(Pentanomial)
}

fn counts<const N: usize>(text: &str) -> Result<[u64; N], String> {
    let counts: Result<Vec<u64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let counts = counts.ok().and_then(|counts| counts.try_into().ok());
    counts.ok_or_else(|| format!("must be {N} whole numbers with commas between them"))
}
