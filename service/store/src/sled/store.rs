//! sled, opened in a folder, in the format of this version.

use std::{
    fs::File,
    io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
};

use sled::{Db, Tree};

use super::{
    OpenError, SledOptions,
    folder::Folder,
    format::{self, FORMAT_VERSION, Format, OLDEST_FORMAT_VERSION},
    salvage::{self, Salvage},
};
use crate::StorageError;

/// An open store.
#[derive(Debug)]
pub(super) struct Store {
    // Dropped in this order, after every tree that has been handed out.
    db: Db,
    _closing: Closing,
    kept: Option<PathBuf>,
}

/// sled's finding without its debugging details.
#[derive(Debug, thiserror::Error)]
#[error("its data is damaged")]
struct DamagedData;

/// Why sled's store is not opened.
#[derive(Debug)]
enum Refusal {
    /// It is damaged.
    Damaged(OpenError),
    /// Anything else.
    Other(OpenError),
}

impl Store {
    /// Opens what is in the folder, or begins it.
    ///
    /// A store that sled refuses because it is damaged is made anew of the records that are whole; its
    /// files as they were are kept.
    pub(super) fn open(folder: &Folder, options: &SledOptions) -> Result<Self, OpenError> {
        let access = |source| OpenError::Access {
            path: folder.path().to_owned(),
            source,
        };
        folder.remove_half_written().map_err(access)?;
        let has_begun = folder.has_begun().map_err(access)?;
        if has_begun
            && salvage::is_needed(folder).map_err(access)?
            && let Some(store) = Self::open_damaged(folder, options)?
        {
            return Ok(store);
        }
        match Self::open_as_it_is(folder, options) {
            Ok(store) => Ok(store),
            Err(Refusal::Damaged(error)) if has_begun => {
                Self::open_damaged(folder, options)?.ok_or(error)
            }
            Err(refusal) => Err(refusal.into_error()),
        }
    }

    /// Opens a store that is made anew of the records that are whole; none if there are none, or it is
    /// damaged even so, and then it is left as it was.
    fn open_damaged(folder: &Folder, options: &SledOptions) -> Result<Option<Self>, OpenError> {
        let salvaging = |source| OpenError::Storage {
            path: folder.path().to_owned(),
            source: StorageError::new(
                "make the damaged store anew, which takes twice its room",
                source,
            ),
        };
        let Some(salvage) = Salvage::begin(folder).map_err(salvaging)? else {
            return Ok(None);
        };
        match Self::open_as_it_is(folder, options) {
            Ok(store) => {
                let kept = salvage.kept().to_owned();
                tracing::error!(
                    records = salvage.records(),
                    kept = %kept.display(),
                    "the store was damaged and has been made anew of the records that are whole; its files as they were are kept"
                );
                Ok(Some(Self {
                    kept: Some(kept),
                    ..store
                }))
            }
            Err(refusal) => {
                salvage.undo().map_err(salvaging)?;
                match refusal {
                    Refusal::Damaged(_) => Ok(None),
                    Refusal::Other(error) => Err(error),
                }
            }
        }
    }

    /// Where the files of the store are as they were, if it was damaged and has been made anew.
    pub(super) fn kept(&self) -> Option<&Path> {
        self.kept.as_deref()
    }

    fn open_as_it_is(folder: &Folder, options: &SledOptions) -> Result<Self, Refusal> {
        let file = folder.data_file().map_err(|source| {
            Refusal::Other(OpenError::Access {
                path: folder.path().to_owned(),
                source,
            })
        })?;
        let db = open_sled(folder, options)?;
        let store = Self {
            db,
            _closing: Closing(file),
            kept: None,
        };
        store.check_format(folder)?;
        Ok(store)
    }

    /// The tree of records.
    pub(super) fn events(&self, folder: &Folder) -> Result<Tree, OpenError> {
        format::events(&self.db)
            .map_err(|source| failed(folder, "open the records", source).into_error())
    }

    fn check_format(&self, folder: &Folder) -> Result<(), Refusal> {
        let found = Format::read(&self.db)
            .map_err(|source| failed(folder, "read the format of the store", source))?;
        let path = folder.path().to_owned();
        let has_begun = folder.has_begun().map_err(|source| {
            Refusal::Other(OpenError::Access {
                path: path.clone(),
                source,
            })
        })?;
        match found {
            // sled takes a store whose beginning is damaged for an empty one, or loses a tree.
            Format::New | Format::Foreign if has_begun => Err(failed(
                folder,
                "find the records",
                sled::Error::Corruption { at: None, bt: () },
            )),
            Format::New | Format::Version(OLDEST_FORMAT_VERSION..FORMAT_VERSION) => {
                Format::write(&self.db)
                    .map_err(|source| failed(folder, "write the format of the store", source))
            }
            Format::Version(FORMAT_VERSION) => Ok(()),
            Format::Version(found) if found > FORMAT_VERSION => {
                Err(Refusal::Other(OpenError::NewerFormat { path, found }))
            }
            Format::Version(_) | Format::Foreign => Err(Refusal::Other(OpenError::Foreign {
                path,
                found: "another sled store".to_owned(),
            })),
        }
    }
}

/// Waits, when dropped, until sled has let go of its data file.
///
/// A thread of sled's may hold the file, and with it sled's lock, a moment longer than the `Db`; an
/// immediate second opening would fail.
#[derive(Debug)]
struct Closing(File);

impl Drop for Closing {
    fn drop(&mut self) {
        // Without a lock there is nothing to wait for.
        let _ = self.0.lock();
    }
}

fn open_sled(folder: &Folder, options: &SledOptions) -> Result<Db, Refusal> {
    const OPERATION: &str = "open the store";
    let config = sled::Config::new()
        .path(folder.path())
        .cache_capacity(options.cache_bytes);
    // Nothing of a half-opened store is used after a panic, which is how sled meets some damage.
    match panic::catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(Ok(db)) => Ok(db),
        Ok(Err(source)) if is_lock_conflict(&source) => Err(Refusal::Other(OpenError::InUse {
            path: folder.path().to_owned(),
        })),
        Ok(Err(source)) => Err(failed(folder, OPERATION, source)),
        Err(_) => Err(failed(
            folder,
            OPERATION,
            sled::Error::Corruption { at: None, bt: () },
        )),
    }
}

/// Whether sled found its data file locked: by a process that does not take the folder's lock.
fn is_lock_conflict(error: &sled::Error) -> bool {
    let sled::Error::Io(error) = error else {
        return false;
    };
    error.to_string().starts_with("could not acquire lock")
}

fn failed(folder: &Folder, operation: &'static str, source: sled::Error) -> Refusal {
    let is_damage = if let sled::Error::Io(error) = &source {
        // A file that ends too early.
        error.kind() == io::ErrorKind::UnexpectedEof
    } else {
        true
    };
    let source = if matches!(source, sled::Error::Corruption { .. }) {
        StorageError::new(operation, DamagedData)
    } else {
        StorageError::new(operation, source)
    };
    let error = OpenError::Storage {
        path: folder.path().to_owned(),
        source,
    };
    if is_damage {
        Refusal::Damaged(error)
    } else {
        Refusal::Other(error)
    }
}

impl Refusal {
    fn into_error(self) -> OpenError {
        match self {
            Self::Damaged(error) | Self::Other(error) => error,
        }
    }
}
