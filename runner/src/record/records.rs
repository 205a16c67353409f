use std::path::Path;

use super::Fingerprint;
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::line::{Record, RecordError};
use super::lines::{Ending, Line, MAX_RECORD_BYTES};

/// The beginning of every line of results.
const BEGINNING: &[u8] = b"{\"event\":\"";

/// Iterates over the records in a `results.jsonl`, which may be missing. An incomplete last line is
/// ignored. After a line that is not a record the next one can be read, unless the line is too long.
#[derive(Debug)]
pub struct Records {
    lines: FileLines,
    line: usize,
    taken: u64,
    fingerprint: Fingerprint,
    is_over: bool,
}

impl Records {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self {
            lines: FileLines::open(path, MAX_RECORD_BYTES)?,
            line: 0,
            taken: 0,
            fingerprint: Fingerprint::NONE,
            is_over: false,
        })
    }

    /// The line of the last record, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The hash of the last line, whether it is a record or not.
    #[must_use]
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The bytes of the lines so far.
    pub(super) const fn taken(&self) -> u64 {
        self.taken
    }

    /// At the end of the records, the bytes of the line that is cut short.
    #[must_use]
    pub const fn torn_bytes(&self) -> u64 {
        self.lines.size().saturating_sub(self.taken)
    }

    /// The error for a fault of the last record.
    #[must_use]
    pub fn refusal(&self, fault: RecordError) -> JournalError {
        JournalError::Line {
            path: self.lines.path().to_owned(),
            line: self.line,
            fault,
        }
    }

    fn read(&mut self) -> Result<Option<Record>, JournalError> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let read = record(&line);
        if let Err(RecordError::Syntax(_)) = &read
            && self.lines.is_torn(&line, BEGINNING)
        {
            return Ok(None);
        }
        (self.line, self.taken) = (line.number, line.end);
        self.fingerprint = Fingerprint::of(&line.bytes);
        read.map(Some).map_err(|fault| self.refusal(fault))
    }
}

impl Iterator for Records {
    type Item = Result<Record, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = match &next {
            None | Some(Err(JournalError::File(_))) => true,
            Some(Err(JournalError::Line { fault, .. })) => *fault == RecordError::TooLong,
            Some(_) => false,
        };
        next
    }
}

fn record(line: &Line) -> Result<Record, RecordError> {
    match line.ending {
        Ending::Newline => Record::from_line(&line.bytes),
        Ending::File => Err(RecordError::Syntax("it has no end".to_owned())),
        Ending::TooLong => Err(RecordError::TooLong),
    }
}
