use std::path::Path;

use super::Fingerprint;
use super::append_file::AppendFile;
use super::entry::Entry;
use super::journal_error::JournalError;
use super::run_file_error::unwritable;

/// The two files of a journal.
#[derive(Debug)]
pub(super) struct JournalFiles {
    results: AppendFile,
    games: AppendFile,
    /// The hash of the last line of the results.
    head: Fingerprint,
    broken: bool,
}

impl JournalFiles {
    /// Files whose ends are known; `head` is the hash of the last line of the results.
    pub(super) const fn new(results: AppendFile, games: AppendFile, head: Fingerprint) -> Self {
        Self {
            results,
            games,
            head,
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
        let transcripts = entries.iter().map(|entry| entry.transcript().to_line());
        let games: String = transcripts.collect();
        let mut results = String::new();
        for entry in entries {
            let line = entry.record().clone().after(self.head).to_line();
            self.head = Fingerprint::of(line.trim_end_matches('\n').as_bytes());
            results.push_str(&line);
        }
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
    appended.map_err(|source| unwritable(file.path(), source).into())
}
