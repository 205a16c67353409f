use std::fs;
use std::path::Path;

use dragontooth_runner_tournament::arena::ArenaEntry;

use super::Fingerprint;
use super::arena_journal::{last_segment, segment};
use super::arena_line::{ArenaLine, ArenaRecord};
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::line::RecordError;
use super::lines::{Ending, MAX_RECORD_BYTES};
use super::run_file_error::unreadable;

/// A line of the journal of an arena as it stands in its file, whether it follows those before it or not.
#[derive(Clone, Debug)]
pub struct ScannedLine {
    /// The name of the file and the number of the line, from 1: `arena-000001.jsonl:17`.
    pub place: String,
    /// Its entry, and the match if one is over.
    pub content: Result<(ArenaEntry, Option<ArenaRecord>), RecordError>,
    /// True if it was written after the line that stands before it, or is the first and was written as such.
    pub is_chained: bool,
    /// Its hash.
    pub hash: Fingerprint,
}

/// Reads the journal of an arena in a folder line by line, faulty lines included, until `each` returns false. Returns
/// the bytes of a line at the end that is not whole. The files do not change.
///
/// # Errors
///
/// A file cannot be read, or a segment is missing.
pub fn scan_arena(
    folder: &Path,
    mut each: impl FnMut(ScannedLine) -> bool,
) -> Result<u64, JournalError> {
    let last = last_segment(folder)?.max(1);
    let mut before = Fingerprint::NONE;
    for number in 1..=last {
        let path = segment(folder, number);
        fs::metadata(&path).map_err(|source| unreadable(&path, source))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut lines = FileLines::open(&path, MAX_RECORD_BYTES)?;
        let mut whole = 0;
        while let Some(line) = lines.next()? {
            let parsed = match line.ending {
                Ending::Newline => ArenaLine::parse(&line.bytes),
                Ending::File => Err(RecordError::Syntax("it has no end".to_owned())),
                Ending::TooLong => Err(RecordError::TooLong),
            };
            let is_torn = number == last && lines.is_torn(&line, b"{\"");
            if is_torn && matches!(parsed, Err(RecordError::Syntax(_))) {
                return Ok(lines.size() - whole);
            }
            whole = line.end;
            let is_chained = parsed
                .as_ref()
                .is_ok_and(|parsed| parsed.follows(before).is_ok());
            let hash = Fingerprint::of(&line.bytes);
            before = hash;
            let goes_on = each(ScannedLine {
                place: format!("{name}:{}", line.number),
                content: parsed.and_then(|parsed| Ok((parsed.entry()?, parsed.record()?))),
                is_chained,
                hash,
            });
            if !goes_on {
                return Ok(0);
            }
        }
    }
    Ok(0)
}
