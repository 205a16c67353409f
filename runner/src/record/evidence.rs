use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use dragontooth_games::Seat;
use dragontooth_runner_tournament::statistics::PlayedMatch;
use dragontooth_runner_tournament::{MAX_BOTS, MAX_MATCHES};

use super::RunFolder;
use super::journal_error::JournalError;
use super::line::{Record, RecordError};
use super::records::Records;
use super::run_file_error::unreadable;

/// The results in some files, without their events, as input for ratings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The names of the bots, in alphabetical order.
    pub bots: Vec<String>,
    /// The matches that count; the bots are numbered as in the list, the encounters from 0.
    pub matches: Vec<PlayedMatch>,
    /// Number of void matches.
    pub void: usize,
}

/// The reason why a file of results is no evidence.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The file cannot be read, or a line is not a record.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There are too many bots in it.
    #[error("{}: there are more than {MAX_BOTS} bots", path.display())]
    TooManyBots {
        /// The file.
        path: PathBuf,
    },
    /// There are too many matches in it.
    #[error("{}: there are more than {MAX_MATCHES} matches", path.display())]
    TooManyMatches {
        /// The file.
        path: PathBuf,
    },
}

/// Reads files like `results.jsonl`, or those of run directories. Nothing else of the runs is needed, and one file may
/// contain several events. An incomplete last line is ignored.
///
/// # Errors
///
/// A file cannot be read, a line is not a record, a match is recorded twice, or there are too many bots
/// or matches.
pub fn read_evidence(paths: &[impl AsRef<Path>]) -> Result<Evidence, EvidenceError> {
    let mut gathered = Gathered::default();
    for path in paths.iter().map(AsRef::as_ref) {
        if path.is_dir() {
            gathered.add_file(RunFolder::results_in(path))?;
        } else {
            gathered.add_file(path.to_owned())?;
        }
    }
    Ok(gathered.close())
}

/// The results read so far; bots are numbered in the order of appearance.
#[derive(Debug, Default)]
struct Gathered {
    names: BTreeMap<String, usize>,
    titles: BTreeSet<String>,
    encounters: BTreeMap<(String, u32), u64>,
    matches: Vec<PlayedMatch>,
    void: usize,
}

impl Gathered {
    fn add_file(&mut self, path: PathBuf) -> Result<(), EvidenceError> {
        // A run may have no results yet; here there is nothing to say without any.
        fs::metadata(&path).map_err(|source| JournalError::from(unreadable(&path, source)))?;
        let mut records = Records::open(&path)?;
        while let Some(record) = records.next().transpose()? {
            let added = self.add(&record);
            added.map_err(|fault| records.refusal(fault))?;
            if self.names.len() > MAX_BOTS {
                return Err(EvidenceError::TooManyBots { path });
            }
            if self.titles.len() as u64 > MAX_MATCHES {
                return Err(EvidenceError::TooManyMatches { path });
            }
        }
        Ok(())
    }

    fn add(&mut self, record: &Record) -> Result<(), RecordError> {
        let ([first, second], verdict) = record.outcome()?;
        let (event, title, encounter) = record.place();
        if !self.titles.insert(title.to_owned()) {
            return Err(RecordError::Again(title.to_owned()));
        }
        let (first, second) = (self.bot(first), self.bot(second));
        let next = self.encounters.len() as u64;
        let place = (event.to_owned(), encounter);
        let encounter = *self.encounters.entry(place).or_insert(next);
        match verdict.score(Seat::First) {
            Some(first_score) => self.matches.push(PlayedMatch {
                encounter,
                first,
                second,
                first_score,
                moves: record.moves_of_copies()?.map(|moves| moves.short()),
            }),
            None => self.void += 1,
        }
        Ok(())
    }

    fn bot(&mut self, name: &str) -> usize {
        let next = self.names.len();
        *self.names.entry(name.to_owned()).or_insert(next)
    }

    /// Numbers the bots by the alphabet, so that the order of the lines does not matter.
    fn close(self) -> Evidence {
        let mut by_alphabet = vec![0; self.names.len()];
        for (place, number) in self.names.values().enumerate() {
            by_alphabet[*number] = place;
        }
        let renumbered = self.matches.into_iter().map(|played| PlayedMatch {
            first: by_alphabet[played.first],
            second: by_alphabet[played.second],
            ..played
        });
        Evidence {
            matches: renumbered.collect(),
            bots: self.names.into_keys().collect(),
            void: self.void,
        }
    }
}
