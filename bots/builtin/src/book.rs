//! Books of openings: random play that ends where a search finds the sides even.
//!
//! ```
//! use dragontooth_bots_builtin::book::{BookPlan, make};
//!
//! let plan = BookPlan { openings: 2, candidates: 20, nodes: 200, ..BookPlan::new(4) };
//! let book = make("kamisado", &plan)?;
//! assert_eq!(book.openings.len(), 2);
//! assert_eq!(book.openings[0].len(), 4);
//! # Ok::<(), dragontooth_bots_builtin::book::BookError>(())
//! ```

use std::collections::HashSet;

use dragontooth_games::catalogue::{self, SetupError};
use dragontooth_games::chance::Chance as _;
use dragontooth_games::match_play::{InvalidOpening, MAX_OPENING_ENTRIES};
use dragontooth_games::{MatchPlay, Turn, UnknownName};

use crate::kamisado::KamisadoEvaluation;
use crate::linja::LinjaEvaluation;
use crate::search::{Evaluation, RealTime, SearchLimits, SplitMix64, TreeSearch, Value};
use crate::tzaar::TzaarEvaluation;

/// The largest number of candidates of a book.
pub const MAX_CANDIDATES: usize = 1_000_000;

/// Plays for each candidate, after which no more are expected to be new.
const PLAYS_PER_CANDIDATE: usize = 100;
/// The points that win a match whose first game is judged: one.
const TARGET: u32 = 1;
const TABLE_BYTES: usize = 16 << 20;

/// The openings that a book is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookPlan {
    /// The variant; `None` is the game's default.
    pub variant: Option<String>,
    /// The number of actions of each opening, at least 1. Forced passes do not count.
    pub plies: usize,
    /// The number of openings.
    pub openings: usize,
    /// The number of openings that are judged, of which the most even are taken; at most [`MAX_CANDIDATES`].
    pub candidates: usize,
    /// The positions that the search of each candidate visits.
    pub nodes: u64,
    /// The seed of the random play.
    pub seed: u64,
}

/// A book of openings. It depends on its plan alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The variant.
    pub variant: &'static str,
    /// The actions of each opening, in the order in which they were played.
    pub openings: Vec<Vec<String>>,
}

