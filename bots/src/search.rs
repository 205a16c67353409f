//! Searching game trees, for every game: alpha-beta with what it needs.

mod alpha_beta;
mod candidate;
mod evaluation;
mod experience;
mod key;
mod limits;
mod meter;
mod split_mix;
mod table;
mod tree_search;
mod value;

pub use candidate::Candidate;
pub use evaluation::Evaluation;
pub use limits::{DEPTH_MAX, Limits, RealTime, Stopwatch};
pub use split_mix::SplitMix64;
pub use tree_search::{Found, TreeSearch};
pub use value::Value;
