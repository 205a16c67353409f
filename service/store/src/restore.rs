//! Restoring a backup into a new log.

use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use dragontooth_service_vocabulary::Sequence;
use futures::future::join_all;

use crate::{
    AppendError, BackupCounts, BackupError, BackupPart, BackupReader, EventLog, MAX_APPEND_BYTES,
    MAX_APPEND_RECORDS, OpenError, SledLog, SledOptions, StreamId,
};

/// The one entry of a folder that still counts as empty: the root of a file system has it.
const NEUTRAL_NAME: &str = "lost+found";

/// Number of appends in flight at once.
const APPENDS_AT_ONCE: usize = 512;

/// A backup was not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The backup is not whole, or cannot be read. Nothing was written.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The folder has something in it.
    #[error("the folder {} is not empty; name a new one", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder cannot be used.
    #[error("cannot use the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The log cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A record cannot be written.
    #[error("the log cannot be written")]
    Append(#[from] AppendError),
}

/// Reads a backup to its end; returns its counts and the damaged streams that it leaves out, each with its first
/// damaged sequence.
///
/// # Errors
///
/// It is not whole or has been changed.
pub fn check_backup(file: &Path) -> Result<(BackupCounts, Vec<(StreamId, Sequence)>), BackupError> {
    let mut reader = open(file)?;
    let mut damaged = Vec::new();
    while let Some(part) = reader.next_part()? {
        if let BackupPart::Damaged(stream, from) = part {
            damaged.push((stream, from));
        }
    }
    Ok((reader.counts(), damaged))
}

/// Restores the backup `file` into a log in `folder`, which must be empty or missing.
///
/// The backup is read to its end before anything is written, and checked again while it is written. The folder is
/// marked as unfinished until everything is durable, and no log opens there meanwhile. Returns what
/// [`check_backup`] does.
///
/// # Errors
///
/// See [`RestoreError`]. What has been written to the folder stays there, marked.
pub async fn restore(
    file: &Path,
    folder: &Path,
) -> Result<(BackupCounts, Vec<(StreamId, Sequence)>), RestoreError> {
    let checked = check_backup(file)?;
    let failed = |source| RestoreError::Folder {
        path: folder.to_owned(),
        source,
    };
    SledLog::check_restored(folder)?;
    if !is_empty_folder(folder).map_err(failed)? {
        return Err(RestoreError::NotEmpty {
            path: folder.to_owned(),
        });
    }
    let log = SledLog::begin_restore(folder, &SledOptions::default())?;
    copy_backup(file, &log).await?;
    log.close().await;
    drop(log);
    SledLog::end_restore(folder).map_err(failed)?;
    Ok(checked)
}

/// Appends all that the backup `file` holds to an empty log.
///
/// # Errors
///
/// The backup is not whole, or the log refuses a record. What has been appended stays there.
pub async fn copy_backup(file: &Path, log: &dyn EventLog) -> Result<(), RestoreError> {
    copy(&mut open(file)?, log).await
}

fn open(file: &Path) -> Result<BackupReader<BufReader<File>>, BackupError> {
    // Before it is opened, which waits for the writer of a pipe.
    if !fs::metadata(file).map_err(BackupError::Read)?.is_file() {
        return Err(BackupError::NotAFile);
    }
    let file = File::open(file).map_err(BackupError::Read)?;
    BackupReader::new(BufReader::new(file))
}

/// Returns true if a folder is empty or missing.
///
/// # Errors
///
/// It cannot be read.
pub fn is_empty_folder(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                if entry?.file_name() != NEUTRAL_NAME {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// An append that is being gathered.
struct Gathered {
    stream: StreamId,
    head: Sequence,
    records: Vec<Vec<u8>>,
    len_bytes: usize,
}

async fn copy(
    backup: &mut BackupReader<BufReader<File>>,
    log: &dyn EventLog,
) -> Result<(), RestoreError> {
    let mut waiting: Vec<Vec<Gathered>> = Vec::new();
    let mut count = 0;
    let mut current: Option<Gathered> = None;
    loop {
        let part = backup.next_part()?;
        let is_full = |gathered: &Gathered, more: usize| {
            gathered.records.len() == MAX_APPEND_RECORDS
                || gathered.len_bytes + more > MAX_APPEND_BYTES
        };
        match &part {
            Some(BackupPart::Record(record)) => {
                if let Some(full) = current.take_if(|gathered| is_full(gathered, record.len())) {
                    let stream = full.stream;
                    let head = Sequence(full.head.0 + full.records.len() as u64);
                    count += 1;
                    push(&mut waiting, full);
                    current = Some(begin(stream, head));
                }
                if let Some(gathered) = &mut current {
                    gathered.len_bytes += record.len();
                    gathered.records.push(record.clone());
                }
            }
            Some(BackupPart::Stream(stream)) => {
                if let Some(last) = current.replace(begin(*stream, Sequence::START)) {
                    count += 1;
                    push(&mut waiting, last);
                }
            }
            Some(BackupPart::Damaged(..)) => {}
            None => {
                if let Some(last) = current.take() {
                    push(&mut waiting, last);
                }
            }
        }
        if count >= APPENDS_AT_ONCE || part.is_none() {
            count = 0;
            // The appends of one stream build on each other, and those that are polled together have no order.
            let appends = waiting.drain(..).map(async |appends| {
                for append in appends {
                    log.append(append.stream, append.head, append.records)
                        .await?;
                }
                Ok::<(), AppendError>(())
            });
            for appended in join_all(appends).await {
                appended?;
            }
        }
        if part.is_none() {
            return Ok(());
        }
    }
}

/// Adds an append to those of its stream, which is the last one.
fn push(waiting: &mut Vec<Vec<Gathered>>, append: Gathered) {
    match waiting.last_mut() {
        Some(appends) if appends[0].stream == append.stream => appends.push(append),
        Some(_) | None => waiting.push(vec![append]),
    }
}

const fn begin(stream: StreamId, head: Sequence) -> Gathered {
    Gathered {
        stream,
        head,
        records: Vec::new(),
        len_bytes: 0,
    }
}
