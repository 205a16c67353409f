use std::path::Path;

use super::append_file::AppendFile;
use super::entry::Entry;
use super::journal_error::{JournalError, unwritable};

/// The two files of a journal.
#[derive(Debug)]
pub(super) struct JournalFiles {
    results: AppendFile,
    games: AppendFile,
    broken: bool,
}

impl JournalFiles {
    /// Files whose ends are known.
    pub(super) const fn new(results: AppendFile, games: AppendFile) -> Self {
        Self {
            results,
            games,
            broken: false,
        }
    }

    /// The file of the results.
    pub(super) fn path(&self) -> &Path {
        self.results.path()
    }

    /// Writes entries: all that was played first, then all results. When this returns they are on
    /// the disk.
    pub(super) fn append(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken {
                path: self.path().to_owned(),
            });
        }
        let lines = |line: fn(&Entry) -> String| entries.iter().map(line).collect::<String>();
        let games = lines(|entry| entry.transcript().to_line());
        let results = lines(|entry| entry.record().to_line());
        let before = self.games.length();
        let written =
            append(&mut self.games, &games).and_then(|()| append(&mut self.results, &results));
        if written.is_err() {
            self.broken = true;
            // If this fails too, the next run cuts the lines off: so no result may be left without its
            // transcript.
            if self.results.cut_back().is_ok() {
                let _ = self.games.keep(before);
            }
        }
        written
    }
}

fn append(file: &mut AppendFile, lines: &str) -> Result<(), JournalError> {
    let appended = file.append(lines.as_bytes());
    appended.map_err(|source| unwritable(file.path(), source))
}
