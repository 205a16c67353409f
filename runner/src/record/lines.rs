use std::io::{self, BufRead, Read};

/// The most bytes of a record with its newline: about sixty times the usual length.
pub const MAX_RECORD_BYTES: usize = 64 * 1024;

/// A line of a file.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its bytes, without the newline.
    pub(super) bytes: Vec<u8>,
    /// The offset of the next line.
    pub(super) end: u64,
    /// The end of the line.
    pub(super) ending: Ending,
}

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With a newline.
    Newline,
    /// With the file.
    File,
    /// Nowhere within the longest line that is read.
    TooLong,
}

/// The lines of a file, one after the other.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    /// The most bytes of a line with its newline.
    longest: usize,
    number: usize,
    offset: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R, longest: usize) -> Self {
        Self {
            reader,
            longest,
            number: 0,
            offset: 0,
        }
    }

    /// The next line; `None` at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.reader).take(self.longest as u64);
        let read = limited.read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        let ending = match bytes.last() {
            Some(b'\n') => Ending::Newline,
            Some(_) | None if read == self.longest => Ending::TooLong,
            Some(_) | None => Ending::File,
        };
        if ending == Ending::Newline {
            bytes.pop();
        }
        self.offset += read as u64;
        self.number += 1;
        Ok(Some(Line {
            number: self.number,
            bytes,
            end: self.offset,
            ending,
        }))
    }
}
