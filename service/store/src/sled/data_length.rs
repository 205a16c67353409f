//! The length of sled's data file, noted in the lock file after every group: a shorter file was cut.

use std::{fs::File, io, os::unix::fs::FileExt};

/// Digits of the note.
const DIGITS: usize = 20;

/// The note of the length, in decimal digits at a place of a file.
#[derive(Debug)]
pub(super) struct DataLength {
    file: File,
    at: u64,
    noted: Option<u64>,
}

impl DataLength {
    /// The note in `file`, `at` bytes from its beginning.
    pub(super) fn in_file(file: File, at: u64) -> Self {
        let mut digits = [0; DIGITS];
        let read = file.read_exact_at(&mut digits, at);
        // A file without one is that of an earlier version, or of a log that begins.
        let noted = read
            .ok()
            .and_then(|()| std::str::from_utf8(&digits).ok()?.parse().ok());
        Self { file, at, noted }
    }

    /// Returns true if a file of this length is shorter than it was.
    pub(super) fn is_cut(&self, len_bytes: u64) -> bool {
        self.noted.is_some_and(|noted| len_bytes < noted)
    }

    /// Notes the length of `data`, which is durable.
    ///
    /// # Errors
    /// Of the system. The note lags then: a cut behind the noted length is not found.
    pub(super) fn note(&mut self, data: &File) -> io::Result<()> {
        let len_bytes = data.metadata()?.len();
        if self.noted != Some(len_bytes) {
            let digits = format!("{len_bytes:0DIGITS$}\n");
            self.file.write_all_at(digits.as_bytes(), self.at)?;
            self.noted = Some(len_bytes);
        }
        Ok(())
    }
}
