use std::io;
use std::path::PathBuf;

use dragontooth_games::record::RecordReadError;

use crate::record::{FolderError, JournalError, ManifestFault, SealError};

/// Why a run cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder is not a run directory.
    #[error(transparent)]
    NoRun(FolderError),
    /// The event is invalid.
    #[error(transparent)]
    Event(#[from] ManifestFault),
    /// The results or transcripts cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Another file of the folder cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The exits of programs cannot be read.
    #[error("the exits of programs cannot be read")]
    Programs(#[source] io::Error),
    /// The record of a match cannot be read.
    #[error("the record of {title} cannot be read")]
    Record {
        /// The match.
        title: String,
        /// Why.
        source: RecordReadError,
    },
    /// The hashes of the files cannot be computed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// `report.json` was not written by a runner.
    #[error("{}: the file does not say what the reports cover: {fault}", path.display())]
    Covered {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: String,
    },
}
