//! sled, opened in a folder, in the format of this version.

use std::{
    fs::File,
    io,
    panic::{self, AssertUnwindSafe},
    path::Path,
};

use sled::{Db, Tree};

use super::{
    OpenError, SledOptions,
    folder::Folder,
    format::{self, FORMAT_VERSION, Format, OLDEST_FORMAT_VERSION},
};
use crate::StorageError;

/// An open store.
#[derive(Debug)]
pub(super) struct Store {
    // Dropped in this order, after every tree that was handed out.
    db: Db,
    _closing: Closing,
}

/// sled's finding without its debugging details.
#[derive(Debug, thiserror::Error)]
#[error("its data is damaged")]
struct DamagedData;

impl Store {
    /// Opens the store in the folder, or creates it.
    ///
    /// # Errors
    /// [`OpenError::Damaged`] if sled refuses the data, or takes a store that was begun for an empty one.
    pub(super) fn open(folder: &Folder, options: &SledOptions) -> Result<Self, OpenError> {
        let access = |source| OpenError::Access {
            path: folder.path().to_owned(),
            source,
        };
        folder.remove_half_written().map_err(access)?;
        let file = folder.data_file().map_err(access)?;
        let db = open_sled(folder.path(), options)?;
        let store = Self {
            db,
            _closing: Closing(file),
        };
        store.check_format(folder.path(), folder.has_begun().map_err(access)?)?;
        Ok(store)
    }

    /// The tree of records.
    pub(super) fn events(&self, folder: &Folder) -> Result<Tree, OpenError> {
        format::events(&self.db).map_err(|source| failed(folder.path(), "open the records", source))
    }

    /// The tree of summaries; `None` if sled cannot read it, and then none is kept.
    pub(super) fn summaries(&self) -> Option<Tree> {
        let open = || format::summaries(&self.db);
        let opened = panic::catch_unwind(AssertUnwindSafe(open)).ok()?;
        opened
            .inspect_err(|error| tracing::warn!(%error, "summaries cannot be kept"))
            .ok()
    }

    /// The secret key of the store, which is `fresh` if it has none yet.
    pub(super) fn secret_key(&self, fresh: [u8; 32]) -> Result<[u8; 32], StorageError> {
        format::secret_key(&self.db, fresh)
            .map_err(|source| StorageError::new("read the key of the store", source))
    }

    fn check_format(&self, path: &Path, has_begun: bool) -> Result<(), OpenError> {
        let found = Format::read(&self.db)
            .map_err(|source| failed(path, "read the format of the store", source))?;
        match found {
            // sled takes a store whose beginning is damaged for an empty one, or loses a tree.
            Format::New | Format::Foreign if has_begun => Err(failed(
                path,
                "find the records",
                sled::Error::Corruption { at: None, bt: () },
            )),
            Format::New | Format::Version(OLDEST_FORMAT_VERSION..FORMAT_VERSION) => {
                Format::write(&self.db)
                    .map_err(|source| failed(path, "write the format of the store", source))
            }
            Format::Version(FORMAT_VERSION) => Ok(()),
            Format::Version(found) if found > FORMAT_VERSION => Err(OpenError::NewerFormat {
                path: path.to_owned(),
                found,
            }),
            Format::Version(_) | Format::Foreign => Err(OpenError::Foreign {
                path: path.to_owned(),
                found: "another sled store".to_owned(),
            }),
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

fn open_sled(path: &Path, options: &SledOptions) -> Result<Db, OpenError> {
    const OPERATION: &str = "open the store";
    let config = sled::Config::new()
        .path(path)
        .cache_capacity(options.cache_bytes);
    // sled meets some damage by a panic. Nothing of a half-opened store is used after one.
    match panic::catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(Ok(db)) => Ok(db),
        Ok(Err(source)) if is_lock_conflict(&source) => Err(OpenError::InUse {
            path: path.to_owned(),
        }),
        Ok(Err(source)) => Err(failed(path, OPERATION, source)),
        Err(_) => Err(failed(
            path,
            OPERATION,
            sled::Error::Corruption { at: None, bt: () },
        )),
    }
}

/// Returns true if sled found its data file locked, by a process that does not take the folder's lock.
fn is_lock_conflict(error: &sled::Error) -> bool {
    let sled::Error::Io(error) = error else {
        return false;
    };
    error.to_string().starts_with("could not acquire lock")
}

fn failed(path: &Path, operation: &'static str, source: sled::Error) -> OpenError {
    let path = path.to_owned();
    match source {
        // A file that ends too early is damaged; any other failure of the system is not.
        sled::Error::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            OpenError::Storage {
                path,
                source: StorageError::new(operation, sled::Error::Io(error)),
            }
        }
        sled::Error::Corruption { .. } => OpenError::Damaged {
            path,
            source: StorageError::new(operation, DamagedData),
        },
        source @ (sled::Error::CollectionNotFound(_)
        | sled::Error::Unsupported(_)
        | sled::Error::ReportableBug(_)
        | sled::Error::Io(_)) => OpenError::Damaged {
            path,
            source: StorageError::new(operation, source),
        },
    }
}
