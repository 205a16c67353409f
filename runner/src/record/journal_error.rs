use std::path::PathBuf;

use super::RunFileError;
use super::line::RecordError;
use super::transcript::TranscriptError;

/// The reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] RunFileError),
    /// A line is not a record of this run.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        fault: RecordError,
    },
    /// A line is not a transcript.
    #[error("{}:{line}: {fault}", path.display())]
    Transcript {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        fault: TranscriptError,
    },
    /// A match's transcript is missing at the place of its result.
    #[error("{}:{line}: the record of {title} should stand here", path.display())]
    NoTranscript {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The title of the match.
        title: String,
    },
    /// A match's transcript is not the one of its result.
    #[error(
        "{}:{line}: this is not the record of {title} that was written with its result: its hash is another",
        path.display()
    )]
    OtherTranscript {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The title of the match.
        title: String,
    },
    /// There are more records without a result than an interruption leaves: results are missing.
    #[error(
        "{}: {count} records have no result, and an interruption leaves at most {most}: \
         results are missing",
        path.display()
    )]
    Leftovers {
        /// The file.
        path: PathBuf,
        /// The records without a result.
        count: usize,
        /// The most that an interruption leaves.
        most: usize,
    },
    /// There are fewer results than matches that were over: results are missing.
    #[error(
        "{}: there are {count} results, and sessions.jsonl lists {over} matches that are over: \
         results are missing",
        path.display()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// The results that are there.
        count: usize,
        /// The matches that were over.
        over: u64,
    },
    /// An earlier record could not be written, so that nothing may follow it.
    #[error("{}: an earlier result could not be written", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
}
