//! The options and errors of opening a log.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{format::FORMAT_VERSION, ongoing_write::OngoingWrite};
use crate::{StorageError, error::is_lack_of_room};

/// The command with which an operator restores a backup, as errors and logs quote it.
pub const RESTORE_COMMAND: &str = "dragontooth-service restore --from BACKUP --data NEW_FOLDER";

/// The options of opening a log.
#[derive(Debug, Clone)]
pub struct SledOptions {
    /// Bytes of memory for recently read and written records; 32 MiB by default.
    pub cache_bytes: u64,
    /// Bytes of each of the two files of the journal, 8 MiB by default; a group of appends may exceed it. With more,
    /// records are moved into sled in larger parts, and more of them are in memory and, after a crash, have to be
    /// moved at the next opening.
    pub journal_bytes: u64,
    /// Called on the writing thread after each group of appends, whether or not writing it succeeded; it
    /// must not block.
    pub on_write: Option<fn(GroupCommit)>,
    /// Knows the age of the write that is under way.
    pub ongoing_write: Option<&'static OngoingWrite>,
}

/// The size of a group of appends that were made durable together, and the time that took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupCommit {
    /// Number of appends in the group, refused ones included.
    pub appends: usize,
    /// Number of records written.
    pub records: usize,
    /// Time to write and sync them.
    pub took: Duration,
}

impl Default for SledOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 32 * 1024 * 1024,
            journal_bytes: 8 * 1024 * 1024,
            on_write: None,
            ongoing_write: None,
        }
    }
}

/// A log could not be opened.
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
        /// The error of the system.
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
        "the data folder {} holds {found}, which does not belong to an event log; name an empty folder",
        path.display()
    )]
    Foreign {
        /// The path given.
        path: PathBuf,
        /// The foreign file or store.
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
    /// Restoring a backup there was interrupted.
    #[error(
        "the data folder {} holds a partly restored backup; empty it and restore again",
        path.display()
    )]
    Unfinished {
        /// The path given.
        path: PathBuf,
    },
    /// The disk is full.
    #[error(
        "the disk of the data folder {} is full; make room there and try again; nothing in the folder is lost",
        path.display()
    )]
    Full {
        /// The path given.
        path: PathBuf,
        /// The operation that failed for lack of room.
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
        /// The finding.
        source: StorageError,
    },
    /// The storage engine failed.
    #[error("cannot open the event log in {}", path.display())]
    Storage {
        /// The path given.
        path: PathBuf,
        /// The failed operation.
        source: StorageError,
    },
}

impl OpenError {
    /// The same error of the folder `folder`.
    pub(super) fn of_folder(mut self, folder: &Path) -> Self {
        match &mut self {
            Self::NotAFolder { path }
            | Self::Access { path, .. }
            | Self::InUse { path }
            | Self::Foreign { path, .. }
            | Self::NewerFormat { path, .. }
            | Self::Unfinished { path }
            | Self::Full { path, .. }
            | Self::Damaged { path, .. }
            | Self::Storage { path, .. } => folder.clone_into(path),
        }
        self
    }

    /// The same error, or [`Full`](Self::Full) if lack of room is its cause.
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
