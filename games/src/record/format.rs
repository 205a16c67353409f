use super::MatchRecord;

/// The records of another program.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name, lower case: `mat`.
    pub name: &'static str,
    /// What it is and which programs read it, in one sentence.
    pub summary: &'static str,
    /// Writes a record.
    pub write: Writer,
    /// Reads a record, if that is possible.
    pub read: Option<Reader>,
}

/// A function that writes a record as a text.
pub type Writer = fn(&MatchRecord) -> Result<String, WriteError>;

/// A function that reads a record from a text.
pub type Reader = fn(&str) -> Result<MatchRecord, ReadError>;

/// Why a record cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// It is none of a match of the game, or what happened in it is against the rules.
    #[error("game {game}: {why}")]
    Inconsistent {
        /// The number of the game, from 1.
        game: usize,
        /// What is wrong.
        why: String,
    },
    /// The format cannot say what happened.
    #[error("the format cannot say this: {0}")]
    Unsayable(String),
}

/// Why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}
