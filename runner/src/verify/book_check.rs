use std::path::Path;

use dragontooth_games::record::{MatchRecord, opening_text};
use dragontooth_runner_tournament::Event;

use super::Mismatch;
use super::recorded_match::RecordedMatch;
use crate::openings::{InvalidOpenings, Openings};
use crate::record::Manifest;

/// The openings with which the matches of a run must have begun.
#[derive(Debug)]
pub enum BookCheck {
    /// None: the event has no openings.
    None,
    /// Those of a book that is not there to be compared.
    Unread,
    /// Those of this book.
    Read(Box<Openings>),
    /// The book that is there is not the one of the run.
    Other {
        /// The hash of the run's book.
        expected: String,
        /// The hash of the one that is there.
        computed: String,
    },
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
    /// The check of the openings of a run of `event`, by its book if that is given.
    ///
    /// # Errors
    ///
    /// The event has no openings and a book is given, or the book has no such openings.
    pub fn new(
        manifest: &Manifest,
        event: &Event,
        book: Option<&Path>,
    ) -> Result<Self, BookCheckError> {
        match (manifest.openings(), book) {
            (None, None) => Ok(Self::None),
            (None, Some(_)) => Err(BookCheckError::NoOpenings),
            (Some(_), None) => Ok(Self::Unread),
            (Some((expected, choice)), Some(book)) => {
                // Whatever else is wrong with another book is no matter.
                let computed = Openings::digest_of(book)?;
                if computed != expected {
                    let expected = expected.to_owned();
                    return Ok(Self::Other { expected, computed });
                }
                let encounters = event.most_matches().div_ceil(2);
                let openings = Openings::read(book, choice, event.rules(), encounters)?;
                Ok(Self::Read(Box::new(openings)))
            }
        }
    }

    /// The differences between a match and its opening.
    pub(super) fn compare(&self, recorded: &RecordedMatch, record: &MatchRecord) -> Vec<Mismatch> {
        let name = recorded.result.opening.as_ref();
        let openings = match self {
            Self::None if name.is_some() || !record.opening.is_empty() => {
                return vec![Mismatch::StrayOpening];
            }
            Self::Unread | Self::Other { .. } if name.is_none() || record.opening.is_empty() => {
                return vec![Mismatch::NoOpening];
            }
            Self::None | Self::Unread | Self::Other { .. } => return Vec::new(),
            Self::Read(openings) => openings,
        };
        let opening = match openings.of(recorded.planned.encounter) {
            Ok(opening) => opening,
            Err(error) => return vec![Mismatch::Book(error.to_string())],
        };
        let pairs = [
            (
                opening_text(&record.opening),
                opening_text(&opening.entries),
            ),
            (name.cloned().unwrap_or_default(), opening.name),
        ];
        let wrong = pairs.into_iter().filter(|(found, right)| found != right);
        wrong
            .map(|(recorded, expected)| Mismatch::Opening { recorded, expected })
            .collect()
    }
}
