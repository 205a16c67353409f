use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;

use super::MAX_RECORD_BYTES;
use super::journal::{JournalError, is_torn};
use super::line::{Record, RecordError};
use super::lines::{Ending, Lines};
use super::played::Fault;

/// What the lines of `results.jsonl` tell of the matches beside their results, by title.
#[derive(Clone, Debug, Default)]
pub struct Accounts(HashMap<String, Account>);

/// What a line tells of a match beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id in the service.
    pub match_id: String,
    /// When it was created.
    pub started: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
    /// The time between.
    pub duration: Duration,
    /// What the bots did wrong, in order.
    pub faults: Vec<Fault>,
}

impl Accounts {
    /// Reads a file, which need not be there. Whether its lines fit a schedule is not looked at.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is no record. A line that is cut short at the end is
    /// none of these.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let unreadable = |source| JournalError::Read {
            path: path.to_owned(),
            source,
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(unreadable(source)),
        };
        let size = file.metadata().map_err(unreadable)?.len();
        let mut lines = Lines::new(BufReader::new(file), MAX_RECORD_BYTES);
        let mut accounts = HashMap::new();
        while let Some(line) = lines.next().map_err(unreadable)? {
            let record = match line.ending {
                Ending::Newline => Record::from_line(&line.bytes),
                Ending::File => break,
                Ending::TooLong => Err(RecordError::TooLong),
            };
            let read = record.and_then(|record| Ok((record.title().to_owned(), record.account()?)));
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

impl Account {
    /// The faults of the bot in `seat`.
    pub fn faults_of(&self, seat: Seat) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| fault.seat == seat)
    }
}
