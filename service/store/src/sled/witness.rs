//! The witness: a plain file beside sled with the head of each stream.
//!
//! sled silently drops what follows a damaged place in its file, and then opens an older, shorter log. So after
//! every group, before it answers any append, the writer notes the new heads here; opening the log compares.
//!
//! A line is written after its records are synced, never before. So the witness may lag behind sled, by what was
//! written between the sync and a crash, but it never leads: it has no record that was not durable. That is why it
//! is not synced, which would double the price of an append: a loss of power may cost its last lines, and the
//! others stay true. Damaged lines are skipped.

mod compaction;
mod head_table;
mod line;
mod testimony;

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use self::{compaction::Compaction, line::Line};
pub(super) use self::{
    compaction::NEW_FILE,
    head_table::HeadTable,
    line::{Mark, WitnessedHead},
    testimony::{FILE, Testimony},
};
use super::record::Record;
use crate::StreamId;

/// Bytes up to which the witness grows without being rewritten.
const MIN_COMPACTION_BYTES: u64 = 16 * 1024 * 1024;

/// Factor by which the witness may grow after a compaction.
const MAX_GROWTH: u64 = 4;

/// The open file, at its end.
#[derive(Debug)]
pub(super) struct Witness {
    folder: PathBuf,
    file: File,
    len_bytes: u64,
    compact_at_bytes: u64,
    compaction: Option<Compaction>,
    lines: Vec<u8>,
    is_failing: bool,
}

impl Witness {
    /// Rewrites the whole file with these heads and continues at its end.
    pub(super) fn begin(
        folder: &Path,
        heads: impl Iterator<Item = (StreamId, WitnessedHead)>,
    ) -> io::Result<Self> {
        let (file, len_bytes) = compaction::write_new(folder, heads)?;
        fs::rename(folder.join(NEW_FILE), folder.join(FILE))?;
        File::open(folder)?.sync_all()?;
        Ok(Self {
            folder: folder.to_owned(),
            file,
            len_bytes,
            compact_at_bytes: compact_at(len_bytes),
            compaction: None,
            lines: Vec::new(),
            is_failing: false,
        })
    }

    /// Remembers the new heads after these records, until they are durable.
    pub(super) fn remember(&mut self, records: &[Record]) {
        for (at, (stream, sequence, record)) in records.iter().enumerate() {
            // The records of an append are adjacent, and only the last one is a head.
            if records.get(at + 1).is_some_and(|next| next.0 == *stream) {
                continue;
            }
            let seen = WitnessedHead {
                sequence: *sequence,
                mark: Mark::of(record),
            };
            let line = Line {
                stream: *stream,
                seen,
            };
            self.lines.extend_from_slice(&line.encode());
        }
    }

    /// Notes the heads that were remembered, in one write: all their records are durable now.
    ///
    /// A failure only makes the witness lag, so the append still succeeds; the failure is logged once.
    pub(super) fn note(&mut self) {
        // At an explicit offset, so that the next write overwrites what a failed one left.
        let written = self
            .file
            .write_all_at(&self.lines, self.len_bytes)
            .map(|()| self.len_bytes += self.lines.len() as u64)
            .and_then(|()| self.compact());
        if let Err(error) = &written
            && !self.is_failing
        {
            tracing::warn!(%error, "cannot write the witness of the heads, which lags now");
        }
        self.lines.clear();
        self.is_failing = written.is_err();
    }

    /// Starts to rewrite the file when it has grown, and switches to the new one when it is complete.
    fn compact(&mut self) -> io::Result<()> {
        if let Some(compaction) = self.compaction.take_if(|running| running.is_done()) {
            self.compact_at_bytes = compact_at(self.len_bytes);
            let (file, len_bytes) = compaction.finish(&self.file, self.len_bytes)?;
            fs::rename(self.folder.join(NEW_FILE), self.folder.join(FILE))?;
            self.file = file;
            self.len_bytes = len_bytes;
            self.compact_at_bytes = compact_at(len_bytes);
        } else if self.compaction.is_none() && self.len_bytes >= self.compact_at_bytes {
            self.compaction = Some(Compaction::start(&self.folder, self.len_bytes)?);
        }
        Ok(())
    }
}

