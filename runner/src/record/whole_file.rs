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

/// Writes a file that a user has named. A symbolic link stays, and so does a device or a pipe, which gets the bytes.
pub(super) fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_special(path) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    write(&target_of(path)?, bytes, Readers::Usual)
}

/// Finds out whether a file could be written by [`write_named`]. It stays as it is.
pub(super) fn attempt(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_special(path) {
        return Ok(());
    }
    let unfinished = unfinished(&target_of(path)?);
    create(&unfinished, Readers::Usual)?;
    fs::remove_file(&unfinished)
}

/// Returns true if there is something that is no regular file.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// The file to which a symbolic link leads.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path),
        Ok(_) | Err(_) => Ok(path.to_owned()),
    }
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_and_a_device_stay_what_they_are() {
        let place = tempfile::tempdir().unwrap();
        let [file, link, lost] = ["file", "link", "lost"].map(|name| place.path().join(name));
        symlink(&file, &link).unwrap();
        assert!(write_named(&link, b"nothing there").is_err());
        fs::write(&file, "before").unwrap();
        attempt(&link).unwrap();
        write_named(&link, b"after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"after");
        // A link to the device, so that a failure of this test harms nothing but the link.
        symlink("/dev/full", &lost).unwrap();
        let error = write_named(&lost, b"bytes").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
