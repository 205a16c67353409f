use std::io;
use std::path::Path;

use dragontooth_games::record::{MatchRecord, opening_text};
use dragontooth_runner_tournament::Event;

use super::mismatch::{Disagreement, Mismatch};
use super::recorded_match::RecordedMatch;
use crate::openings::{InvalidOpenings, Openings};
use crate::record::{BookCopy, Manifest};

/// The openings with which the matches of a run must have begun.
#[derive(Debug, Default)]
pub struct BookCheck {
    has_openings: bool,
    book: Option<Book>,
    /// The faults of the books themselves.
    pub(super) faults: Vec<Disagreement>,
}

/// The book with which the matches are compared.
#[derive(Debug)]
struct Book {
    openings: Box<Openings>,
    /// The name of the copy in the run directory; `None` if it is another file.
    copy: Option<String>,
    /// True if the run may be one of an earlier version, which gave two openings one name.
    may_share_names: bool,
}

/// The reason why a book cannot be compared with a run.
#[derive(Debug, thiserror::Error)]
pub enum BookCheckError {
    /// The event has no openings.
    #[error("the event has no openings, so there is no book to compare")]
    NoOpenings,
    /// The book cannot be read.
    #[error(transparent)]
    Openings(#[from] InvalidOpenings),
}

impl BookCheck {
    /// The check of the openings of the run of `event` in `folder`, by the copy of its book there, or by `book` if
    /// that is given.
    ///
    /// # Errors
    ///
    /// The event has no openings and a book is given, or that one has no such openings.
    pub fn new(
        folder: &Path,
        manifest: &Manifest,
        event: &Event,
        book: Option<&Path>,
    ) -> Result<Self, BookCheckError> {
        let Some((expected, choice)) = manifest.openings() else {
            return match book {
                None => Ok(Self::default()),
                Some(_) => Err(BookCheckError::NoOpenings),
            };
        };
        // Whatever else is wrong with another book is no matter.
        let read = |path: &Path| -> Result<Result<Box<Openings>, Mismatch>, InvalidOpenings> {
            let computed = Openings::digest_of(path)?;
            if computed != expected {
                let expected = expected.to_owned();
                return Ok(Err(Mismatch::OtherBook { expected, computed }));
            }
            let encounters = event.most_matches().div_ceil(2);
            let openings = Openings::read(path, choice, event.rules(), encounters)?;
            Ok(Ok(Box::new(openings)))
        };
        let mut check = Self {
            has_openings: true,
            ..Self::default()
        };
        let copy = manifest.book_copy();
        let may_share_names = copy.is_none();
        if let Some(BookCopy::File(name)) = copy {
            match read(&folder.join(name)).unwrap_or_else(|error| Err(unusable(&error))) {
                Ok(openings) => check.take(openings, Some(name.clone()), may_share_names),
                Err(mismatch) => check.fault(name, mismatch),
            }
        }
        if let Some(book) = book {
            match read(book)? {
                Ok(openings) => check.take(openings, None, may_share_names),
                Err(mismatch) => check.fault("the book", mismatch),
            }
        }
        Ok(check)
    }

    fn take(&mut self, openings: Box<Openings>, copy: Option<String>, may_share_names: bool) {
        self.book = Some(Book {
            openings,
            copy,
            may_share_names,
        });
    }

    fn fault(&mut self, place: &str, mismatch: Mismatch) {
        let place = place.to_owned();
        self.faults.push(Disagreement { place, mismatch });
    }

    /// A sentence that says with what the openings were compared; `None` if there are none, or a fault says it.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        match &self.book {
            Some(Book {
                copy: Some(name), ..
            }) => Some(format!("the openings were compared with {name}")),
            Some(Book { copy: None, .. }) => {
                Some("the openings were compared with their book".to_owned())
            }
            None if self.has_openings && self.faults.is_empty() => Some(
                "the openings were not compared with their book: --book FILE does it".to_owned(),
            ),
            None => None,
        }
    }

    /// The differences between a match and its opening.
    pub(super) fn compare(&self, recorded: &RecordedMatch, record: &MatchRecord) -> Vec<Mismatch> {
        let name = recorded.result.opening.as_ref();
        let is_whole = name.is_some() && !record.opening.is_empty();
        let is_bare = name.is_none() && record.opening.is_empty();
        match &self.book {
            _ if !self.has_openings && !is_bare => vec![Mismatch::StrayOpening],
            _ if !self.has_openings => Vec::new(),
            Some(book) => book.compare(recorded, record),
            None if !is_whole => vec![Mismatch::NoOpening],
            None => Vec::new(),
        }
    }
}

impl Book {
    fn compare(&self, recorded: &RecordedMatch, record: &MatchRecord) -> Vec<Mismatch> {
        let opening = match self.openings.of(recorded.planned.encounter) {
            Ok(opening) => opening,
            Err(error) => return vec![Mismatch::Book(error.to_string())],
        };
        let mut mismatches = Vec::new();
        let found = opening_text(&record.opening);
        let right = opening_text(&opening.entries);
        if found != right {
            mismatches.push(Mismatch::Opening {
                recorded: found,
                expected: right,
            });
        }
        let name = recorded.result.opening.as_deref().unwrap_or_default();
        let is_shared = self.may_share_names && name == opening.plain_name();
        if name != opening.name && !is_shared {
            mismatches.push(Mismatch::OpeningName {
                recorded: name.to_owned(),
                expected: opening.name,
            });
        }
        mismatches
    }
}

/// The mismatch of a copy that cannot be used.
fn unusable(error: &InvalidOpenings) -> Mismatch {
    if let InvalidOpenings::Unreadable { source, .. } = error
        && source.kind() == io::ErrorKind::NotFound
    {
        Mismatch::NoBook
    } else {
        Mismatch::Book(error.to_string())
    }
}
