use std::fs::{File, Metadata};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::fault::{BookPlace, InvalidOpenings, OpeningFault, open, unreadable};
use super::name::Names;
use super::{MAX_BOOK_BYTES, MAX_BOOK_OPENINGS, MAX_LINE_BYTES};

/// The bytes that are read of a file at a time.
pub(super) const CHUNK_BYTES: usize = 1 << 20;
/// The bytes that are read of a line at a time.
const LINE_CHUNK_BYTES: usize = 512;
/// The mark with which some editors begin a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A book with one opening a line. Its text stays in the file; of each line its place is kept.
pub(super) struct LineBook {
    file: File,
    read: Metadata,
    lines: Vec<Line>,
    /// The numbers of the lines whose names need them, ascending.
    repeats: Vec<u32>,
}

/// A line that has an opening.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// From 1.
    number: u32,
    /// The offset of its first byte.
    start: u32,
}

/// The lines that have been indexed.
#[derive(Default)]
struct Index {
    lines: Vec<Line>,
    repeats: Vec<u32>,
    names: Names,
}

/// The line that is being indexed.
struct OpenLine {
    number: u32,
    start: u64,
    length: usize,
    /// True if it has an opening, false if it is a comment; `None` while there are only spaces.
    has_opening: Option<bool>,
    /// The text after the first `#` of a line with an opening, if there is one.
    name: Option<Vec<u8>>,
}

impl LineBook {
    /// Indexes a book in one pass, which also hashes it.
    pub(super) fn index(path: &Path, hash: &mut Sha256) -> Result<Self, InvalidOpenings> {
        let file = open(path)?;
        let read = file.metadata().map_err(unreadable(path))?;
        if read.len() > MAX_BOOK_BYTES {
            return Err(InvalidOpenings::TooLarge(path.to_owned()));
        }
        let mut reader = BufReader::with_capacity(CHUNK_BYTES, &file);
        let mut index = Index::default();
        let mut line = OpenLine::at(1, 0);
        let mut offset = 0;
        loop {
            let chunk = reader.fill_buf().map_err(unreadable(path))?;
            if chunk.is_empty() {
                break;
            }
            hash.update(chunk);
            let mut rest = chunk;
            if offset == 0 {
                rest = rest.strip_prefix(BYTE_ORDER_MARK).unwrap_or(rest);
                line.start = (chunk.len() - rest.len()) as u64;
            }
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                line.take(&rest[..end]);
                line.close(&mut index, path)?;
                rest = &rest[end + 1..];
                let next = offset + (chunk.len() - rest.len()) as u64;
                line = OpenLine::at(line.number.saturating_add(1), next);
            }
            line.take(rest);
            let read = chunk.len();
            offset += read as u64;
            // It is too long, whatever follows.
            line.check(path)?;
            reader.consume(read);
        }
        line.close(&mut index, path)?;
        let Index { lines, repeats, .. } = index;
        Ok(Self {
            file,
            read,
            lines,
            repeats,
        })
    }

    /// The lines that have openings, in the order in which encounters have them.
    pub(super) const fn lines(&mut self) -> &mut Vec<Line> {
        &mut self.lines
    }

    pub(super) const fn count(&self) -> usize {
        self.lines.len()
    }

    /// The size of the book.
    pub(super) fn bytes(&self) -> u64 {
        self.read.len()
    }

    pub(super) fn place(&self, at: usize) -> BookPlace {
        BookPlace::Line(self.number(at))
    }

    pub(super) fn number(&self, at: usize) -> u32 {
        self.lines[at].number
    }

    /// Returns true if the name of a line may be that of another one.
    pub(super) fn repeats_name(&self, at: usize) -> bool {
        self.repeats.binary_search(&self.number(at)).is_ok()
    }

    /// The text of a line, without its end.
    ///
    /// # Errors
    ///
    /// The file cannot be read or has changed, or the line is not text.
    pub(super) fn text(&self, at: usize, path: &Path) -> Result<String, InvalidOpenings> {
        let Line { number, start } = self.lines[at];
        let now = self.file.metadata().map_err(unreadable(path))?;
        if now.len() != self.read.len() || now.modified().ok() != self.read.modified().ok() {
            return Err(InvalidOpenings::Changed(path.to_owned()));
        }
        let bytes = read_line(&self.file, start.into()).map_err(unreadable(path))?;
        String::from_utf8(bytes)
            .map_err(|_| InvalidOpenings::at(path, BookPlace::Line(number), OpeningFault::NotText))
    }
}

impl OpenLine {
    const fn at(number: u32, start: u64) -> Self {
        Self {
            number,
            start,
            length: 0,
            has_opening: None,
            name: None,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.has_opening.is_none() {
            let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
            self.has_opening = first.map(|first| *first != b'#');
        }
        if self.has_opening != Some(true) {
            return;
        }
        if let Some(name) = &mut self.name {
            name.extend_from_slice(bytes);
        } else if let Some(mark) = bytes.iter().position(|byte| *byte == b'#') {
            self.name = Some(bytes[mark + 1..].to_owned());
        }
    }

    fn check(&self, path: &Path) -> Result<(), InvalidOpenings> {
        if self.length <= MAX_LINE_BYTES {
            return Ok(());
        }
        let place = BookPlace::Line(self.number);
        Err(InvalidOpenings::at(path, place, OpeningFault::Length))
    }

    fn close(&self, index: &mut Index, path: &Path) -> Result<(), InvalidOpenings> {
        self.check(path)?;
        if self.has_opening != Some(true) {
            return Ok(());
        }
        if index.lines.len() == MAX_BOOK_OPENINGS {
            return Err(InvalidOpenings::TooMany(path.to_owned()));
        }
        let name = self.name.as_deref().map(str::from_utf8);
        // A line that is not text is refused when it is read.
        if let Some(Ok(name)) = name
            && !name.trim().is_empty()
            && index.names.take(name.trim())
        {
            index.repeats.push(self.number);
        }
        index.lines.push(Line {
            number: self.number,
            start: u32::try_from(self.start).expect("a book has less than 4 GiB"),
        });
        Ok(())
    }
}

/// Reads a line that begins at `start`. It is not longer than [`MAX_LINE_BYTES`], unless the file has changed.
fn read_line(file: &File, start: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut chunk = [0; LINE_CHUNK_BYTES];
    while line.len() <= MAX_LINE_BYTES {
        let read = file.read_at(&mut chunk, start + line.len() as u64)?;
        let end = chunk[..read].iter().position(|byte| *byte == b'\n');
        line.extend_from_slice(&chunk[..end.unwrap_or(read)]);
        if end.is_some() || read == 0 {
            break;
        }
    }
    Ok(line)
}
