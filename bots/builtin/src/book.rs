//! Books of openings: random play that ends where a search, or at Backgammon an evaluation, finds the sides even.
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

mod played;
mod rolled;
mod source;

use dragontooth_games::catalogue::{self, SetupError};
use dragontooth_games::match_play::{InvalidOpening, MAX_OPENING_ENTRIES, Target, Variant as _};
use dragontooth_games::{MatchPlay, UnknownName, backgammon, counted, kamisado, linja, tzaar};

use crate::kamisado::KamisadoEvaluation;
use crate::linja::LinjaEvaluation;
use crate::search::{Evaluation, SplitMix64};
use crate::tzaar::TzaarEvaluation;
use played::Played;
use rolled::Rolled;
use source::Source;

/// The largest number of candidates of a book.
pub const MAX_CANDIDATES: usize = 1_000_000;

/// Plays for each candidate, after which no more are expected to be new.
const PLAYS_PER_CANDIDATE: usize = 100;
/// The points that win a match whose first game is judged: one.
const TARGET: u32 = 1;

/// The openings that a book is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookPlan {
    /// The variant; `None` is the game's default.
    pub variant: Option<String>,
    /// The number of actions of each opening, at least 1. Forced passes do not count, and at Backgammon neither does
    /// the choice to roll.
    pub plies: usize,
    /// The number of openings.
    pub openings: usize,
    /// The number of openings that are judged, of which the most even are taken; at most [`MAX_CANDIDATES`].
    pub candidates: usize,
    /// The positions that the search of each candidate visits. At Backgammon, where the best plays are evaluated a
    /// roll ahead, one play counts as 420.
    pub nodes: u64,
    /// The seed of the random play.
    pub seed: u64,
}

/// A book of openings. It depends on its plan alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The variant.
    pub variant: &'static str,
    /// The entries of each opening, as [`opening_text`](dragontooth_games::record::opening_text) writes them on a line
    /// of a book: the actions, behind the position from which they are played if the variant draws one. At
    /// Backgammon the position alone, with dice to be played.
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
    /// Nothing judges the openings of the game.
    #[error("there are no books for {0}")]
    Unknown(&'static str),
    /// No match begins with an opening of this length.
    #[error(transparent)]
    Opening(#[from] InvalidOpening),
    /// There are fewer openings than wanted.
    #[error(
        "only {} of {} could be found that differ and that neither side wins by force",
        counted(*found, "opening"), counted(*plies, "ply")
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
/// judges the others; those that it finds won are left out too, and the most even of the rest are the book. Where the
/// variant draws the first position, each candidate begins with one of its own, in which seat first moves.
///
/// At Backgammon the plays are chosen among those that look nearly as good as the best one, and another roll
/// follows. The side that has it is seat first. A candidate is as uneven as the chances to win are, or the points in a
/// game for money without the cube, whichever is more: so the book suits matches of any length.
///
/// # Errors
///
/// [`BookError`].
pub fn make(game: &str, plan: &BookPlan) -> Result<Book, BookError> {
    match catalogue::find(game)?.name {
        backgammon::Position::NAME => make_from::<backgammon::Position>(plan, Rolled::new(plan)),
        kamisado::Position::NAME => make_by(plan, KamisadoEvaluation::new(TARGET)),
        linja::Position::NAME => make_by(plan, LinjaEvaluation::new()),
        tzaar::Position::NAME => make_by(plan, TzaarEvaluation::new()),
        other => Err(BookError::Unknown(other)),
    }
}

fn make_by<P: MatchPlay>(
    plan: &BookPlan,
    evaluation: impl Evaluation<P>,
) -> Result<Book, BookError> {
    let begun = catalogue::find(P::NAME)?.new_match(plan.variant.as_deref(), TARGET)?;
    let variant = P::Variant::find(begun.variant()).expect("the match has a variant");
    let target = Target::new::<P>(variant, TARGET).expect("the match has a target");
    make_from::<P>(plan, Played::new(variant, target, plan, evaluation))
}

/// A candidate that neither side wins.
struct Judged {
    entries: Vec<String>,
    /// The distance of its value from that of an even game.
    imbalance: u32,
}

fn make_from<P: MatchPlay>(plan: &BookPlan, mut source: impl Source) -> Result<Book, BookError> {
    if plan.plies > MAX_OPENING_ENTRIES {
        return Err(InvalidOpening::TooLong(plan.plies).into());
    }
    let game = catalogue::find(P::NAME)?;
    let new_match = || game.new_match(plan.variant.as_deref(), TARGET);
    let variant = new_match()?.variant();
    let mut random = SplitMix64::new(plan.seed);
    let mut judged = Vec::new();
    let mut candidates = 0;
    for _ in 0..plan.candidates.saturating_mul(PLAYS_PER_CANDIDATE) {
        if candidates == plan.candidates {
            break;
        }
        let Some(candidate) = source.draw(&mut random) else {
            continue;
        };
        candidates += 1;
        let entries = new_match()?.open_with(&candidate.entries, None)?;
        if let Some(imbalance) = source.imbalance(&candidate.end) {
            judged.push(Judged { entries, imbalance });
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
        .map(|place| std::mem::take(&mut judged[place].entries));
    Ok(Book {
        variant,
        openings: openings.collect(),
    })
}
