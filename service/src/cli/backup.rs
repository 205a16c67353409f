use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use dragontooth_games::counted;
use dragontooth_service_client::ClientError;
use dragontooth_service_store::{
    Backup as LogBackup, BackupCounts, BackupError, EventLog, RESERVED_STREAM, ReadError, StreamId,
    check_backup,
};
use dragontooth_service_vocabulary::Sequence;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tokio::runtime::Runtime;
use uuid::Uuid;

use super::log_location::{LogLocation, OfflineLogError};
use super::output::{fail, print};
use super::service_location::ConnectError;
use super::{EXIT_DAMAGED, EXIT_NOT_STARTED, EXIT_REFUSED, EXIT_STOPPED};
use crate::wall_clock::WallClock;

/// The arguments of `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    #[command(flatten)]
    location: LogLocation,
    /// The file to write; there must be none of that name.
    #[arg(long)]
    out: PathBuf,
}

/// The backup was not written.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error("there is already a file {}", .0.display())]
    Exists(PathBuf),
    #[error("cannot write the backup")]
    Write(#[from] io::Error),
    #[error(transparent)]
    Open(#[from] OfflineLogError),
    #[error("cannot read the event log")]
    Read(#[from] ReadError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the service does not send the backup")]
    Fetch(#[from] ClientError),
    #[error("the written backup is not whole")]
    Check(#[from] BackupError),
}

pub(super) fn run(backup: &Backup) -> ExitCode {
    match write(backup) {
        Ok((counts, damaged)) => report("backed up", counts, &damaged),
        Err(error) => {
            let code = match &error {
                WriteError::Connect(error) => error.exit_code(),
                WriteError::Fetch(_) => EXIT_REFUSED,
                WriteError::Exists(_)
                | WriteError::Write(_)
                | WriteError::Open(_)
                | WriteError::Read(_)
                | WriteError::Check(_) => EXIT_NOT_STARTED,
            };
            fail(code, &error)
        }
    }
}

/// Says what a backup holds and what it lacks.
pub(super) fn report(
    done: &str,
    counts: BackupCounts,
    damaged: &[(StreamId, Sequence)],
) -> ExitCode {
    let mut text = String::new();
    for (stream, from) in damaged {
        let what = if *stream == RESERVED_STREAM {
            "the tokens and blocks".to_owned()
        } else {
            format!("stream {stream}")
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{what}: damaged from event {from} on, not in the backup"
        );
    }
    let BackupCounts {
        streams, records, ..
    } = counts;
    let (streams, events) = (counted(streams, "stream"), counted(records, "event"));
    let _ = writeln!(text, "{done} {streams} with {events}");
    print(&text);
    ExitCode::from(if damaged.is_empty() {
        EXIT_STOPPED
    } else {
        EXIT_DAMAGED
    })
}

/// Writes under another name, reads it all again, and only then gives it its name.
fn write(backup: &Backup) -> Result<(BackupCounts, Vec<(StreamId, Sequence)>), WriteError> {
    if backup.out.exists() {
        return Err(WriteError::Exists(backup.out.clone()));
    }
    let runtime = Runtime::new()?;
    // Before the file is there, which may be in the folder.
    let log = match backup.location.offline() {
        Some(offline) => Some(runtime.block_on(offline.open())?),
        None => None,
    };
    let mut part = backup.out.clone().into_os_string();
    // A name of its own: another backup may be written to the same file.
    part.push(format!(".{}.part", Uuid::new_v4().simple()));
    let part = PathBuf::from(part);
    let written = runtime.block_on(write_part(backup, log, &part));
    let written = written.and_then(|()| Ok(check_backup(&part)?));
    match written {
        Ok(found) => {
            if let Err(error) = name(&part, &backup.out) {
                let _ = fs::remove_file(&part);
                return Err(error);
            }
            let folder = backup
                .out
                .parent()
                .filter(|path| !path.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
            Ok(found)
        }
        Err(error) => {
            // What is left of it is of no use; that it cannot be removed is not what went wrong.
            let _ = fs::remove_file(&part);
            Err(error)
        }
    }
}

/// Gives a file its name, which no file must have.
fn name(part: &Path, out: &Path) -> Result<(), WriteError> {
    let named = match fs::hard_link(part, out) {
        Ok(()) => fs::remove_file(part),
        // The file system has no links, or a file of that name, which is found here too.
        Err(_) => rename_only(part, out),
    };
    named.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            WriteError::Exists(out.to_owned())
        } else {
            error.into()
        }
    })
}

/// Renames a file unless there is one of that name.
fn rename_only(part: &Path, out: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, part, CWD, out, RenameFlags::NOREPLACE)?)
}

async fn write_part(
    backup: &Backup,
    log: Option<Arc<dyn EventLog>>,
    part: &Path,
) -> Result<(), WriteError> {
    // It holds the seeds of matches that are still played.
    let mut owned = File::options();
    owned.write(true).create_new(true).mode(0o600);
    let mut output = BufWriter::new(owned.open(part)?);
    match log {
        Some(log) => read(log, &mut output).await?,
        None => fetch(&backup.location, &mut output).await?,
    }
    let file = output
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    Ok(file.sync_all()?)
}

async fn read(log: Arc<dyn EventLog>, output: &mut impl Write) -> Result<(), WriteError> {
    let now = WallClock::start().now();
    let mut backup = LogBackup::new(log, now, env!("CARGO_PKG_VERSION"));
    while let Some(chunk) = backup.next_chunk().await? {
        output.write_all(&chunk)?;
    }
    Ok(())
}

/// Has a running service send the backup.
async fn fetch(location: &LogLocation, output: &mut impl Write) -> Result<(), WriteError> {
    let mut chunks = location.connect().await?.backup().await?;
    while let Some(chunk) = chunks.next().await? {
        output.write_all(&chunk)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A file that was made while the backup was written stays as it is, and so does a link to nowhere.
    #[test]
    fn a_backup_takes_no_name_that_there_is() {
        let place = tempfile::tempdir().unwrap();
        let [part, out, link, other] =
            ["part", "out", "link", "other"].map(|file| place.path().join(file));
        fs::write(&part, "new").unwrap();
        fs::write(&out, "old").unwrap();
        symlink(place.path().join("nothing"), &link).unwrap();
        for taken in [&out, &link] {
            assert!(matches!(name(&part, taken), Err(WriteError::Exists(path)) if path == *taken));
            let renamed = rename_only(&part, taken).unwrap_err();
            assert_eq!(renamed.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&part).unwrap(), b"new");
        }
        assert_eq!(fs::read(&out).unwrap(), b"old");
        assert!(fs::read_link(&link).is_ok());
        name(&part, &other).unwrap();
        rename_only(&other, &part).unwrap();
        assert_eq!(fs::read(&part).unwrap(), b"new");
        assert!(!other.exists());
    }
}
