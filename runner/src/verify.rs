//! Verifies a run directory: the transcripts against the rules and the seeds, the results against the
//! transcripts and the event log, the hashes of the lines and files, and the reports by rendering them again.

mod arena_check;
mod book_check;
mod log_check;
mod match_check;
mod mismatch;
mod recorded_match;
mod reports_check;
mod run_check;
mod secret_check;
mod served_check;

pub use arena_check::{ArenaVerification, verify_arena};
pub use book_check::{BookCheck, BookCheckError};
pub use mismatch::{Disagreement, Mismatch};
pub use reports_check::Reports;
pub use run_check::{LogState, RecordedRun, Verification, VerifyError, verify};
pub use served_check::{ServedCheck, compare_served};
