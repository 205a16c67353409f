use std::path::Path;

use super::Fingerprint;
use super::file_lines::FileLines;
use super::journal_error::JournalError;
use super::lines::{Ending, Line};
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript, TranscriptError};

/// The beginning of every line of `games.jsonl`.
const BEGINNING: &[u8] = b"{\"title\":\"";

/// The transcripts in a `games.jsonl`, which need not be there, one after the other. A last line that an
/// interruption has cut short is left out. After a line that is none the next one can be read.
#[derive(Debug)]
pub struct Transcripts {
    lines: FileLines,
    line: usize,
    start: u64,
    end: u64,
    fingerprint: Fingerprint,
    is_over: bool,
}

impl Transcripts {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Ok(Self {
            lines: FileLines::open(path, MAX_TRANSCRIPT_BYTES)?,
            line: 0,
            start: 0,
            end: 0,
            fingerprint: Fingerprint::NONE,
            is_over: false,
        })
    }

    /// The bytes of a file, which need not be there.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    pub fn length(path: &Path) -> Result<u64, JournalError> {
        Ok(FileLines::open(path, MAX_TRANSCRIPT_BYTES)?.size())
    }

    /// The line of the last transcript, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The offset at which the last line begins.
    #[must_use]
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// The hash of the last line, without its newline.
    #[must_use]
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    fn read(&mut self) -> Result<Option<Transcript>, JournalError> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        let read = transcript(&line);
        if read.is_err() && self.lines.is_torn(&line, BEGINNING) {
            return Ok(None);
        }
        self.line = line.number;
        self.start = self.end;
        self.end = line.end;
        self.fingerprint = Fingerprint::of(&line.bytes);
        read.map(Some).map_err(|fault| JournalError::Transcript {
            path: self.lines.path().to_owned(),
            line: line.number,
            fault,
        })
    }
}

impl Iterator for Transcripts {
    type Item = Result<Transcript, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = matches!(next, None | Some(Err(JournalError::File(_))));
        next
    }
}

fn transcript(line: &Line) -> Result<Transcript, TranscriptError> {
    match line.ending {
        Ending::Newline => Transcript::from_line(&line.bytes),
        Ending::File => Err(TranscriptError::new("it has no end")),
        Ending::TooLong => Err(TranscriptError::new(format!(
            "it has more than {MAX_TRANSCRIPT_BYTES} bytes"
        ))),
    }
}