/// The reason why there is no such book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// There is no such game.
    #[error(transparent)]
    Game(#[from] UnknownName),
    /// There is no such variant.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// No search judges the game.
    #[error("no search judges {0}: books are for kamisado, linja and tzaar")]
    NoSearch(&'static str),
    /// The variant draws the first position, from which openings would have to be made.
    #[error("the variant {0} draws the first position, so it has no book; choose another variant")]
    Drawn(&'static str),
    /// No match begins with an opening of this length.
    #[error(transparent)]
    Opening(#[from] InvalidOpening),
    /// There are fewer openings than wanted.
    #[error(
        "only {found} openings of {plies} plies were found that differ and that neither side wins by force"
    )]
    TooFew {
        /// The number that was found.
        found: usize,
        /// Their length.
        plies: usize,
    },
}

impl BookPlan {
    /// A plan for 100 openings with this many plies, the most even of 1,000.
    #[must_use]
    pub const fn new(plies: usize) -> Self {
        Self {
            variant: None,
            plies,
            openings: 100,
            candidates: 1000,
            nodes: 20_000,
            seed: 0,
        }
    }
}

/// Makes a book.
///
/// Each candidate is played at random, every legal action equally likely, and left out if it ends the game, leaves
/// the next seat a single action, or leads to the image of an earlier one by a symmetry of the board. A search
/// judges the others; those that it finds won are left out too, and the most even of the rest are the book.
///
/// # Errors
///
/// [`BookError`].
pub fn make(game: &str, plan: &BookPlan) -> Result<Book, BookError> {
    match catalogue::find(game)?.name {
        "kamisado" => make_by(plan, KamisadoEvaluation::new(TARGET)),
        "linja" => make_by(plan, LinjaEvaluation::new()),
        "tzaar" => make_by(plan, TzaarEvaluation::new()),
        other => Err(BookError::NoSearch(other)),
    }
}

/// A candidate that neither side wins.
struct Judged {
    actions: Vec<String>,
    /// The distance of its value from that of an even game.
    imbalance: u32,
}

fn make_by<P: MatchPlay>(
    plan: &BookPlan,
    evaluation: impl Evaluation<P>,
) -> Result<Book, BookError> {
    if plan.plies > MAX_OPENING_ENTRIES {
        return Err(InvalidOpening::TooLong(plan.plies).into());
    }
    let game = catalogue::find(P::NAME)?;
    let new_match = || game.new_match(plan.variant.as_deref(), TARGET);
    let mut random = SplitMix64::new(plan.seed);
    let start: P = (new_match()?.deal(&mut random).parse()).expect("a deal is a position");
    let mut search = TreeSearch::new(evaluation, TABLE_BYTES, Some(plan.nodes));
    let limits = SearchLimits {
        nodes: Some(plan.nodes),
        ..SearchLimits::NONE
    };
    let mut seen = HashSet::new();
    let mut judged = Vec::new();
    let mut candidates = 0;
    for _ in 0..plan.candidates.saturating_mul(PLAYS_PER_CANDIDATE) {
        if candidates == plan.candidates {
            break;
        }
        let Some((actions, end)) = play(start, plan.plies, &mut random) else {
            continue;
        };
        if !seen.insert(end) {
            continue;
        }
        seen.extend(end.images());
        if candidates == 0 {
            new_match()?
                .open_with(&actions, None)
                .map_err(|error| match error {
                    InvalidOpening::Drawn { variant, .. } => BookError::Drawn(variant),
                    InvalidOpening::TooLong(_)
                    | InvalidOpening::Start { .. }
                    | InvalidOpening::TooShort { .. }
                    | InvalidOpening::Over { .. }
                    | InvalidOpening::Unreadable { .. }
                    | InvalidOpening::Entry { .. } => BookError::Opening(error),
                })?;
        }
        candidates += 1;
        let found = search.find(&end, &limits, plan.seed, &RealTime::start());
        let value = found.and_then(|found| found.value);
        if let Some(value) = value.filter(|value| !is_decided(*value)) {
            let imbalance = value.points().unsigned_abs();
            judged.push(Judged { actions, imbalance });
        }
    }
    if judged.len() < plan.openings {
        return Err(BookError::TooFew {
            found: judged.len(),
            plies: plan.plies,
        });
    }
    let mut order: Vec<usize> = (0..judged.len()).collect();
    order.sort_by_key(|&place| (judged[place].imbalance, place));
    order.truncate(plan.openings);
    order.sort_unstable();
    let openings = order
        .into_iter()
        .map(|place| std::mem::take(&mut judged[place].actions));
    Ok(Book {
        variant: new_match()?.variant(),
        openings: openings.collect(),
    })
}

/// Plays an opening at random and returns its actions and its end, after the passes that it forces. `None` if it
/// does not end with a choice between actions.
fn play<P: MatchPlay>(start: P, plies: usize, random: &mut SplitMix64) -> Option<(Vec<String>, P)> {
    let mut position = start;
    let mut actions = Vec::with_capacity(plies);
    for _ in 0..plies {
        let legal = choices(&position)?;
        let choice = random.below(u32::try_from(legal.len()).expect("a game has few actions"));
        let action = legal[choice as usize];
        actions.push(action.to_string());
        position.play_unchecked(action);
        position.settle();
    }
    (choices(&position)?.len() > 1).then_some((actions, position))
}

/// The legal actions of the seat that decides; `None` if none does.
fn choices<P: MatchPlay>(position: &P) -> Option<Vec<P::Action>> {
    matches!(position.turn(), Turn::Decide(_)).then(|| position.legal_actions())
}

/// Returns true if a side wins by force.
fn is_decided(value: Value) -> bool {
    value.won_gain().is_some() || (-value).won_gain().is_some()
}
