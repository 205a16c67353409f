use std::collections::HashMap;
use std::path::Path;

use dragontooth_runner_report::Accounts;

use super::journal_error::JournalError;
use super::records::Records;

/// Reads what the lines of a file, which need not be there, tell of the matches beside their results.
/// Whether they fit a schedule is not looked at.
///
/// # Errors
///
/// The file cannot be read, or a line is no record. A line that is cut short at the end is
/// none of these.
pub fn read_accounts(path: &Path) -> Result<Accounts, JournalError> {
    let mut records = Records::open(path)?;
    let mut accounts = HashMap::new();
    while let Some(record) = records.next().transpose()? {
        let account = record.account().map_err(|fault| records.refusal(fault))?;
        accounts.insert(record.title().to_owned(), account);
    }
    Ok(Accounts::new(accounts))
}
