//! The journal: two files, to one of which each group is written and synced before anything else.
//!
//! Appending to a file costs a small part of what sled takes for the same records. When a file is full, the groups that
//! follow go to the other one, and the records of the full one are moved into sled, many at once; then it is used
//! again from its beginning. So both together have all that is not durable in sled, and what the opening finds in
//! them it moves there first.

mod frame;

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use super::record::Record;

/// The names of the files.
pub(super) const FILES: [&str; 2] = ["journal.0", "journal.1"];

/// Returns true for the name of a copy that [`Journal::keep`] made.
pub(super) fn is_copy(name: &str) -> bool {
    FILES.iter().any(|file| {
        let end = name.strip_prefix(file);
        let time = end.and_then(|end| end.strip_prefix('.'));
        time.is_some_and(|time| time.parse::<u64>().is_ok())
    })
}

/// Bytes by which a file grows, in zeros that are overwritten later: syncing a file that does not grow is quicker.
const GROWTH_BYTES: u64 = 512 * 1024;

/// The open files, locked with their folder.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    files: [File; 2],
    /// The length at which a file is full.
    full_bytes: u64,
    len_bytes: [u64; 2],
    /// The index of the file that is written.
    current: usize,
    /// Counts the uses of the files: the frames of an earlier use, behind those of this one, have another number.
    generation: u64,
    at: u64,
    frame: Vec<u8>,
}

impl Journal {
    /// Opens the files in the folder, creates those that are missing, and returns the records in them in the order in
    /// which they were written. They remain there until [`clear`](Self::clear), before which nothing may be written.
    pub(super) fn open(folder: &Path, full_bytes: u64) -> io::Result<(Self, Vec<Record>)> {
        let open = |name| {
            File::options()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(folder.join(name))
        };
        let [first, second] = FILES;
        let files = [open(first)?, open(second)?];
        let mut uses = Vec::new();
        for file in &files {
            let len_bytes = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            let mut bytes = vec![0; len_bytes];
            file.read_exact_at(&mut bytes, 0)?;
            uses.extend(frame::read(&bytes));
        }
        uses.sort_by_key(|used| used.generation);
        let last = uses.last().map_or(0, |used| used.generation);
        let journal = Self {
            folder: folder.to_owned(),
            files,
            full_bytes,
            len_bytes: [0; 2],
            current: 0,
            generation: last.saturating_add(1),
            at: 0,
            frame: Vec::new(),
        };
        let records = uses.into_iter().flat_map(|used| used.records).collect();
        Ok((journal, records))
    }

    /// Returns true if the file that is written has room for these records.
    pub(super) fn has_room_for(&self, records: &[Record]) -> bool {
        self.at + frame::len_bytes(records) <= self.full_bytes
    }

    /// Continues at the beginning of the other file, whose records sled has, after a [`sync`](Self::sync).
    pub(super) fn turn(&mut self) {
        self.current = 1 - self.current;
        self.generation += 1;
        self.at = 0;
    }

    /// Writes records, all or none of them, which are durable after the next [`sync`](Self::sync).
    ///
    /// After an error nothing more may be written.
    pub(super) fn write(&mut self, records: &[Record]) -> io::Result<()> {
        frame::encode(self.generation, records, &mut self.frame);
        let end = self.at + self.frame.len() as u64;
        let file = &self.files[self.current];
        let len_bytes = &mut self.len_bytes[self.current];
        if end > *len_bytes {
            let longer = (end + GROWTH_BYTES).min(self.full_bytes).max(end);
            let zeros = vec![0; usize::try_from(longer - end).unwrap_or(0)];
            file.write_all_at(&zeros, end)?;
            *len_bytes = longer;
        }
        file.write_all_at(&self.frame, self.at)?;
        self.at = end;
        Ok(())
    }

    /// Makes the records durable that were written since the last [`turn`](Self::turn).
    pub(super) fn sync(&self) -> io::Result<()> {
        self.files[self.current].sync_data()
    }

