//! Rewriting the witness with one line for each stream, while it continues to be written.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    os::unix::fs::FileExt,
    path::Path,
    thread::{self, JoinHandle},
};

use super::{
    line::{Line, WitnessedHead},
    testimony::{FILE, Testimony},
};
use crate::StreamId;

/// The name of the file while it is rewritten.
pub(in crate::sled) const NEW_FILE: &str = "heads.new";

/// Bytes that are copied at once from the old file to the new one.
const COPY_BYTES: usize = 64 * 1024;

/// A thread that copies the heads up to an offset of the file into a new file.
#[derive(Debug)]
pub(super) struct Compaction {
    up_to_bytes: u64,
    thread: JoinHandle<io::Result<(File, u64)>>,
}

impl Compaction {
    pub(super) fn start(folder: &Path, up_to_bytes: u64) -> io::Result<Self> {
        let folder = folder.to_owned();
        let thread = thread::Builder::new()
            .name("event-log-heads".to_owned())
            .spawn(move || {
                let mut bytes = fs::read(folder.join(FILE))?;
                bytes.truncate(usize::try_from(up_to_bytes).unwrap_or(usize::MAX));
                write_new(&folder, Testimony::of(&bytes).heads.iter())
            })?;
        Ok(Self {
            up_to_bytes,
            thread,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.thread.is_finished()
    }

    /// Copies what was written to the old file since; returns the new file and its length.
    pub(super) fn finish(self, old: &File, old_len_bytes: u64) -> io::Result<(File, u64)> {
        let (new, mut len_bytes) = self
            .thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that writes it panicked")))?;
        let mut at = self.up_to_bytes;
        let mut bytes = vec![0; COPY_BYTES];
        while at < old_len_bytes {
            let wanted = usize::try_from(old_len_bytes - at).unwrap_or(COPY_BYTES);
            let some = &mut bytes[..wanted.min(COPY_BYTES)];
            old.read_exact_at(some, at)?;
            new.write_all_at(some, len_bytes)?;
            at += some.len() as u64;
            len_bytes += some.len() as u64;
        }
        Ok((new, len_bytes))
    }
}

/// Writes a new, synced file with these heads, under its temporary name.
pub(super) fn write_new(
    folder: &Path,
    heads: impl Iterator<Item = (StreamId, WitnessedHead)>,
) -> io::Result<(File, u64)> {
    let file = File::options()
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .open(folder.join(NEW_FILE))?;
    let mut writer = BufWriter::new(&file);
    let mut len_bytes = 0;
    for (stream, seen) in heads {
        let line = Line { stream, seen }.encode();
        writer.write_all(&line)?;
        len_bytes += line.len() as u64;
    }
    writer.flush()?;
    drop(writer);
    file.sync_all()?;
    Ok((file, len_bytes))
}