fn compact_at(len_bytes: u64) -> u64 {
    (len_bytes * MAX_GROWTH).max(MIN_COMPACTION_BYTES)
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::Sequence;

    use super::line::LEN_BYTES;
    use super::*;

    const ONE: StreamId = StreamId([1; 16]);
    const OTHER: StreamId = StreamId([2; 16]);

    fn record(stream: StreamId, sequence: u64) -> Record {
        let bytes = sequence.to_be_bytes();
        (stream, Sequence(sequence), bytes.as_slice().into())
    }

    fn seen(sequence: u64) -> WitnessedHead {
        WitnessedHead {
            sequence: Sequence(sequence),
            mark: Mark::of(&sequence.to_be_bytes()),
        }
    }

    #[test]
    fn the_last_head_of_each_stream_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Testimony::read(folder.path()).unwrap().is_none());
        let mut witness = Witness::begin(folder.path(), [(ONE, seen(4))].into_iter()).unwrap();
        witness.remember(&[
            record(ONE, 5),
            record(ONE, 6),
            record(OTHER, 1),
            record(ONE, 7),
        ]);
        witness.note();
        witness.remember(&[record(OTHER, 2)]);
        witness.note();
        witness.remember(&[record(OTHER, 3)]);
        let read = Testimony::read(folder.path()).unwrap().unwrap();
        assert_eq!(read.damaged_lines, 0);
        assert_eq!(
            read.heads,
            HeadTable::from_iter([(ONE, seen(7)), (OTHER, seen(2))])
        );
    }

    #[test]
    fn a_damaged_line_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let mut witness = Witness::begin(folder.path(), std::iter::empty()).unwrap();
        for sequence in 1..=3 {
            witness.remember(&[record(ONE, sequence)]);
            witness.note();
        }
        let whole = fs::read(folder.path().join(FILE)).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let last = if bit / 8 / LEN_BYTES == 2 { 2 } else { 3 };
            let read = Testimony::of(&damaged);
            assert_eq!(read.damaged_lines, 1, "bit {bit}");
            assert_eq!(read.heads, HeadTable::from_iter([(ONE, seen(last))]));
        }
        for length in 0..whole.len() {
            let read = Testimony::of(&whole[..length]);
            assert_eq!(read.damaged_lines, usize::from(length % LEN_BYTES > 0));
            let last = (length / LEN_BYTES) as u64;
            assert_eq!(read.heads.get(ONE), (last > 0).then(|| seen(last)).as_ref());
        }
        assert_eq!(Testimony::of(&vec![0; 10 * LEN_BYTES]).damaged_lines, 10);
    }

    #[test]
    fn what_is_noted_during_a_rewrite_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut witness = Witness::begin(folder.path(), [(OTHER, seen(9))].into_iter()).unwrap();
        witness.compact_at_bytes = 500_000;
        let per_note = 100_u64;
        let mut sequence = 0;
        let mut before = 0;
        while witness.len_bytes >= before {
            before = witness.len_bytes;
            // The streams alternate, so that each record is a separate append with its line.
            let notes: Vec<_> = (0..per_note)
                .flat_map(|more| {
                    let next = sequence + more + 1;
                    [record(ONE, next), record(StreamId([3; 16]), next)]
                })
                .collect();
            sequence += per_note;
            witness.remember(&notes);
            witness.note();
        }
        assert!(!witness.is_failing);
        let read = Testimony::read(folder.path()).unwrap().unwrap();
        let expected = [(ONE, sequence), (OTHER, 9), (StreamId([3; 16]), sequence)];
        let expected = expected.map(|(stream, last)| (stream, seen(last)));
        assert_eq!(read.heads, HeadTable::from_iter(expected));
        assert_eq!(read.damaged_lines, 0);
    }
}