    /// Copies both files, durably, to others beside them with the time in their names, which it returns.
    pub(super) fn keep(&self) -> io::Result<[PathBuf; 2]> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.map_or(0, |now| now.as_secs());
        let copies = FILES.map(|name| self.folder.join(format!("{name}.{seconds}")));
        for (name, copy) in FILES.iter().zip(&copies) {
            fs::copy(self.folder.join(name), copy)?;
            File::open(copy)?.sync_all()?;
        }
        File::open(&self.folder)?.sync_all()?;
        Ok(copies)
    }

    /// Empties both files, whose records sled has.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        for file in &self.files {
            file.set_len(0)?;
        }
        self.len_bytes = [0; 2];
        self.turn();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use dragontooth_service_vocabulary::Sequence;

    use super::*;
    use crate::StreamId;

    const FULL_BYTES: u64 = 1_000_000;

    fn records(sequences: impl Iterator<Item = u64>) -> Vec<Record> {
        sequences
            .map(|sequence| (StreamId([3; 16]), Sequence(sequence), vec![5; 1000]))
            .collect()
    }

    fn open(folder: &Path) -> (Journal, Vec<Record>) {
        Journal::open(folder, FULL_BYTES).unwrap()
    }

    fn sequences(folder: &Path) -> Vec<u64> {
        let (_, read) = open(folder);
        read.into_iter()
            .map(|(_, sequence, _)| sequence.0)
            .collect()
    }

    #[test]
    fn what_was_written_is_read_in_its_order_across_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, read) = open(folder.path());
        assert_eq!(read, []);
        let mut written = 0;
        let mut turns = 0;
        while turns < 4 {
            let group = records(written + 1..=written + 100);
            if journal.has_room_for(&group) {
                journal.write(&group).unwrap();
                written += 100;
            } else {
                journal.turn();
                turns += 1;
            }
        }
        let read = sequences(folder.path());
        let first = read[0];
        assert!(read.iter().copied().eq(first..=written));
        // The first use of each file has been overwritten.
        assert!(first > written / 3, "{first} to {written}");
        let lengths = FILES.map(|name| fs::metadata(folder.path().join(name)).unwrap().len());
        assert!(lengths.iter().all(|length| *length <= FULL_BYTES));
    }

    #[test]
    fn a_cleared_journal_is_empty_and_continues() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = open(folder.path());
        journal.write(&records(1..=3)).unwrap();
        journal.clear().unwrap();
        assert_eq!(sequences(folder.path()), [0; 0]);
        journal.write(&records(4..=5)).unwrap();
        assert_eq!(sequences(folder.path()), [4, 5]);
    }

    #[test]
    fn frames_of_an_earlier_use_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = open(folder.path());
        for sequence in 1..=10 {
            journal.write(&records(sequence..=sequence)).unwrap();
        }
        journal.turn();
        journal.write(&records(11..=11)).unwrap();
        journal.turn();
        // As long as those that it overwrites.
        journal.write(&records(12..=12)).unwrap();
        assert_eq!(sequences(folder.path()), [11, 12]);
    }

    #[test]
    fn damage_costs_the_group_or_what_follows_it_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = open(folder.path());
        for sequence in 1..=3 {
            journal.write(&records(sequence..=sequence)).unwrap();
        }
        let path = folder.path().join(FILES[0]);
        let whole = fs::read(&path).unwrap();
        let frame = usize::try_from(frame::len_bytes(&records(1..=1))).unwrap();
        for bit in (0..3 * frame * 8).step_by(7) {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &damaged).unwrap();
            let (in_frame, at) = (bit / 8 / frame, bit / 8 % frame);
            let expected: &[u64] = match (in_frame, at < frame::HEADER_BYTES) {
                (0, false) => &[2, 3],
                (1, false) => &[1, 3],
                (0, true) => &[],
                (1, true) => &[1],
                _ => &[1, 2],
            };
            assert_eq!(sequences(folder.path()), expected, "bit {bit}");
        }
        for length in (0..3 * frame).step_by(11) {
            fs::write(&path, &whole[..length]).unwrap();
            let whole_frames = (length / frame) as u64;
            assert!(sequences(folder.path()).into_iter().eq(1..=whole_frames));
        }
    }
}
