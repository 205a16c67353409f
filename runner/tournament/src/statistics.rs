//! Statistics of matches as pure functions: no I/O, clock or randomness.
//!
//! The unit is the *encounter*: two matches from the same seed with the seats swapped. The two are
//! correlated, so errors are computed from encounters wherever there are any, never from single
//! matches. A value that does not exist (the Elo difference of a score of 100 %) is `None` or a
//! typed error, never NaN or infinity.

mod anchored_fit;
mod anchored_model;
mod bayes_elo;
mod beta;
mod bradley_terry;
mod connection;
mod duplicates;
mod elo;
mod encounter_counts;
mod estimate;
mod interval;
mod likelihood;
mod matrix;
mod mean;
mod normal;
mod planning;
mod played_match;
mod ratings;
mod robust_mean;
mod sample;
mod sprt;
mod sprt_estimate;
mod sprt_trajectory;
mod superiority;

pub use anchored_fit::{anchored_fit, anchored_ratings};
pub use anchored_model::{Anchoring, MAX_ANCHORED};
pub use bayes_elo::ModelNeedsMatches;
pub use bradley_terry::{FirstSeat, InvalidFit, MAX_RATED, fit};
pub use elo::{ELO_PER_LOGIT, NORMALIZED_ELO_PER_T, elo_of_score, score_of_elo};
pub use encounter_counts::EncounterCounts;
pub use estimate::{Estimate, FEW_UNITS, Method, NormalizedElo};
pub use interval::Interval;
pub use mean::Mean;
pub use normal::{Z_95, normal_above, normal_below};
pub use planning::{PairSpread, Plan};
pub use played_match::{MatchPoints, PlayedMatch};
pub use ratings::{Rating, Ratings};
pub use robust_mean::RobustMean;
pub use sample::{InvalidSample, MAX_UNITS, Pentanomial, Sample, Trinomial};
pub use sprt::{InvalidSprt, MAX_HYPOTHESIS_ELO, Model, ParseModelError, Sprt, SprtDecision};
pub use sprt_estimate::{StopEstimate, stop_estimate};
pub use sprt_trajectory::{SprtTrajectory, sprt_trajectory};
pub use superiority::{holm, superiority_by_beta, superiority_by_decisive, superiority_by_score};
