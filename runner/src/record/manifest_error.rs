use std::num::ParseFloatError;
use std::path::PathBuf;

use dragontooth_runner_tournament::statistics::{InvalidSprt, ParseModelError};
use dragontooth_runner_tournament::{InvalidEvent, InvalidName, InvalidRules};

use super::RunFileError;

/// The format of the files in a folder; it is raised when an older runner could not read them.
pub(super) const FORMAT: u32 = 2;

/// An error of reading a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] RunFileError),
    /// The file is none that this runner has written.
    #[error("{}: {fault}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: ManifestFault,
    },
}

/// A fault of `event.json`.
#[derive(Debug, thiserror::Error)]
pub enum ManifestFault {
    /// It has more bytes than any event needs.
    #[error("the file is too large")]
    TooLarge,
    /// The file is not a manifest.
    #[error("the file is no description of an event: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the runner wrote it.
    #[error(
        "the folder has format {0}; this runner reads and writes format {FORMAT}, in which the results \
         carry the hashes by which they are verified"
    )]
    Format(u32),
    /// A name in it is none.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The rules are invalid.
    #[error(transparent)]
    Rules(#[from] InvalidRules),
    /// The sequential test is invalid.
    #[error(transparent)]
    Sprt(#[from] InvalidSprt),
    /// The model of the sequential test is unknown.
    #[error(transparent)]
    Model(#[from] ParseModelError),
    /// A number in it is none.
    #[error(transparent)]
    Number(#[from] ParseFloatError),
    /// The format is missing.
    #[error("there are neither cycles nor another format")]
    NoFormat,
    /// A number of the adjudication is out of its range.
    #[error("adjudicate has a number out of its range")]
    Adjudicate,
    /// The event is invalid.
    #[error(transparent)]
    Event(#[from] InvalidEvent),
}
