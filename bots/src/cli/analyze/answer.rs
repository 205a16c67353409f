use std::collections::BTreeMap;

use dragontooth_games::analysis::{ActionFault, Analysis, AnalysisError};
use dragontooth_games::{GameOutcome, Seat, UnknownName};
use dragontooth_service_client::Reason;
use serde::Serialize;

/// Notation of an automatic pass.
const PASS: &str = "--";

/// The answer to a question. The keys up to `error` are always present, `results` if the question asks for
/// it, and the others if they are not empty.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// The position after the actions, or before the one that cannot be played; null without a position.
    position: Option<String>,
    /// The seat that decides; null if the game is over or a roll is due.
    seat: Option<&'static str>,
    legal: Vec<String>,
    /// A `--` for each automatic pass after the last action.
    passes: Vec<&'static str>,
    outcome: Option<Outcome>,
    error: Option<Fault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<String>>,
    /// Legal actions that are not moves of the game, such as to resign it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    offers: Vec<String>,
    /// The roll to play.
    #[serde(skip_serializing_if = "Option::is_none")]
    roll: Option<String>,
    /// If a roll is due: the rolls that make a difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rolls: Vec<String>,
    /// The position in the notations of other programs, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    notations: BTreeMap<&'static str, String>,
}

/// The outcome of a game.
#[derive(Debug, Serialize)]
struct Outcome {
    winner: &'static str,
    points: u32,
    reason: &'static str,
}

/// The error of a question.
#[derive(Debug, Serialize)]
struct Fault {
    /// Name of a reason in the API, in lower case.
    reason: String,
    message: String,
    /// Index from 0 of the action that cannot be played; null for other errors.
    action_index: Option<usize>,
    /// The rule that forbids the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
}

impl Answer {
    pub(super) fn new(analysis: Analysis, with_results: bool) -> Self {
        Self {
            position: Some(analysis.position),
            seat: analysis.seat.map(seat),
            legal: analysis.legal,
            passes: vec![PASS; analysis.passes.len()],
            outcome: analysis.outcome.map(outcome),
            error: None,
            results: with_results.then_some(analysis.results),
            offers: analysis.offers,
            roll: analysis.rolled,
            rolls: analysis.rolls,
            notations: analysis.notations.into_iter().collect(),
        }
    }

    /// The answer to a line that is not a question.
    pub(super) fn unreadable(message: String) -> Self {
        Self::without_position(&Reason::FieldInvalid, message, false)
    }

    pub(super) fn unknown_game(error: &UnknownName, with_results: bool) -> Self {
        Self::without_position(&Reason::UnknownGame, error.to_string(), with_results)
    }

    pub(super) fn refused(error: AnalysisError, with_results: bool) -> Self {
        let message = error.to_string();
        match error {
            AnalysisError::UnknownVariant(_) => {
                Self::without_position(&Reason::UnknownVariant, message, with_results)
            }
            AnalysisError::UnreadablePosition(_) => {
                Self::without_position(&Reason::PositionUnreadable, message, with_results)
            }
            AnalysisError::Action {
                index,
                fault,
                before,
                ..
            } => {
                let (reason, rule) = match fault {
                    ActionFault::Unreadable(_) => (Reason::ActionUnreadable, None),
                    ActionFault::Illegal { rule, .. } => (Reason::IllegalAction, Some(rule)),
                    ActionFault::GameOver => (Reason::GameOver, None),
                };
                let reason = reason.to_string();
                let error = Fault {
                    reason,
                    message,
                    action_index: Some(index),
                    rule,
                };
                Self {
                    error: Some(error),
                    ..Self::new(*before, with_results)
                }
            }
        }
    }

    fn without_position(reason: &Reason, message: String, with_results: bool) -> Self {
        let reason = reason.to_string();
        Self {
            position: None,
            seat: None,
            legal: Vec::new(),
            passes: Vec::new(),
            outcome: None,
            error: Some(Fault {
                reason,
                message,
                action_index: None,
                rule: None,
            }),
            results: with_results.then(Vec::new),
            offers: Vec::new(),
            roll: None,
            rolls: Vec::new(),
            notations: BTreeMap::new(),
        }
    }
}

const fn seat(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "first",
        Seat::Second => "second",
    }
}

fn outcome(outcome: GameOutcome) -> Outcome {
    Outcome {
        winner: outcome.winner.map_or("draw", seat),
        points: outcome.points,
        reason: outcome.reason,
    }
}
