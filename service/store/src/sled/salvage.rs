//! Stores that sled refuses, or would cut short.
//!
//! sled 0.34 refuses a whole store over one changed byte of the snapshot from which on it reads its data,
//! or of its configuration, and over a data file that has been cut short. Of one changed byte in what was
//! written last it takes all that follows for the end that a crash leaves, and clears it. So the file is
//! read through before sled sees it, and if something is behind a damaged place that was once durable, or
//! sled refuses the store, every record that is still whole is read without sled, and a new store is made
//! of them. What is lost, the witness tells.

mod message;
mod page;
mod records;
mod varint;

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
};

use self::records::{Records, Scan};
use super::{
    folder::{CONF_FILE, DATA_FILE, Folder, LOCK_FILE, OWNER_ONLY, SNAPSHOT_PREFIX},
    format::{self, Format},
    key,
    witness::Testimony,
};
use crate::Sequence;

/// How the folders are called, with a number, in which the files are kept as they were.
const KEPT_PREFIX: &str = "damaged-";

/// What such a folder is called until all is in it.
const COPYING: &str = "damaged.copying";

/// What the folder is called in which the new store is made.
const NEW: &str = "damaged.new";

/// The mode of a file that nobody but its owner may read.
const OWNER_ONLY_FILE: u32 = 0o600;

/// Records that are written at a time.
const BATCH_RECORDS: usize = 10_000;

/// A folder with a new store in it, and its files as they were.
#[derive(Debug)]
pub(super) struct Salvage {
    folder: PathBuf,
    kept: PathBuf,
    records: usize,
}

/// Whether there is something behind a damaged place in the data that its witness has seen: sled would
/// clear it. What was never durable may be cleared.
pub(super) fn is_needed(folder: &Folder) -> io::Result<bool> {
    let scan = Scan::of(folder.data_file()?)?;
    let Some(hole) = scan.hole else {
        return Ok(false);
    };
    let (all, before) = (scan.records(None)?, scan.records(Some(hole))?);
    let testimony = Testimony::read(folder.path())?.unwrap_or_default();
    let heads = testimony.heads.iter();
    let mut heads = heads.map(|(stream, seen)| key::encode(*stream, seen.sequence));
    Ok(heads.any(|head| all.has(&head) && !before.has(&head)))
}

impl Salvage {
    /// Keeps a copy of the files as they are and makes a new store of the records that are found in them;
    /// none if there are none, and then everything is as it was. Nobody has the store open.
    pub(super) fn begin(folder: &Folder) -> io::Result<Option<Self>> {
        let folder = folder.path().to_owned();
        let scan = Scan::of(File::open(folder.join(DATA_FILE))?)?;
        let records = scan.records(None)?;
        if records.len() == 0 {
            return Ok(None);
        }
        let testimony = Testimony::read(&folder)?.unwrap_or_default();
        let new = folder.join(NEW);
        let prepare = || {
            remove_all(&new)?;
            write_store(&new, &records, &testimony)?;
            keep(&folder)
        };
        let kept = prepare().inspect_err(|_| {
            // On a full disk what is half there only takes room. The error is what matters.
            let _ = remove_all(&new).and(remove_all(&folder.join(COPYING)));
        })?;
        let salvage = Self {
            kept,
            records: records.len(),
            folder,
        };
        salvage.put_in_place(&new)?;
        Ok(Some(salvage))
    }

    /// Where the files are as they were.
    pub(super) fn kept(&self) -> &Path {
        &self.kept
    }

    /// The records that were found.
    pub(super) const fn records(&self) -> usize {
        self.records
    }

    /// Exchanges sled's files. Should that be broken off, what is there is a damaged store again: its
    /// copy has all that is needed to begin anew.
    fn put_in_place(&self, new: &Path) -> io::Result<()> {
        remove_snapshots(&self.folder)?;
        for name in [CONF_FILE, DATA_FILE] {
            fs::rename(new.join(name), self.folder.join(name))?;
        }
        remove_all(new)?;
        sync(&self.folder)
    }

    /// Puts everything back as it was: it was of no use.
    pub(super) fn undo(self) -> io::Result<()> {
        remove_snapshots(&self.folder)?;
        for name in files(&self.kept)? {
            fs::rename(self.kept.join(&name), self.folder.join(&name))?;
        }
        fs::remove_dir(&self.kept)?;
        sync(&self.folder)
    }
}

/// Makes a durable store of these records. What sled takes it for is a snapshot less: it reads all of it
/// when it is opened.
///
/// What comes behind a gap in its stream and was never witnessed was never durable: it is left out.
fn write_store(path: &Path, records: &Records<'_>, testimony: &Testimony) -> io::Result<()> {
    let db = sled::Config::new()
        .path(path)
        .open()
        .map_err(io::Error::from)?;
    Format::write(&db)?;
    let events = format::events(&db)?;
    let mut batch = sled::Batch::default();
    let mut last = None;
    for (count, record) in records.iter().enumerate() {
        let (key, value) = record?;
        let (stream, sequence) = key::decode(&key).map_err(io::Error::other)?;
        if last.is_none_or(|(before, _)| before != stream) {
            last = Some((stream, Sequence(0)));
        }
        let is_next = last.is_some_and(|(_, before)| before.0.checked_add(1) == Some(sequence.0));
        let witnessed = testimony.heads.get(&stream);
        if is_next {
            last = Some((stream, sequence));
        } else if witnessed.is_none_or(|seen| sequence > seen.sequence) {
            continue;
        }
        batch.insert(key.as_slice(), value);
        if (count + 1) % BATCH_RECORDS == 0 {
            events.apply_batch(std::mem::take(&mut batch))?;
        }
    }
    events.apply_batch(batch)?;
    db.flush()?;
    drop(events);
    drop(db);
    // A thread of sled's may hold the file, and with it sled's lock, a moment longer.
    let data = File::open(path.join(DATA_FILE))?;
    data.lock()?;
    data.unlock()?;
    for name in [CONF_FILE, DATA_FILE] {
        File::open(path.join(name))?.sync_all()?;
    }
    Ok(())
}

/// Copies all files, durably, into a folder of their own.
fn keep(folder: &Path) -> io::Result<PathBuf> {
    let copying = folder.join(COPYING);
    remove_all(&copying)?;
    // It outlives the folder that it is in now, so it is private whatever that one is.
    DirBuilder::new().mode(OWNER_ONLY).create(&copying)?;
    for name in files(folder)? {
        fs::copy(folder.join(&name), copying.join(&name))?;
        let copy = File::open(copying.join(&name))?;
        copy.set_permissions(Permissions::from_mode(OWNER_ONLY_FILE))?;
        copy.sync_all()?;
    }
    sync(&copying)?;
    let mut number = 1_u64;
    let mut kept = folder.join(format!("{KEPT_PREFIX}{number}"));
    while kept.exists() {
        number += 1;
        kept = folder.join(format!("{KEPT_PREFIX}{number}"));
    }
    fs::rename(&copying, &kept)?;
    sync(folder)?;
    Ok(kept)
}

fn remove_snapshots(folder: &Path) -> io::Result<()> {
    for name in files(folder)? {
        if name.to_string_lossy().starts_with(SNAPSHOT_PREFIX) {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

/// The names of the files in a folder, but for the one that is locked.
fn files(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != LOCK_FILE {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

/// Removes a folder or file that an earlier try has left.
fn remove_all(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
