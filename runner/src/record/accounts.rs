use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

use super::Account;
use super::journal_error::JournalError;
use super::records::Records;

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
        let mut records = Records::open(path)?;
        let mut accounts = HashMap::new();
        while let Some(record) = records.next().transpose()? {
            let account = record.account().map_err(|fault| records.refusal(fault))?;
            accounts.insert(record.title().to_owned(), account);
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
