//! The folder of a log: checked to be one, and locked for this process.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, TryLockError},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use super::{OpenError, data_length::DataLength, ended, journal, witness};

/// The file that a process locks while it uses the folder. It is empty until a log has begun in the
/// folder, and then holds [`BEGUN`] and the length of sled's data file.
const LOCK_FILE: &str = "lock";

/// The content of the lock file once a log has begun.
const BEGUN: &[u8] = b"An event log of Dragontooth.\n";

/// Entries that a folder without records may have: those that an interrupted first start leaves, and
/// that of the root of a file system.
const NEUTRAL_NAMES: [&str; 8] = [
    "blobs",
    "lost+found",
    UNFINISHED_FILE,
    witness::NEW_FILE,
    TRIAL_FOLDER,
    journal::FILES[0],
    journal::FILES[1],
    ended::FILE,
];

/// The folder of a copy that is opened to try it.
const TRIAL_FOLDER: &str = "trial";

/// sled's data file.
const DATA_FILE: &str = "db";

/// sled's configuration file, which it writes first.
const CONF_FILE: &str = "conf";

/// The file that marks a folder until a whole backup has been restored there.
const UNFINISHED_FILE: &str = "restoring";

/// The beginning of the names of sled's snapshots, which it derives from its data.
const SNAPSHOT_PREFIX: &str = "snap.";

/// The end of a snapshot's name while sled writes it.
const HALF_WRITTEN_SUFFIX: &str = ".generating";

/// The mode of a folder that only its owner may open.
const OWNER_ONLY: u32 = 0o700;

