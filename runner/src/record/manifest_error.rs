use std::io;
use std::num::ParseFloatError;
use std::path::PathBuf;

use dragontooth_runner_tournament::statistics::{InvalidSprt, ParseModelError};
use dragontooth_runner_tournament::{InvalidEvent, InvalidName, InvalidRules};

/// The format of the files in a folder; it is raised when an older runner could not read them.
pub(super) const FORMAT: u32 = 1;

/// Why a folder does not tell what it is a run of.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("{}: the file cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: the file cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is none that this runner has written.
    #[error("{}: {fault}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: ManifestFault,
    },
}

/// What is wrong with `event.json`.
#[derive(Debug, thiserror::Error)]
pub enum ManifestFault {
    /// It has more bytes than any event needs.
    #[error("the file is too large")]
    TooLarge,
    /// It is no such file.
    #[error("the file is no description of an event: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version of the runner wrote it.
    #[error("the folder has format {0}; this runner reads and writes format {FORMAT}")]
    Format(u32),
    /// A name in it is none.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// There are no such matches.
    #[error(transparent)]
    Rules(#[from] InvalidRules),
    /// There is no such sequential test.
    #[error(transparent)]
    Sprt(#[from] InvalidSprt),
    /// There is no such model of a sequential test.
    #[error(transparent)]
    Model(#[from] ParseModelError),
    /// A number in it is none.
    #[error(transparent)]
    Number(#[from] ParseFloatError),
    /// It tells no format.
    #[error("there are neither cycles nor another format")]
    NoFormat,
    /// There is no such event.
    #[error(transparent)]
    Event(#[from] InvalidEvent),
}
