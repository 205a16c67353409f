//! Opening a log and how that fails.

use std::{io, path::PathBuf, time::Duration};

use super::format::FORMAT_VERSION;
use crate::{StorageError, error::is_lack_of_room};

/// The command with which an operator restores a backup, as errors and logs quote it.
pub const RESTORE_COMMAND: &str = "dragontooth-service restore --from BACKUP --data NEW_FOLDER";

/// How a log is opened.
#[derive(Debug, Clone)]
pub struct SledOptions {
    /// Bytes of memory for records read and written lately; 256 MiB unless set.
    pub cache_bytes: u64,
    /// Called on the writing thread after each group of appends has been written, or has not; it
    /// must not wait.
    pub on_write: Option<fn(Written)>,
}

/// A group of appends that were made durable together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The appends in the group, those that were refused included.
    pub appends: usize,
    /// The records written.
    pub records: usize,
    /// How long it took to write and sync them.
    pub took: Duration,
}

impl Default for SledOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 256 * 1024 * 1024,
            on_write: None,
        }
    }
}

/// Why a log could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path names a file.
    #[error("the data folder {} is a file; name a folder", path.display())]
    NotAFolder {
        /// The path given.
        path: PathBuf,
    },
    /// The folder cannot be created, read or written.
    #[error(
        "cannot use the data folder {}; give the service's user the right to write there, \
         or name another folder",
        path.display()
    )]
    Access {
        /// The path given.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// Another process, or another log in this one, has the folder open.
    #[error(
        "the data folder {} is in use by another process; stop that one, or name another folder",
        path.display()
    )]
    InUse {
        /// The path given.
        path: PathBuf,
    },
    /// The folder holds something that is not an event log.
    #[error(
        "the data folder {} holds {found}, which is not of an event log; name an empty folder",
        path.display()
    )]
    Foreign {
        /// The path given.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The log was written by a newer version.
    #[error(
        "the data folder {} has format {found}, this version knows up to {FORMAT_VERSION}; \
         start the version that wrote it, or a newer one",
        path.display()
    )]
    NewerFormat {
        /// The path given.
        path: PathBuf,
        /// The format of the folder.
        found: u32,
    },
    /// A backup was being restored there and that did not end.
    #[error(
        "the data folder {} holds a backup that was not restored to its end; empty it and restore again",
        path.display()
    )]
    Unfinished {
        /// The path given.
        path: PathBuf,
    },
    /// There is no room on the disk.
    #[error(
        "the disk of the data folder {} is full; make room there and try again, what is in the folder is not lost",
        path.display()
    )]
    Full {
        /// The path given.
        path: PathBuf,
        /// What failed for it.
        source: StorageError,
    },
    /// The data is damaged beyond single streams: sled refuses it, or nothing is left of what was written.
    #[error(
        "the event log in {} is damaged; keep a copy of the folder, restore the last backup with \
         `{RESTORE_COMMAND}`, and serve the new folder",
        path.display()
    )]
    Damaged {
        /// The path given.
        path: PathBuf,
        /// What was found.
        source: StorageError,
    },
    /// The storage engine failed.
    #[error("cannot open the event log in {}", path.display())]
    Storage {
        /// The path given.
        path: PathBuf,
        /// What failed.
        source: StorageError,
    },
}

impl OpenError {
    /// The same error, or that there is no room if that is why.
    pub(super) fn or_full(self) -> Self {
        match self {
            Self::Storage { path, source } if source.is_for_lack_of_room() => {
                Self::Full { path, source }
            }
            Self::Access { path, source } if is_lack_of_room(&source) => Self::Full {
                path,
                source: StorageError::new("use the data folder", source),
            },
            Self::NotAFolder { .. }
            | Self::Access { .. }
            | Self::InUse { .. }
            | Self::Foreign { .. }
            | Self::NewerFormat { .. }
            | Self::Unfinished { .. }
            | Self::Full { .. }
            | Self::Damaged { .. }
            | Self::Storage { .. } => self,
        }
    }
}
