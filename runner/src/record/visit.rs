use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::journal_error::{JournalError, unreadable};
use super::line::{Record, RecordError};
use super::lines::{Ending, Line, Lines, MAX_RECORD_BYTES};
use super::result_line::{is_torn, read_line};
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript, TranscriptError};

/// Hands every line of `results.jsonl`, which need not be there, to `visit`: its number, from 1, and the
/// record that it is. A last line that is cut short is passed over; the bytes that it has are given.
///
/// # Errors
///
/// The file cannot be read.
pub fn visit_records(
    path: &Path,
    mut visit: impl FnMut(usize, Result<Record, RecordError>),
) -> Result<u64, JournalError> {
    visit_lines(path, MAX_RECORD_BYTES, |line, size| {
        let record = read_line(line);
        if let Err(fault) = &record
            && is_torn(line, fault, size)
        {
            return false;
        }
        visit(line.number, record);
        true
    })
}

/// Hands every line of `games.jsonl`, which need not be there, to `visit`: its number, from 1, and the
/// transcript that it is. A last line that is cut short is passed over; the bytes that it has are given.
///
/// # Errors
///
/// The file cannot be read.
pub fn visit_transcripts(
    path: &Path,
    mut visit: impl FnMut(usize, Result<Transcript, TranscriptError>),
) -> Result<u64, JournalError> {
    visit_lines(path, MAX_TRANSCRIPT_BYTES, |line, _| {
        if line.ending == Ending::File {
            return false;
        }
        visit(line.number, Transcript::from_line(&line.bytes));
        true
    })
}

/// Goes through a file as long as `visit` takes its lines, and tells how many bytes it did not take.
fn visit_lines(
    path: &Path,
    longest: usize,
    mut visit: impl FnMut(&Line, u64) -> bool,
) -> Result<u64, JournalError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(source) => return Err(unreadable(path, source)),
    };
    let size = file
        .metadata()
        .map_err(|source| unreadable(path, source))?
        .len();
    let mut lines = Lines::new(BufReader::new(file.take(size)), longest);
    let mut taken = 0;
    while let Some(line) = lines.next().map_err(|source| unreadable(path, source))? {
        if !visit(&line, size) {
            break;
        }
        taken = line.end;
    }
    Ok(size.saturating_sub(taken))
}
