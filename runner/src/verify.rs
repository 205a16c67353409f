//! Verifies a run directory: the transcripts against the rules and the seeds, the results against the
//! transcripts, and the tables against the results.

mod match_check;
mod mismatch;
mod recorded_match;
mod run_check;
mod tables_check;

pub use mismatch::Mismatch;
pub use run_check::{Disagreement, Verification, VerifyError, verify};
pub use tables_check::Tables;
