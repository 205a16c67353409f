//! Whether all that the folder of a run says agrees: what was played with the rules and the seeds, the
//! results with what was played, and the tables with the results.

mod match_check;
mod mismatch;
mod recorded_match;
mod run_check;
mod tables_check;

pub use mismatch::Mismatch;
pub use run_check::{Disagreement, Verification, VerifyError, verify};
pub use tables_check::Tables;
