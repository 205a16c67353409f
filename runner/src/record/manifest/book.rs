use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::openings::{Openings, is_copy_name};

/// The name of the copy of a book that is too large to be copied.
const NO_COPY: &str = "none";

/// The openings, by the hash of the book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Book {
    pub(super) sha256: String,
    pub(super) start: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plies: Option<u32>,
    /// Not there for the order of the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) random_seed: Option<u64>,
    /// The file in the run directory with a copy of the book. Not there in directories of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) copy: Option<BookCopy>,
}

/// The copy of the book in the run directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum BookCopy {
    /// The book is too large to be copied.
    None,
    /// The file with this name.
    File(String),
}

impl Book {
    pub(super) fn new(openings: &Openings) -> Self {
        let choice = openings.choice();
        Self {
            sha256: openings.digest().to_owned(),
            start: choice.start,
            plies: choice.plies,
            random_seed: choice.shuffled,
            copy: Some(openings.copy_name().map_or(BookCopy::None, BookCopy::File)),
        }
    }
}

impl BookCopy {
    /// The file in the run directory `folder`; `None` if there is none.
    #[must_use]
    pub fn path_in(&self, folder: &Path) -> Option<PathBuf> {
        match self {
            Self::None => None,
            Self::File(name) => Some(folder.join(name)),
        }
    }
}

impl TryFrom<String> for BookCopy {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name == NO_COPY {
            Ok(Self::None)
        } else if is_copy_name(&name) {
            Ok(Self::File(name))
        } else {
            Err("copy is \"none\", or \"openings.\" with the extension of a book")
        }
    }
}

impl From<BookCopy> for String {
    fn from(copy: BookCopy) -> Self {
        match copy {
            BookCopy::None => NO_COPY.to_owned(),
            BookCopy::File(name) => name,
        }
    }
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a book with the hash {}, start {}",
            self.sha256, self.start
        )?;
        if let Some(plies) = self.plies {
            write!(f, ", plies {plies}")?;
        }
        match self.random_seed {
            Some(seed) => write!(f, ", random by {seed}"),
            None => Ok(()),
        }
    }
}
