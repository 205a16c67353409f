use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    shared: Arc<Shared>,
    /// `None` once the thread has ended.
    thread: Option<JoinHandle<Result<(), JournalError>>>,
    path: PathBuf,
}

/// The entries that wait to be written.
///
/// A channel would wake the thread for each entry. It is woken for the first of those that are written
/// together and when they are all there: a match of two fast engines takes less than some such wakes.
#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Wakes the thread.
    work: Condvar,
    /// Wakes those who wait to append, or for entries to be written.
    room: Condvar,
}

/// The entries that are appended so far.
#[derive(Debug)]
pub(crate) struct Appended {
    shared: Arc<Shared>,
    count: u64,
}

#[derive(Debug, Default)]
struct Queue {
    entries: Vec<Entry>,
    /// Number of entries that were ever appended.
    appended: u64,
    /// Number of entries that are on the disk.
    written: u64,
    /// True if somebody waits for entries to be written: no more are gathered then.
    is_urgent: bool,
    /// True when no entry follows.
    is_closed: bool,
    /// True when the thread has ended.
    is_over: bool,
}

/// On drop, says that the thread has ended, however it did.
struct EndOfThread<'a>(&'a Shared);

impl BackgroundWriter {
    /// Starts the thread.
    pub(super) fn start(files: JournalFiles) -> io::Result<Self> {
        let path = files.path().to_owned();
        let shared = Arc::new(Shared::default());
        let queue = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || queue.write(files))?;
        Ok(Self {
            shared,
            thread: Some(thread),
            path,
        })
    }

    /// Has an entry written, as soon as there is room for it.
    pub(super) fn append(&mut self, entry: Entry) -> Result<(), JournalError> {
        let mut queue = self.shared.lock();
        while queue.entries.len() >= MAX_WAITING && !queue.is_over {
            let waited = self.shared.room.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if queue.is_over {
            drop(queue);
            return Err(self.failure());
        }
        queue.entries.push(entry);
        queue.appended += 1;
        let is_awaited = matches!(queue.entries.len(), 1 | MAX_TOGETHER);
        drop(queue);
        if is_awaited {
            self.shared.work.notify_one();
        }
        Ok(())
    }

    /// The entries that are appended so far.
    pub(super) fn appended(&self) -> Appended {
        let shared = Arc::clone(&self.shared);
        let count = shared.lock().appended;
        Appended { shared, count }
    }

    /// Ready when all is written.
    pub(super) fn close(mut self) -> Result<(), JournalError> {
        self.end()
    }

    /// Returns the reason why the thread ended before the queue.
    fn failure(&mut self) -> JournalError {
        self.end().err().unwrap_or_else(|| JournalError::Broken {
            path: self.path.clone(),
        })
    }

    fn end(&mut self) -> Result<(), JournalError> {
        self.shared.close();
        let ended = self.thread.take().map(JoinHandle::join);
        ended.map_or(Ok(()), |ended| {
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for BackgroundWriter {
    /// Waits until all is written; who wants to know whether it was closes the writer.
    fn drop(&mut self) {
        self.shared.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Appended {
    /// Blocks until they are on the disk, or nothing is written any more.
    pub(crate) fn wait(self) {
        let mut queue = self.shared.lock();
        while queue.written < self.count && !queue.is_over {
            queue.is_urgent = true;
            self.shared.work.notify_one();
            let waited = self.shared.room.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.work.notify_one();
    }

    /// Writes entries in batches.
    fn write(&self, mut files: JournalFiles) -> Result<(), JournalError> {
        let _end = EndOfThread(self);
        while let Some(gathered) = self.gathered() {
            files.append(&gathered)?;
            let mut queue = self.lock();
            queue.written += gathered.len() as u64;
            queue.is_urgent = false;
            drop(queue);
            self.room.notify_all();
        }
        Ok(())
    }

    /// Waits for the entries that are written together; `None` when no entry follows.
    fn gathered(&self) -> Option<Vec<Entry>> {
        let mut queue = self.lock();
        while queue.entries.is_empty() {
            if queue.is_closed {
                return None;
            }
            let waited = self.work.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
        let until = Instant::now() + GATHERING;
        while queue.entries.len() < MAX_TOGETHER && !queue.is_closed && !queue.is_urgent {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.work.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let count = queue.entries.len().min(MAX_TOGETHER);
        let gathered = queue.entries.drain(..count).collect();
        drop(queue);
        self.room.notify_all();
        Some(gathered)
    }
}

impl Drop for EndOfThread<'_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.room.notify_all();
    }
}
