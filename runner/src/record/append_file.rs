use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::whole_file;

/// An append-only file of lines. An incomplete line at its end is cut off.
#[derive(Debug)]
pub(super) struct AppendFile {
    file: File,
    path: PathBuf,
    length: u64,
}

impl AppendFile {
    /// Opens or creates a file. [`keep`](Self::keep) sets the end of its complete lines.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let length = file.metadata()?.len();
        if length == 0 {
            whole_file::sync_folder_of(path)?;
        }
        Ok(Self {
            file,
            path: path.to_owned(),
            length,
        })
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of its whole lines.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Cuts off all but the first `length` bytes and goes to their end.
    pub(super) fn keep(&mut self, length: u64) -> io::Result<()> {
        self.length = length;
        self.cut_back()
    }

    /// Adds lines. When this returns they are on the disk.
    ///
    /// After an error the end of the file is not known: see [`cut_back`](Self::cut_back).
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)?;
        self.file.sync_data()?;
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Cuts the file after the last whole line and goes there.
    pub(super) fn cut_back(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            // Not synced: until the next line is, the next run would cut it again.
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        Ok(())
    }
}
