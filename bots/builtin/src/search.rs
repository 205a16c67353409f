//! Search of game trees for any game: alpha-beta with iterative deepening, a transposition table and move
//! ordering.
//!
//! ```
//! use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
//! use dragontooth_bots_builtin::search::{RealTime, SearchLimits, TreeSearch};
//! use dragontooth_games::kamisado::Position;
//!
//! let position: Position = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -".parse()?;
//! let mut search = TreeSearch::new(KamisadoEvaluation::new(1), 1 << 20, None);
//! let limits = SearchLimits { depth: 2, ..SearchLimits::NONE };
//! let found = search.find(&position, &limits, 7, &RealTime::start());
//! assert_eq!(found.map(|found| found.depth), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;
mod evaluation;
mod key;
mod limits;
mod move_ordering;
mod split_mix;
mod transposition_table;
mod tree_search;
mod value;

pub use evaluation::{Candidate, Evaluation};
pub(crate) use limits::thinking_limit;
pub use limits::{DEPTH_MAX, RealTime, SearchLimits, Stopwatch};
pub use split_mix::SplitMix64;
pub use tree_search::{SearchResult, TreeSearch};
pub use value::Value;
