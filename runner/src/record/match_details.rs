use std::collections::HashMap;
use std::path::Path;

use dragontooth_runner_report::AllMatchDetails;

use super::journal_error::JournalError;
use super::records::Records;

/// Reads the details of the first `most` matches from a file of results, which may be missing. Does not check them
/// against a schedule.
///
/// # Errors
///
/// The file cannot be read, or a line is not a record. An incomplete last line is not an error.
pub fn read_match_details(path: &Path, most: usize) -> Result<AllMatchDetails, JournalError> {
    let mut records = Records::open(path)?;
    let mut by_title = HashMap::new();
    while records.line() < most
        && let Some(record) = records.next().transpose()?
    {
        let details = record.details().map_err(|fault| records.refusal(fault))?;
        by_title.insert(record.title().to_owned(), details);
    }
    Ok(AllMatchDetails::new(by_title))
}
