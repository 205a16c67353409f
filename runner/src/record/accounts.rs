use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::SystemTime;

use super::Account;
use super::MAX_RECORD_BYTES;
use super::journal_error::{JournalError, unreadable};
use super::lines::{Ending, Lines};
use super::result_line::{is_torn, read_line};

/// What the lines of `results.jsonl` tell of the matches beside their results, by title.
#[derive(Clone, Debug, Default)]
pub struct Accounts(HashMap<String, Account>);

impl Accounts {
    /// Reads a file, which need not be there. Whether its lines fit a schedule is not looked at.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is no record. A line that is cut short at the end is
    /// none of these.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let unreadable = |source| unreadable(path, source);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(unreadable(source)),
        };
        let size = file.metadata().map_err(unreadable)?.len();
        let mut lines = Lines::new(BufReader::new(file), MAX_RECORD_BYTES);
        let mut accounts = HashMap::new();
        while let Some(line) = lines.next().map_err(unreadable)? {
            if line.ending == Ending::File {
                break;
            }
            let read = read_line(&line)
                .and_then(|record| Ok((record.title().to_owned(), record.account()?)));
            match read {
                Ok((title, account)) => _ = accounts.insert(title, account),
                Err(fault) if is_torn(&line, &fault, size) => break,
                Err(fault) => {
                    return Err(JournalError::Line {
                        path: path.to_owned(),
                        line: line.number,
                        fault,
                    });
                }
            }
        }
        Ok(Self(accounts))
    }

    /// What is told of the match with this title.
    #[must_use]
    pub fn of(&self, title: &str) -> Option<&Account> {
        self.0.get(title)
    }

    /// When the first match began and the last one ended; none before a match is over.
    #[must_use]
    pub fn span(&self) -> Option<(SystemTime, SystemTime)> {
        let first = self.0.values().map(|account| account.started).min()?;
        let last = self.0.values().map(|account| account.ended).max()?;
        Some((first, last))
    }
}
