use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::record::FolderError;

const LOCK: &str = "report.lock";

/// The reports in a run directory, which no other process writes until this is dropped.
#[derive(Debug)]
pub struct ReportsLock {
    folder: PathBuf,
    _file: File,
}

impl ReportsLock {
    /// Waits until no other process reads or writes the reports in the run directory `folder`.
    ///
    /// # Errors
    ///
    /// They cannot be locked.
    pub fn to_write(folder: &Path) -> Result<Self, FolderError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let path = folder.join(LOCK);
        let locked = options.open(&path).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        match locked {
            Ok(file) => Ok(Self {
                folder: folder.to_owned(),
                _file: file,
            }),
            Err(source) => Err(FolderError::Unusable { path, source }),
        }
    }

    /// Waits until no other process writes the reports in the run directory `folder`, in which nothing is created: `None`
    /// if none ever has locked them.
    ///
    /// # Errors
    ///
    /// They cannot be locked.
    pub fn to_read(folder: &Path) -> Result<Option<Self>, FolderError> {
        let path = folder.join(LOCK);
        let locked = File::open(&path).and_then(|file| {
            file.lock_shared()?;
            Ok(file)
        });
        match locked {
            Ok(file) => Ok(Some(Self {
                folder: folder.to_owned(),
                _file: file,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FolderError::Unusable { path, source }),
        }
    }

    /// The run directory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
