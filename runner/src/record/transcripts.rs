use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::lines::{Ending, Lines};
use super::transcript::{MAX_TRANSCRIPT_BYTES, Transcript};

/// The transcripts in a `games.jsonl`, one after the other. A last line that is cut short is left
/// out.
#[derive(Debug)]
pub struct Transcripts {
    path: PathBuf,
    lines: Option<Lines<BufReader<File>>>,
}

/// Why what was played cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptsError {
    /// The file cannot be read.
    #[error("{}: what was played cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is none.
    #[error("{}:{line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl Transcripts {
    /// Opens a file, which need not be there.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    pub fn open(path: &Path) -> Result<Self, TranscriptsError> {
        let lines = match File::open(path) {
            Ok(file) => Some(Lines::new(BufReader::new(file), MAX_TRANSCRIPT_BYTES)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => {
                return Err(TranscriptsError::Read {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        Ok(Self {
            path: path.to_owned(),
            lines,
        })
    }

    fn read(&mut self) -> Result<Option<Transcript>, TranscriptsError> {
        let Some(lines) = &mut self.lines else {
            return Ok(None);
        };
        let line = lines.next().map_err(|source| TranscriptsError::Read {
            path: self.path.clone(),
            source,
        })?;
        let Some(line) = line else {
            return Ok(None);
        };
        let read = match line.ending {
            Ending::File => return Ok(None),
            Ending::TooLong => Err("the line is too long".to_owned()),
            Ending::Newline => Transcript::from_line(&line.bytes).map_err(|why| why.to_string()),
        };
        read.map(Some).map_err(|why| TranscriptsError::Line {
            path: self.path.clone(),
            line: line.number,
            why,
        })
    }
}

impl Iterator for Transcripts {
    type Item = Result<Transcript, TranscriptsError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.read().transpose();
        if matches!(next, None | Some(Err(_))) {
            self.lines = None;
        }
        next
    }
}
