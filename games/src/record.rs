//! Match records: the moves of a match in notation, in our own text format and in those of other
//! programs.
//!
//! ```
//! use dragontooth_games::record::{Headers, read_text, write_text};
//!
//! let text = r#"[Match "m1"]
//! [Game "linja"]
//! [Variant "standard"]
//! [Target "1"]
//! [First "ann"]
//! [Second "bob"]
//!
//! Game 1: 6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1
//!   1. first  0>1
//! "#;
//! let (record, headers) = read_text(text)?;
//! assert_eq!(record.players, ["ann", "bob"]);
//! assert_eq!(headers.match_id, "m1");
//! assert_eq!(read_text(&write_text(&record, &headers))?, (record, headers));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod headers;
mod match_record;
mod opening;
mod read_text;
mod thinking;
mod write_text;

pub use format::{
    ReadRecord, Reader, RecordFormat, RecordReadError, RecordWarning, RecordWriteError, Writer,
};
pub use headers::{Headers, SeedHeaders, SeedOrigin};
pub use match_record::{GameRecord, MatchRecord, RecordOutcome, RecordStep};
pub use opening::{opening_entries, opening_text};
pub use read_text::read_text;
pub use thinking::{
    BYTES_OF_TEXT, InvalidThinking, MAX_THINKING_BYTES, MAX_THINKING_POINTS, MAX_TIME_SPENT,
    Thinking, ThinkingFault, ThinkingTag, ThinkingValue, ValueUnit,
};
pub use write_text::write_text;
