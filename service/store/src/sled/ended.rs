//! The streams that have ended, in short: a plain file beside sled, so that a log opens without a look at each of them.
//!
//! A line follows from the records of its stream and is not synced. What is lost of the file, or does not fit the
//! witness, is found out from the records again. Behind a damaged line nothing counts, and new lines go there.

use std::{
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt,
    path::Path,
    sync::{Mutex, PoisonError},
};

use dragontooth_service_vocabulary::Sequence;

use super::witness::{Mark, WitnessedHead};
use crate::StreamId;

/// The name of the file.
pub(super) const FILE: &str = "ended";

/// The beginning of the file, with the version of its format.
const HEADER: [u8; 8] = *b"ended\0\0\x01";

/// The most bytes of what a line says about its stream.
pub(super) const MAX_BRIEF_BYTES: usize = 1024;

/// Bytes of a line before the brief: two of the brief's length, sixteen of stream id, eight of sequence, eight of mark.
const BEFORE_BYTES: usize = 34;

/// Bytes of the CRC-32 of all before it, with which a line ends. Numbers are big-endian.
const SUM_BYTES: usize = 4;

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// The open file.
#[derive(Debug)]
pub(super) struct Ended {
    file: File,
    /// The end of its sound lines.
    len_bytes: Mutex<u64>,
}

impl Ended {
    /// Opens the file in the folder, or makes it, and calls `each` with the offsets of its lines and with them, in order.
    pub(super) fn open(
        folder: &Path,
        each: impl FnMut(u64, StreamId, WitnessedHead, &[u8]),
    ) -> io::Result<Self> {
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let file = options.open(folder.join(FILE))?;
        let len_bytes = if let Some(len_bytes) = read(&file, each)? {
            len_bytes
        } else {
            file.set_len(0)?;
            file.write_all_at(&HEADER, 0)?;
            HEADER.len() as u64
        };
        Ok(Self {
            file,
            len_bytes: Mutex::new(len_bytes),
        })
    }

    /// Calls `each` as [`open`](Self::open) does.
    pub(super) fn read(
        &self,
        each: impl FnMut(u64, StreamId, WitnessedHead, &[u8]),
    ) -> io::Result<()> {
        read(&self.file, each).map(drop)
    }

    /// Adds a line, of at most [`MAX_BRIEF_BYTES`]; a longer one is left out.
    pub(super) fn note(
        &self,
        stream: StreamId,
        seen: WitnessedHead,
        brief: &[u8],
    ) -> io::Result<()> {
        let Some(len) = u16::try_from(brief.len())
            .ok()
            .filter(|len| usize::from(*len) <= MAX_BRIEF_BYTES)
        else {
            return Ok(());
        };
        let mut line = Vec::with_capacity(BEFORE_BYTES + brief.len() + SUM_BYTES);
        line.extend(len.to_be_bytes());
        line.extend(stream.0);
        line.extend(seen.sequence.0.to_be_bytes());
        line.extend(seen.mark.bytes());
        line.extend(brief);
        line.extend(crc32fast::hash(&line).to_be_bytes());
        let mut end = self
            .len_bytes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // At an explicit offset, so that the next write overwrites what a failed one left.
        self.file.write_all_at(&line, *end)?;
        *end += line.len() as u64;
        Ok(())
    }

    /// Adds a line that takes back those of a stream.
    pub(super) fn forget(&self, stream: StreamId) -> io::Result<()> {
        let none = WitnessedHead {
            sequence: Sequence::START,
            mark: Mark::from_bytes([0; 8]),
        };
        self.note(stream, none, &[])
    }
}

/// Reads the lines up to the first that is damaged; returns their end, `None` if the file is not of this format.
fn read(
    file: &File,
    mut each: impl FnMut(u64, StreamId, WitnessedHead, &[u8]),
) -> io::Result<Option<u64>> {
    let mut window = Window::new(file);
    if window.next(HEADER.len())? != Some(&HEADER) {
        return Ok(None);
    }
    window.take(HEADER.len());
    while let Some(&[high, low]) = window.next(2)? {
        let brief_bytes = usize::from(u16::from_be_bytes([high, low]));
        if brief_bytes > MAX_BRIEF_BYTES {
            break;
        }
        let offset = window.taken_bytes;
        let line_bytes = BEFORE_BYTES + brief_bytes + SUM_BYTES;
        let Some((stream, seen, brief)) = window.next(line_bytes)?.and_then(decode) else {
            break;
        };
        each(offset, stream, seen, brief);
        window.take(line_bytes);
    }
    Ok(Some(window.taken_bytes))
}

