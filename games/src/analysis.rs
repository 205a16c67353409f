//! Questions about positions, asked and answered in notation.
//!
//! ```
//! use dragontooth_games::analysis::{Question, Start};
//! use dragontooth_games::catalogue;
//!
//! let question = Question {
//!     start: Start { variant: Some("standard"), ..Start::default() },
//!     actions: &["0>1"],
//!     ..Question::default()
//! };
//! let analysis = catalogue::find("linja")?.analyze(&question)?;
//! // The piece met two pieces on row 1, so the second move of the turn is two steps.
//! assert_eq!(analysis.position, "5,2,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 2:2");
//! assert!(analysis.legal.contains(&"0>2".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::str::FromStr;

use crate::chance::Draws;
use crate::match_play::{Target, find_variant};
use crate::quoted::quoted;
use crate::{GameOutcome, IllegalAction, MatchPlay, Seat, Turn, UnknownName};

/// The starting point of an analysis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// The variant. `None` is the game's default.
    pub variant: Option<&'a str>,
    /// A position in the game's notation. `None` is the first position of a match.
    pub position: Option<&'a str>,
    /// The text from which the first position of a match is drawn, in a variant that draws it.
    pub seed: &'a str,
}

/// A question about a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The starting point.
    pub start: Start<'a>,
    /// Actions to play from there, and rolls where chance is due. Passes are played automatically.
    pub actions: &'a [&'a str],
    /// True to include the position that each legal action leads to.
    pub results: bool,
}

/// The facts about a position.
///
/// `W` is a word of the rules: `String` where it is read from a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis<W = &'static str> {
    /// The position after the actions and the passes they forced.
    pub position: String,
    /// The seat that decides. `None` if the game is over or a roll is due.
    pub seat: Option<Seat>,
    /// The actions it may play, in the order of the game's rules.
    pub legal: Vec<String>,
    /// The offers it may also make: see
    /// [`Position::for_each_offer`](crate::Position::for_each_offer).
    pub offers: Vec<String>,
    /// The roll to be played, if the decision has one.
    pub rolled: Option<String>,
    /// The rolls that lead to different positions. Empty unless a roll is due.
    pub rolls: Vec<String>,
    /// The position in other programs' notations, each with its name.
    pub notations: Vec<(W, String)>,
    /// The seats that passed after the last action, in order.
    pub passes: Vec<Seat>,
    /// The outcome, if the game is over.
    pub outcome: Option<GameOutcome<W>>,
    /// The position after each legal action, in the order of `legal`, as
    /// [`Position::result_of`](crate::Position::result_of) returns it. Empty unless
    /// [`Question::results`] is set.
    pub results: Vec<String>,
}

/// The number of lines of play for each legal action, and their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// Each legal action with the number of lines that begin with it.
    pub parts: Vec<(String, u64)>,
    /// The number of all lines.
    pub total: u64,
}

/// The part of a question that cannot be read or breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The game has no such variant.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownName),
    /// The text is not a position of the game.
    #[error("invalid position: {0}")]
    UnreadablePosition(String),
    /// An action cannot be played.
    #[error("action {}, {}: {fault}", index + 1, quoted(action))]
    Action {
        /// Its index in the list, from 0.
        index: usize,
        /// Its text.
        action: String,
        /// The reason.
        fault: ActionFault,
        /// The position before the action.
        before: Box<Analysis>,
    },
}

/// The reason why an action cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionFault {
    /// The text is neither an action of the game nor, where chance is due, a roll.
    #[error("invalid action: {0}")]
    Unreadable(String),
    /// A rule of the game forbids it.
    #[error("{facts} (rule {rule})")]
    Illegal {
        /// The rule's name on the game's rules page.
        rule: &'static str,
        /// The facts: why the rule forbids the action.
        facts: String,
    },
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
}

