//! Matches as records: what was played, in notation, as texts of ours and of other programs.

mod format;
mod headers;
mod match_record;
mod read_text;
mod write_text;

pub use format::{Format, ReadError, Reader, WriteError, Writer};
pub use headers::{Headers, SeedHeaders};
pub use match_record::{GameRecord, MatchRecord, RecordOutcome, RecordStep};
pub use read_text::read_text;
pub use write_text::write_text;