/// The part of a file that is in memory while the file is read from its beginning.
struct Window<'a> {
    file: &'a File,
    bytes: Box<[u8]>,
    /// The part of the bytes that has been read and not taken.
    unread: Range<usize>,
    read_bytes: u64,
    taken_bytes: u64,
}

impl<'a> Window<'a> {
    fn new(file: &'a File) -> Self {
        Self {
            file,
            bytes: vec![0; READ_BYTES].into(),
            unread: 0..0,
            read_bytes: 0,
            taken_bytes: 0,
        }
    }

    /// The next `count` bytes, at most [`READ_BYTES`]; `None` if the file has fewer.
    fn next(&mut self, count: usize) -> io::Result<Option<&[u8]>> {
        while self.unread.len() < count {
            self.bytes.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
            let room = &mut self.bytes[self.unread.end..];
            match self.file.read_at(room, self.read_bytes) {
                Ok(0) => return Ok(None),
                Ok(read) => {
                    self.unread.end += read;
                    self.read_bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let begin = self.unread.start;
        Ok(Some(&self.bytes[begin..begin + count]))
    }

    /// Goes on behind bytes that [`next`](Self::next) has returned.
    fn take(&mut self, count: usize) {
        self.unread.start += count;
        self.taken_bytes += count as u64;
    }
}

fn decode(line: &[u8]) -> Option<(StreamId, WitnessedHead, &[u8])> {
    let (checked, sum) = line.split_last_chunk::<SUM_BYTES>()?;
    if crc32fast::hash(checked).to_be_bytes() != *sum {
        return None;
    }
    let (_, rest) = checked.split_first_chunk::<2>()?;
    let (stream, rest) = rest.split_first_chunk::<16>()?;
    let (sequence, rest) = rest.split_first_chunk::<8>()?;
    let (mark, brief) = rest.split_first_chunk::<8>()?;
    let seen = WitnessedHead {
        sequence: Sequence(u64::from_be_bytes(*sequence)),
        mark: Mark::from_bytes(*mark),
    };
    Some((StreamId(*stream), seen, brief))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    type Line = (StreamId, WitnessedHead, Vec<u8>);

    fn line(number: u8) -> Line {
        let seen = WitnessedHead {
            sequence: Sequence(number.into()),
            mark: Mark::of(&[number]),
        };
        (StreamId([number; 16]), seen, vec![number; number.into()])
    }

    fn open(folder: &Path) -> (Ended, Vec<Line>) {
        let mut lines = Vec::new();
        let ended = Ended::open(folder, |_, stream, seen, brief| {
            lines.push((stream, seen, brief.to_vec()));
        });
        (ended.unwrap(), lines)
    }

    #[test]
    fn lines_before_damage_are_read_and_others_follow_them() {
        let folder = tempfile::tempdir().unwrap();
        let (ended, lines) = open(folder.path());
        assert_eq!(lines, []);
        for number in 0..4 {
            let (stream, seen, brief) = line(number);
            ended.note(stream, seen, &brief).unwrap();
        }
        let file = folder.path().join(FILE);
        let whole = fs::read(&file).unwrap();
        // The lengths of the lines differ by one from each to the next.
        let line_at = |at: usize| {
            let begin = |number: usize| {
                HEADER.len()
                    + number * (BEFORE_BYTES + SUM_BYTES)
                    + number * number.saturating_sub(1) / 2
            };
            (0..4).rev().find(|number| begin(*number) <= at)
        };
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for damaged in [&flipped[..], &whole[..at]] {
                fs::write(&file, damaged).unwrap();
                let sound = line_at(at).unwrap_or(0);
                let mut expected: Vec<_> = (0..4).map(line).take(sound).collect();
                let (ended, lines) = open(folder.path());
                assert_eq!(lines, expected, "byte {at}");
                let (stream, seen, brief) = line(9);
                ended.note(stream, seen, &brief).unwrap();
                expected.push(line(9));
                let mut again = Vec::new();
                let reread = ended.read(|_, stream, seen, brief| {
                    again.push((stream, seen, brief.to_vec()));
                });
                reread.unwrap();
                assert_eq!(again[..expected.len()], expected, "byte {at}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (ended, _) = open(folder.path());
        let (stream, seen, _) = line(1);
        ended.note(stream, seen, &[0; MAX_BRIEF_BYTES + 1]).unwrap();
        ended.note(stream, seen, &[0; MAX_BRIEF_BYTES]).unwrap();
        assert_eq!(open(folder.path()).1.len(), 1);
    }
}
