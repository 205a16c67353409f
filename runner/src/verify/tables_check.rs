use std::fs;
use std::io;
use std::path::Path;

use dragontooth_runner_report::{Document, played_in};
use dragontooth_runner_tournament::{Results, Schedule};

use crate::record::FolderError;

/// The state of the tables in a run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// There are none.
    Missing,
    /// The tables of the first results, as an interruption leaves them; the number of results.
    Of(u64),
    /// Something else, which is a disagreement.
    Wrong,
    /// It cannot be recorded, because not all matches could be played again.
    Unknown,
}

/// The tables in the folder of a run while those are sought that they should be.
#[derive(Clone, Debug)]
pub(super) struct TablesCheck {
    text: Option<String>,
    /// Number of results in them; `None` if they do not state it.
    played: Option<u64>,
    agrees: bool,
}

impl TablesCheck {
    /// Reads the file of the tables, which need not be there.
    pub(super) fn read(path: &Path) -> Result<Self, FolderError> {
        let text = match fs::read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => {
                let path = path.to_owned();
                return Err(FolderError::Unusable { path, source });
            }
        };
        Ok(Self {
            played: text.as_deref().and_then(played_in),
            text,
            agrees: false,
        })
    }

    /// Compares them with those of `results`, if they are of as many.
    pub(super) fn compare(&mut self, schedule: &Schedule, results: &Results) {
        if let Some(text) = &self.text
            && self.played == Some(results.played() as u64)
        {
            self.agrees |= *text == Document::new(schedule, results).markdown();
        }
    }

    /// Number of results that they state; `None` if they state none.
    pub(super) const fn played(&self) -> Option<u64> {
        self.played
    }

    /// Their state, with `recorded` results of which `computed` follow from transcripts.
    pub(super) fn found(&self, recorded: usize, computed: usize) -> Tables {
        match (&self.text, self.played) {
            (None, _) => Tables::Missing,
            (Some(_), Some(played)) if self.agrees => Tables::Of(played),
            (Some(_), Some(played)) if computed < recorded && played <= recorded as u64 => {
                Tables::Unknown
            }
            (Some(_), _) => Tables::Wrong,
        }
    }
}
