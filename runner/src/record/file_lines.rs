use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::{Path, PathBuf};

use super::RunFileError;
use super::lines::{Ending, Line, Lines};
use super::run_file_error::unreadable;

/// The lines of a file, which need not be there, as far as it was written when it was opened.
#[derive(Debug)]
pub(super) struct FileLines {
    path: PathBuf,
    size: u64,
    lines: Option<Lines<BufReader<Take<File>>>>,
}

impl FileLines {
    /// Opens a file whose lines have at most `longest` bytes with their newlines.
    pub(super) fn open(path: &Path, longest: usize) -> Result<Self, RunFileError> {
        let unreadable = |source| unreadable(path, source);
        let file = match File::open(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(unreadable(source)),
        };
        let size = match &file {
            Some(file) => file.metadata().map_err(unreadable)?.len(),
            None => 0,
        };
        Ok(Self {
            path: path.to_owned(),
            size,
            lines: file.map(|file| Lines::new(BufReader::new(file.take(size)), longest)),
        })
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Line>, RunFileError> {
        let Some(lines) = &mut self.lines else {
            return Ok(None);
        };
        lines
            .next()
            .map_err(|source| unreadable(&self.path, source))
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of all lines.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if an interruption may have left this line of one that begins with `beginning`: it
    /// is the last of the file and incomplete. A line that ends in a newline is complete, but after a
    /// power loss its end may be on disk while its middle is not: it has NUL bytes then, which a
    /// written line never has.
    pub(super) fn is_torn(&self, line: &Line, beginning: &[u8]) -> bool {
        let is_last = line.end >= self.size;
        let is_cut = match line.ending {
            Ending::Newline => line.bytes.contains(&0),
            Ending::File => true,
            Ending::TooLong => false,
        };
        let mut pairs = line.bytes.iter().zip(beginning);
        is_last && is_cut && pairs.all(|(byte, right)| *byte == 0 || byte == right)
    }
}
