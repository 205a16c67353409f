use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file of a run directory cannot be used, whatever it holds.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
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
}

pub(super) fn unreadable(path: &Path, source: io::Error) -> RunFileError {
    RunFileError::Read {
        path: path.to_owned(),
        source,
    }
}

pub(super) fn unwritable(path: &Path, source: io::Error) -> RunFileError {
    RunFileError::Write {
        path: path.to_owned(),
        source,
    }
}
