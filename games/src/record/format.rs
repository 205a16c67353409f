use super::MatchRecord;

/// A record format of another program.
#[derive(Clone, Copy, Debug)]
pub struct RecordFormat {
    /// Its name, lower case: `mat`.
    pub name: &'static str,
    /// The extension of its files: `mat`.
    pub extension: &'static str,
    /// One sentence that describes it and names programs that read it.
    pub summary: &'static str,
    /// Writes a record.
    pub write: Writer,
    /// Reads a record. `None` if the format can only be written.
    pub read: Option<Reader>,
}

/// A function that writes a record as text.
pub type Writer = fn(&MatchRecord) -> Result<String, RecordWriteError>;

/// A function that reads a record from text.
pub type Reader = fn(&str) -> Result<ReadRecord, RecordReadError>;

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// The record.
    pub record: MatchRecord,
    /// The line at which each of its games starts, from 1.
    pub game_lines: Vec<usize>,
    /// The lines that differ from the format but have only one meaning, in their order. A strict
    /// reader refuses them.
    pub warnings: Vec<RecordWarning>,
}

/// A line of a record that is read although it differs from the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordWarning {
    /// The line, from 1.
    pub line: usize,
    /// The difference, and how the line was read.
    pub why: String,
}

/// The reason why a record cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordWriteError {
    /// The record is not a match of the game, or breaks a rule.
    #[error("{}{why}", if *game == 0 { String::new() } else { format!("game {game}: ") })]
    Inconsistent {
        /// The number of the game, from 1; 0 for the match itself.
        game: usize,
        /// The mistake.
        why: String,
    },
    /// The format has no way to write what happened.
    #[error("not possible in this format: {0}")]
    Unsupported(String),
}

/// The reason why a text is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct RecordReadError {
    /// The line, from 1.
    pub line: usize,
    /// The mistake.
    pub why: String,
}
