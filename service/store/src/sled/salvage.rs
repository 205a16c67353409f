//! A second try at a store that sled refuses.
//!
//! sled 0.34 refuses a whole store over one changed byte of the snapshot from which on it reads its data,
//! of its configuration, or of what was written last. It can do without the snapshot: it then reads all of
//! its data, up to the damaged place, and makes a new one. Its configuration is the same in every store of
//! this program. What the store has lost in the end, the witness tells.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::folder::{CONF_FILE, Folder, LOCK_FILE, SNAPSHOT_PREFIX};

/// How the folders are called, with a number, in which the files are kept as they were.
const KEPT_PREFIX: &str = "damaged-";

/// What such a folder is called until all is in it.
const COPYING: &str = "damaged.copying";

/// A folder in which sled makes its configuration.
const FRESH: &str = "damaged.fresh";

/// A folder changed so that sled may take it, and its files as they were.
#[derive(Debug)]
pub(super) struct Salvage {
    folder: PathBuf,
    kept: PathBuf,
}

impl Salvage {
    /// Keeps a copy of the files as they are, then takes the snapshot away and writes the configuration
    /// anew. Nobody has the store open.
    pub(super) fn begin(folder: &Folder) -> io::Result<Self> {
        let folder = folder.path().to_owned();
        let kept = keep(&folder)?;
        let salvage = Self { folder, kept };
        salvage.change()?;
        Ok(salvage)
    }

    /// Where the files are as they were.
    pub(super) fn kept(&self) -> &Path {
        &self.kept
    }

    fn change(&self) -> io::Result<()> {
        let fresh = self.folder.join(FRESH);
        remove_all(&fresh)?;
        let conf = fresh_configuration(&fresh);
        remove_all(&fresh)?;
        // Written whole, then put in its place: a folder without one would be taken for something else.
        let new = self.folder.join(COPYING);
        fs::write(&new, conf?)?;
        File::open(&new)?.sync_all()?;
        fs::rename(&new, self.folder.join(CONF_FILE))?;
        remove_snapshots(&self.folder)?;
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

/// Copies all files, durably, into a folder of their own.
fn keep(folder: &Path) -> io::Result<PathBuf> {
    let copying = folder.join(COPYING);
    remove_all(&copying)?;
    fs::create_dir(&copying)?;
    for name in files(folder)? {
        fs::copy(folder.join(&name), copying.join(&name))?;
        File::open(copying.join(&name))?.sync_all()?;
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

/// What sled writes as the configuration of a new store.
fn fresh_configuration(path: &Path) -> io::Result<Vec<u8>> {
    let db = sled::Config::new().path(path).open();
    drop(db.map_err(io::Error::other)?);
    fs::read(path.join(CONF_FILE))
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
