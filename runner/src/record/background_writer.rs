use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::entry::Entry;
use super::journal_error::JournalError;
use super::journal_files::JournalFiles;

/// The most entries in the queue: beyond it, appending waits.
const MAX_WAITING: usize = 1024;
/// The most entries that are written and synced together: as many can be lost with one
/// interruption.
pub(super) const MAX_TOGETHER: usize = 32;
/// Time in which entries are collected to be written and synced together.
const GATHERING: Duration = Duration::from_millis(50);

/// A thread that writes a journal. It ends at the first error, and with the writer.
#[derive(Debug)]
pub(super) struct BackgroundWriter {
    /// None when nothing can be written any more.
    queue: Option<SyncSender<Box<Entry>>>,
    thread: Option<JoinHandle<Result<(), JournalError>>>,
    path: PathBuf,
}

impl BackgroundWriter {
    /// Starts the thread.
    pub(super) fn start(files: JournalFiles) -> io::Result<Self> {
        let path = files.path().to_owned();
        let (queue, entries) = sync_channel(MAX_WAITING);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write(files, &entries))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            path,
        })
    }

    /// Has an entry written, as soon as there is room for it.
    pub(super) fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        match self.queue()?.send(Box::new(entry)) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failure()),
        }
    }

    /// Queues an entry, or returns it if the queue is full.
    pub(super) fn append_at_once(&mut self, entry: Entry) -> Result<Option<Entry>, JournalError> {
        match self.queue()?.try_send(Box::new(entry)) {
            Ok(()) => Ok(None),
            Err(TrySendError::Full(entry)) => Ok(Some(*entry)),
            Err(TrySendError::Disconnected(_)) => Err(self.failure()),
        }
    }

    /// Ready when all is written.
    pub(super) fn close(mut self) -> Result<(), JournalError> {
        self.end()
    }

    fn queue(&self) -> Result<&SyncSender<Box<Entry>>, JournalError> {
        self.queue.as_ref().ok_or_else(|| self.broken())
    }

    /// Returns the reason why the thread ended before the queue.
    fn failure(&mut self) -> JournalError {
        self.end().err().unwrap_or_else(|| self.broken())
    }

    fn broken(&self) -> JournalError {
        JournalError::Broken {
            path: self.path.clone(),
        }
    }

    fn end(&mut self) -> Result<(), JournalError> {
        self.queue = None;
        let ended = self.thread.take().map(JoinHandle::join);
        ended.map_or(Ok(()), |ended| {
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for BackgroundWriter {
    /// Waits until all is written; who wants to know whether it was closes the writer.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Writes entries in batches.
fn write(mut files: JournalFiles, entries: &Receiver<Box<Entry>>) -> Result<(), JournalError> {
    while let Ok(first) = entries.recv() {
        let mut gathered = vec![*first];
        let until = Instant::now() + GATHERING;
        while gathered.len() < MAX_TOGETHER {
            match entries.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(entry) => gathered.push(*entry),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        files.append(&gathered)?;
    }
    Ok(())
}
