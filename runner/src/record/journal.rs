use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::line::{Record, RecordError};
use super::lines::{Ending, Line, Lines};
use super::whole_file;
use crate::tournament::{Results, Schedule};

/// The results of a run on disk: one line a match, each of them synced before the next.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    length: u64,
    broken: bool,
}

/// What a journal held when it was opened.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The results of the matches that are recorded.
    pub results: Results,
    /// The bytes of a line that was being written when the runner was stopped: no record.
    pub torn_bytes: u64,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read.
    #[error("{}: the results cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: the results cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of the file is no record of this run.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: RecordError,
    },
    /// An earlier record could not be written, so that nothing may follow it.
    #[error("{}: an earlier result could not be written", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
}

/// The results in a file, which need not be there yet. It is not changed, so that a run that goes
/// on can be looked at.
///
/// # Errors
///
/// The file cannot be read, or a line is no record of `schedule`. A line that is cut short at the
/// end is none of these.
pub fn read_results(path: &Path, schedule: &Schedule) -> Result<Recovered, JournalError> {
    match File::open(path) {
        Ok(file) => Ok(recover(&file, path, schedule)?.0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Recovered {
            results: Results::none(schedule),
            torn_bytes: 0,
        }),
        Err(source) => Err(JournalError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

impl Journal {
    /// Opens a file, which need not be there yet, tells what is recorded in it, and cuts off a
    /// line that was not written to its end.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or a line is no record of `schedule`; then it is left
    /// as it is.
    pub fn open(path: &Path, schedule: &Schedule) -> Result<(Self, Recovered), JournalError> {
        let unwritable = |source| JournalError::Write {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(unwritable)?;
        if file.metadata().map_err(unwritable)?.len() == 0 {
            whole_file::sync_folder_of(path).map_err(unwritable)?;
        }
        let (recovered, length) = recover(&file, path, schedule)?;
        let mut journal = Self {
            file,
            path: path.to_owned(),
            length,
            broken: false,
        };
        journal.cut_back().map_err(unwritable)?;
        Ok((journal, recovered))
    }

    /// Writes a record. When this returns it is on the disk.
    ///
    /// # Errors
    ///
    /// It cannot be written. Nothing can be written after it then: whatever part of it is in the
    /// file is cut off when the journal is opened again.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken {
                path: self.path.clone(),
            });
        }
        let line = record.to_line();
        let written = self
            .file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            self.broken = true;
            // If this fails too, the next run cuts the line off.
            let _ = self.cut_back();
            return Err(JournalError::Write {
                path: self.path.clone(),
                source,
            });
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Cuts the file after the last whole record and goes there.
    fn cut_back(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            // Not synced: until the next record is, the next run would cut it again.
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        Ok(())
    }
}

/// The results in a file and the bytes that they take.
fn recover(
    file: &File,
    path: &Path,
    schedule: &Schedule,
) -> Result<(Recovered, u64), JournalError> {
    let unreadable = |source| JournalError::Read {
        path: path.to_owned(),
        source,
    };
    let size = file.metadata().map_err(unreadable)?.len();
    let mut lines = Lines::new(BufReader::new(file.take(size)));
    let mut results = Results::none(schedule);
    let mut length = 0;
    while let Some(line) = lines.next().map_err(unreadable)? {
        match add_line(&line, &mut results, schedule) {
            Ok(()) => length = line.end,
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
    Ok((
        Recovered {
            results,
            torn_bytes: size.saturating_sub(length),
        },
        length,
    ))
}

fn add_line(line: &Line, results: &mut Results, schedule: &Schedule) -> Result<(), RecordError> {
    match line.ending {
        Ending::Newline => Record::from_line(&line.bytes)?.add_to(results, schedule),
        Ending::File => Err(RecordError::Syntax("it has no end".to_owned())),
        Ending::TooLong => Err(RecordError::TooLong),
    }
}

/// Whether the line is what an interruption leaves: the last one of the file and not whole. After
/// a loss of power the end of a line may be there and its middle may not.
pub(super) fn is_torn(line: &Line, fault: &RecordError, size: u64) -> bool {
    match fault {
        RecordError::Syntax(_) => line.end >= size,
        RecordError::TooLong
        | RecordError::Shape(_)
        | RecordError::Field { .. }
        | RecordError::UnknownMatch(_)
        | RecordError::Contradiction(_)
        | RecordError::Twice(_)
        | RecordError::Again(_) => false,
    }
}
