use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dragontooth_runner_report::MAX_PAGES;
use serde::{Deserialize, Serialize};

use super::ReportError;
use crate::record::{Cover, FolderError, write_whole};

/// The most bytes of `report.json`.
const MAX_BYTES: u64 = 64 << 10;

/// The lines from which the reports in a run directory were rendered: `report.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// The version of the runner.
    pub runner: String,
    /// The most pages of matches.
    pub pages: usize,
    /// True if the luck in the dice was asked for, however many actions the event has.
    #[serde(default, skip_serializing_if = "is_false")]
    pub luck: bool,
    /// The lines of each file.
    pub lines: Cover,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of serde")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Covered {
    /// The lines of reports that this runner renders.
    #[must_use]
    pub fn new(lines: Cover, pages: usize) -> Self {
        Self {
            runner: Self::own_version().to_owned(),
            pages,
            luck: false,
            lines,
        }
    }

    /// The same with the luck in the dice if it `is_asked` for.
    #[must_use]
    pub fn with_luck(mut self, is_asked: bool) -> Self {
        self.luck = is_asked;
        self
    }

    /// The version of this runner.
    #[must_use]
    pub const fn own_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// The file in a run directory.
    #[must_use]
    pub fn file_in(folder: &Path) -> PathBuf {
        folder.join("report.json")
    }

    /// Reads the file in a run directory; `None` if it is missing.
    ///
    /// # Errors
    ///
    /// It cannot be read, or this runner did not write it.
    pub fn read(folder: &Path) -> Result<Option<Self>, ReportError> {
        let path = Self::file_in(folder);
        let unusable = |source| FolderError::Unusable {
            path: path.clone(),
            source,
        };
        let size = match fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(error).into()),
        };
        let malformed = |fault: String| ReportError::Covered {
            path: path.clone(),
            fault,
        };
        if size > MAX_BYTES {
            return Err(malformed(format!("it has more than {MAX_BYTES} bytes")));
        }
        let bytes = fs::read(&path).map_err(unusable)?;
        let read: Self =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        if read.pages > MAX_PAGES {
            return Err(malformed(format!("pages must be at most {MAX_PAGES}")));
        }
        Ok(Some(read))
    }

    /// Removes the file from a run directory, where it may be missing: the reports cover nothing any more.
    ///
    /// # Errors
    ///
    /// It cannot be removed.
    pub fn remove(folder: &Path) -> Result<(), FolderError> {
        let path = Self::file_in(folder);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FolderError::Unusable { path, source })
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes the file into a run directory.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let text =
            serde_json::to_string_pretty(self).expect("numbers and texts can all be written");
        write_whole(&Self::file_in(folder), &format!("{text}\n"))
    }
}
