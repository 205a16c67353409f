use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The readers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readers {
    /// The default of the process.
    Usual,
    /// Its owner alone.
    Owner,
}

/// The suffix of a file while it is being written.
pub(super) const UNFINISHED: &str = ".unfinished";

/// Writes a file so that it is on the disk whole or not at all.
pub(super) fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let unfinished = unfinished(path);
    let mut file = create(&unfinished, readers)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    sync_folder_of(path)
}

/// Finds out whether a file could be written so. It stays as it is.
pub(super) fn attempt(path: &Path, readers: Readers) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let unfinished = unfinished(path);
    create(&unfinished, readers)?;
    fs::remove_file(&unfinished)
}

/// Creates a file in place of one that an earlier runner has left, whose readers may be others.
fn create(path: &Path, readers: Readers) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    options(readers).open(path)
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(UNFINISHED);
    PathBuf::from(name)
}

/// Makes sure that the names in the folder of `path` are on the disk.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(folder) => sync_folder(folder),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn options(readers: Readers) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if readers == Readers::Owner {
        options.mode(0o600);
    }
    options
}

#[cfg(not(unix))]
fn options(_: Readers) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}
