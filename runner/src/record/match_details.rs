use std::collections::HashMap;
use std::path::Path;

use dragontooth_runner_report::AllMatchDetails;

use super::journal_error::JournalError;
use super::records::Records;

/// Reads what the lines of a file, which need not be there, tell of the matches beside their results.
/// Whether they fit a schedule is not looked at.
///
/// # Errors
///
/// The file cannot be read, or a line is no record. A line that is cut short at the end is
/// none of these.
pub fn read_match_details(path: &Path) -> Result<AllMatchDetails, JournalError> {
    let mut records = Records::open(path)?;
    let mut by_title = HashMap::new();
    while let Some(record) = records.next().transpose()? {
        let details = record.details().map_err(|fault| records.refusal(fault))?;
        by_title.insert(record.title().to_owned(), details);
    }
    Ok(AllMatchDetails::new(by_title))
}
