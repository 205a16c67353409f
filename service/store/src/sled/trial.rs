//! The opening of a copy, before that of a folder whose data file was cut.
//!
//! sled lengthens the file again and clears what it takes for its end, before it looks at the rest. A folder that it
//! refuses only then would not be what it was.

use std::{fs, io, path::PathBuf, sync::Arc};

use futures::FutureExt;

use super::{OpenError, SledLog, SledOptions, folder::Folder};
use crate::{StorageError, TokenLog};

/// Opens a copy of the folder and reads the tokens in it; the folder stays as it is.
///
/// # Errors
/// The error of opening the folder; [`OpenError::Damaged`] also if the tokens cannot be read. Or it cannot be copied.
pub(super) fn open_copy(folder: &Folder, options: &SledOptions) -> Result<(), OpenError> {
    let path = folder.path();
    let copy = Copy::of(folder).map_err(|source| OpenError::Access {
        path: path.to_owned(),
        source,
    })?;
    let log = Folder::claim(&copy.0)
        .and_then(|copy| SledLog::open_in(copy, options))
        .map_err(|refused| refused.of_folder(path))?;
    let tokens = TokenLog::new(Arc::new(log)).replay().now_or_never();
    let tokens = tokens.expect("a log on this machine answers at once");
    tokens.map(drop).map_err(|error| OpenError::Damaged {
        path: path.to_owned(),
        source: StorageError::new("read the tokens", error),
    })
}

/// A copy in the folder itself: on the same disk, and for the same owner. Deleted when dropped.
struct Copy(PathBuf);

impl Copy {
    fn of(folder: &Folder) -> io::Result<Self> {
        let copy = Self(folder.make_trial()?);
        for name in folder.names_of_log()? {
            fs::copy(folder.path().join(&name), copy.0.join(&name))?;
        }
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // The next opening removes what is left of it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