/// A folder locked for this process until it is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Creates the folder if it is missing, and locks it.
    pub(super) fn claim(path: &Path) -> Result<Self, OpenError> {
        Self::check_finished(path)?;
        Self::claim_unfinished(path)
    }

    /// Refuses a folder that is marked as unfinished.
    pub(super) fn check_finished(path: &Path) -> Result<(), OpenError> {
        if path.join(UNFINISHED_FILE).exists() {
            return Err(OpenError::Unfinished {
                path: path.to_owned(),
            });
        }
        Ok(())
    }

    /// Marks a folder, which is created if it is missing, as unfinished.
    pub(super) fn mark_unfinished(path: &Path) -> Result<(), OpenError> {
        let marked = || {
            match create(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
            File::create(path.join(UNFINISHED_FILE))?.sync_all()?;
            File::open(path)?.sync_all()
        };
        marked().map_err(|source| OpenError::Access {
            path: path.to_owned(),
            source,
        })
    }

    /// Removes that mark, durably.
    pub(super) fn unmark(path: &Path) -> io::Result<()> {
        fs::remove_file(path.join(UNFINISHED_FILE))?;
        File::open(path)?.sync_all()
    }

    /// As [`claim`](Self::claim), for a folder that may be marked as unfinished.
    pub(super) fn claim_unfinished(path: &Path) -> Result<Self, OpenError> {
        let access = |source| OpenError::Access {
            path: path.to_owned(),
            source,
        };
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => {
                return Err(OpenError::NotAFolder {
                    path: path.to_owned(),
                });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(access)?;
            }
            Err(error) => return Err(access(error)),
        }
        refuse_foreign(path)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path.join(LOCK_FILE))
            .map_err(access)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                lock,
            }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
                path: path.to_owned(),
            }),
            Err(TryLockError::Error(error)) => Err(access(error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if a log has begun here before: then an empty store is a damaged one.
    pub(super) fn has_begun(&self) -> io::Result<bool> {
        Ok(self.is_marked()? || has_bytes(&self.path.join(witness::FILE))?)
    }

    fn is_marked(&self) -> io::Result<bool> {
        Ok(self.lock.metadata()?.len() > 0)
    }

    /// Notes, durably, that a log has begun.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        if !self.is_marked()? {
            self.lock.write_all(BEGUN)?;
            self.lock.sync_all()?;
        }
        Ok(())
    }

    /// The note of the length of sled's data file.
    pub(super) fn data_length(&self) -> io::Result<DataLength> {
        let file = self.lock.try_clone()?;
        Ok(DataLength::in_file(file, BEGUN.len() as u64))
    }

    /// Returns true if sled's data file is shorter than it was, or missing.
    pub(super) fn is_cut(&self) -> io::Result<bool> {
        let len_bytes = match fs::metadata(self.path.join(DATA_FILE)) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        Ok(self.data_length()?.is_cut(len_bytes))
    }

    /// Makes a folder in this one for a copy of the log, in which a log has begun.
    pub(super) fn make_trial(&self) -> io::Result<PathBuf> {
        let path = self.path.join(TRIAL_FOLDER);
        DirBuilder::new().mode(OWNER_ONLY).create(&path)?;
        fs::write(path.join(LOCK_FILE), BEGUN)?;
        Ok(path)
    }

    /// Removes that folder, which a process that was killed leaves.
    pub(super) fn remove_trial(&self) -> io::Result<()> {
        match fs::remove_dir_all(self.path.join(TRIAL_FOLDER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The names of the files of the log but for the lock.
    pub(super) fn names_of_log(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let is_snapshot = name.to_string_lossy().starts_with(SNAPSHOT_PREFIX);
            let is_journal = journal::FILES.iter().any(|file| name == *file);
            let is_other = [DATA_FILE, CONF_FILE, witness::FILE, ended::FILE]
                .iter()
                .any(|file| name == *file);
            if is_snapshot || is_journal || is_other {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Removes the snapshot that sled was writing when its process was killed. sled 0.34 would read it as a
    /// whole file and refuse to open the store.
    pub(super) fn remove_half_written(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(SNAPSHOT_PREFIX) && name.ends_with(HALF_WRITTEN_SUFFIX) {
                fs::remove_file(self.path.join(&*name))?;
            }
        }
        Ok(())
    }

    /// Lets the next reads of sled's data file come from the disk, unless that has all of the file.
    ///
    /// Linux keeps what it could not write in its cache, as if it were written. Records that are only there would count
    /// as moved, and the journal, which alone has them, would be emptied. A log that was closed leaves an empty journal,
    /// and a failure after that is one of this sync: then a start need not read the whole file from the disk.
    pub(super) fn forget_unwritten(&self) -> io::Result<()> {
        let file = match File::open(self.path.join(DATA_FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // Only what is not waiting to be written can leave the cache.
        let is_synced = file.sync_data().is_ok();
        let mut is_closed = true;
        for name in journal::FILES {
            is_closed &= !has_bytes(&self.path.join(name))?;
        }
        if !(is_synced && is_closed)
            && let Err(error) = forget_cached(&file)
        {
            tracing::warn!(%error, "the store is read from the system's cache, which may have what the disk lacks");
        }
        Ok(())
    }

    /// Another handle on sled's data file, which is created if it is missing.
    pub(super) fn data_file(&self) -> io::Result<File> {
        File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(self.path.join(DATA_FILE))
    }

    /// Makes the folder's entries and sled's configuration durable, which sled does not.
    pub(super) fn sync(&self) -> io::Result<()> {
        File::open(self.path.join(CONF_FILE))?.sync_all()?;
        File::open(&self.path)?.sync_all()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that is just being started may hold a copy of it.
        let _ = self.lock.unlock();
    }
}

/// Removes what is not waiting to be written from the system's cache of a file.
#[cfg(target_os = "linux")]
fn forget_cached(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(
        file,
        0,
        None,
        rustix::fs::Advice::DontNeed,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn forget_cached(_: &File) -> io::Result<()> {
    Ok(())
}

/// Creates a folder with its parents, durably.
fn create(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.exists())
        .collect();
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    // The events of a match in progress reveal its seed.
    DirBuilder::new().mode(OWNER_ONLY).create(path)?;
    for folder in missing.iter().filter_map(|folder| folder.parent()) {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Refuses a folder that is not a log's, before anything is written to it.
///
/// A log's folder has sled's data and two of its other files: sled's configuration, the lock file, the witness.
/// sled and the format then judge the data. A folder without data may have the files that an interrupted first
/// start leaves; copies of a journal belong to a log that has other files.
fn refuse_foreign(path: &Path) -> Result<(), OpenError> {
    let access = |source| OpenError::Access {
        path: path.to_owned(),
        source,
    };
    let (mut has_data, mut others, mut foreign, mut copy) = (false, 0, None, None);
    for entry in fs::read_dir(path).map_err(access)? {
        let entry = entry.map_err(access)?;
        let name = entry.file_name();
        if name == DATA_FILE {
            has_data = entry.metadata().map_err(access)?.len() > 0;
        } else if name == CONF_FILE || name == LOCK_FILE || name == witness::FILE {
            others += 1;
        } else if name.to_string_lossy().starts_with(SNAPSHOT_PREFIX) {
            // A first start may have been interrupted just then.
        } else if journal::is_copy(&name.to_string_lossy()) {
            copy = Some(name.to_string_lossy().into_owned());
        } else if !NEUTRAL_NAMES.iter().any(|neutral| name == *neutral) {
            foreign = Some(name.to_string_lossy().into_owned());
        }
    }
    foreign = foreign.or(copy.filter(|_| others < 2));
    let is_ours = has_data && others >= 2;
    if has_data && !is_ours {
        foreign = Some(DATA_FILE.to_owned());
    }
    match foreign {
        Some(found) if !is_ours => Err(OpenError::Foreign {
            path: path.to_owned(),
            found,
        }),
        Some(_) | None => Ok(()),
    }
}

/// Returns true if the file exists and is not empty.
fn has_bytes(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.len() > 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
