//! Moving records from the journal into sled, on a thread of its own.

use std::{
    fs::File,
    io,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use dragontooth_service_vocabulary::Sequence;
use sled::{Batch, Tree};

use super::{
    data_length::DataLength, failure::Failure, recent_records::RecentRecords, record::Place,
};
use crate::StorageError;

/// Bytes after which a batch is written and synced, so that a sync of the journal meanwhile waits for little.
const BATCH_BYTES: usize = 1024 * 1024;

/// The tree of records, a separate handle on the file that sled keeps it in, and the note of its length.
#[derive(Debug)]
pub(super) struct SledStore {
    pub(super) events: Tree,
    pub(super) file: File,
    pub(super) data_length: DataLength,
}

impl SledStore {
    /// Makes everything written to sled so far durable.
    ///
    /// sled's `flush` returns when the kernel has started to write the data; it covers neither the size of a grown
    /// file nor the disk's cache. `sync_data` on any handle of the file covers both. Blocking, because sled's
    /// `flush_async` can hang when several callers wait for it.
    pub(super) fn sync(&self) -> Result<(), StorageError> {
        self.events
            .flush()
            .map_err(|source| StorageError::new("flush the store", source))?;
        self.file
            .sync_data()
            .map_err(|source| StorageError::new("sync the store's file", source))
    }

    /// Moves the records that are there now, durably, and removes them from `recent`.
    pub(super) fn take(&mut self, recent: &RecentRecords) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        let mut len_bytes = 0;
        let mut places: Vec<Place> = Vec::new();
        for (stream, head) in recent.streams(None, usize::MAX) {
            let mut after = Sequence::START;
            while after < head
                && let Some((place, key, value)) = recent.chunk(stream, after)
            {
                after = place.last();
                len_bytes += key.len() + value.len();
                batch.insert(key, value);
                places.push(place);
                if len_bytes >= BATCH_BYTES {
                    self.write(std::mem::take(&mut batch))?;
                    recent.forget(&places);
                    places.clear();
                    len_bytes = 0;
                }
            }
        }
        self.write(batch)?;
        recent.forget(&places);
        Ok(())
    }

    fn write(&mut self, batch: Batch) -> Result<(), StorageError> {
        self.events
            .apply_batch(batch)
            .map_err(|source| StorageError::new("write to the store", source))?;
        self.sync()?;
        // A note that lags only hides a cut from the opening; the witness still knows what was lost.
        let _ = self.data_length.note(&self.file);
        Ok(())
    }
}

/// The thread that moves.
#[derive(Debug)]
pub(super) struct Mover {
    orders: Option<mpsc::Sender<()>>,
    done: mpsc::Receiver<Result<(), StorageError>>,
    is_moving: bool,
    thread: Option<JoinHandle<()>>,
}

impl Mover {
    /// Starts the thread. It sets `failure` if it cannot write, and then writes nothing more.
    pub(super) fn start(
        mut store: SledStore,
        recent: Arc<RecentRecords>,
        failure: Arc<Failure>,
    ) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel();
        let (tell, done) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("event-log-mover".to_owned())
            .spawn(move || {
                for () in ordered {
                    let moved = store.take(&recent);
                    if let Err(error) = &moved {
                        failure.set(error.clone());
                    }
                    if tell.send(moved).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            orders: Some(orders),
            done,
            is_moving: false,
            thread: Some(thread),
        })
    }

    /// Begins to move all records that are there now, after [`wait`](Self::wait).
    pub(super) fn begin(&mut self) {
        let orders = self.orders.as_ref().expect("only dropping takes it");
        // If the thread has ended, the next wait reports it.
        let _ = orders.send(());
        self.is_moving = true;
    }

    /// Waits until what has begun is done.
    pub(super) fn wait(&mut self) -> Result<(), StorageError> {
        if !std::mem::take(&mut self.is_moving) {
            return Ok(());
        }
        self.done.recv().unwrap_or_else(|_| {
            let stopped = io::Error::other("the moving thread stopped");
            Err(StorageError::new("continue moving records", stopped))
        })
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // After a panic nothing has been moved, and the records are in the journal.
            let _ = thread.join();
        }
    }
}