pub(crate) fn analyze<P: MatchPlay>(question: &Question<'_>) -> Result<Analysis, AnalysisError> {
    let mut position = start::<P>(&question.start)?;
    let mut passes = settle(&mut position);
    for (index, text) in question.actions.iter().enumerate() {
        if let Err(fault) = play(&mut position, text) {
            return Err(AnalysisError::Action {
                index,
                action: (*text).to_owned(),
                fault,
                before: Box::new(describe(&position, passes, false)),
            });
        }
        passes = settle(&mut position);
    }
    Ok(describe(&position, passes, question.results))
}

pub(crate) fn divide<P: MatchPlay>(
    start_at: &Start<'_>,
    depth: u32,
) -> Result<Division, AnalysisError> {
    let position = start::<P>(start_at)?;
    let parts: Vec<(String, u64)> = crate::perft::divide(position, depth)
        .into_iter()
        .map(|(action, lines)| (action.to_string(), lines))
        .collect();
    let total = if parts.is_empty() {
        crate::perft::perft(position, depth)
    } else {
        parts.iter().map(|(_, lines)| lines).sum()
    };
    Ok(Division { parts, total })
}

fn start<P: MatchPlay>(start: &Start<'_>) -> Result<P, AnalysisError> {
    let variant = find_variant::<P>(start.variant)?;
    match start.position {
        Some(text) => text
            .parse()
            .map_err(|error: P::Err| AnalysisError::UnreadablePosition(error.to_string())),
        None => Ok(P::first_game(
            variant,
            Target::least::<P>(variant),
            &mut Draws::from_text(start.seed).deal(1),
        )),
    }
}

fn play<P: MatchPlay>(position: &mut P, text: &str) -> Result<(), ActionFault> {
    match position.turn() {
        Turn::Over(_) => return Err(ActionFault::GameOver),
        Turn::Chance => {
            let roll = text.parse().map_err(|error: <P::Roll as FromStr>::Err| {
                let action = text.parse().ok();
                let illegal = action.and_then(|action| position.resolve(action).err());
                illegal.map_or_else(
                    || ActionFault::Unreadable(error.to_string()),
                    |illegal| forbidden(&illegal),
                )
            })?;
            position.roll(roll);
            return Ok(());
        }
        Turn::Decide(_) | Turn::Pass(_) => {}
    }
    let action = text
        .parse()
        .map_err(|error: <P::Action as FromStr>::Err| ActionFault::Unreadable(error.to_string()))?;
    let played = position.play(action);
    played.map(drop).map_err(|illegal| forbidden(&illegal))
}

fn forbidden(illegal: &impl IllegalAction) -> ActionFault {
    ActionFault::Illegal {
        rule: illegal.rule(),
        facts: illegal.to_string(),
    }
}

fn settle<P: MatchPlay>(position: &mut P) -> Vec<Seat> {
    let mut passes = Vec::new();
    while let Turn::Pass(seat) = position.turn() {
        position.pass();
        passes.push(seat);
    }
    passes
}

fn describe<P: MatchPlay>(position: &P, passes: Vec<Seat>, with_results: bool) -> Analysis {
    let (seat, outcome) = match position.turn() {
        Turn::Decide(seat) => (Some(seat), None),
        Turn::Pass(_) | Turn::Chance => (None, None),
        Turn::Over(outcome) => (None, Some(outcome)),
    };
    let mut legal = Vec::new();
    let mut results = Vec::new();
    position.for_each_legal(|action| {
        legal.push(action.to_string());
        if with_results {
            results.push(position.result_of(action));
        }
    });
    let mut offers = Vec::new();
    position.for_each_offer(|offer| offers.push(offer.to_string()));
    let mut rolls = Vec::new();
    position.for_each_roll(|roll, _| rolls.push(roll.to_string()));
    Analysis {
        position: position.to_string(),
        seat,
        legal,
        offers,
        rolled: position.rolled().map(|roll| roll.to_string()),
        rolls,
        notations: position.other_notations(),
        passes,
        outcome,
        results,
    }
}
