//! The writing thread and the queue to it.

use std::{
    io,
    sync::Arc,
    thread::{self, JoinHandle},
};

use dragontooth_service_vocabulary::Sequence;
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    disk::Disk,
    failure::Failure,
    group::{Group, Request},
    heads::{Heads, MAX_CACHED_HEADS},
    recent_records::RecentRecords,
};
use crate::{AppendError, GroupCommit, StorageError, StreamId};

/// The most appends that are queued; a further one waits until there is room.
pub const MAX_QUEUED_APPENDS: usize = 1024;

/// The most appends that are made durable together.
pub const MAX_GROUP_APPENDS: usize = 1024;

/// Bytes of records after which the writer closes a group, so that no append waits long for others.
pub const MAX_GROUP_BYTES: usize = 1024 * 1024;

/// The writing thread and the queue to it.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Command>>,
    failure: Arc<Failure>,
    ended: watch::Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
enum Command {
    Append(Request),
    Close,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(
        disk: impl Disk,
        recent: Arc<RecentRecords>,
        failure: Arc<Failure>,
        on_write: Option<fn(GroupCommit)>,
    ) -> io::Result<Self> {
        let (queue, commands) = mpsc::channel(MAX_QUEUED_APPENDS);
        let (end, ended) = watch::channel(());
        let worker = Worker {
            commands,
            disk,
            heads: Heads::new(MAX_CACHED_HEADS),
            recent,
            failure: Arc::clone(&failure),
            on_write,
            _end: end,
        };
        let thread = thread::Builder::new()
            .name("event-log-writer".to_owned())
            .spawn(move || worker.run())?;
        Ok(Self {
            queue: Some(queue),
            failure,
            ended,
            thread: Some(thread),
        })
    }

    /// Queues an append within the limits and waits for its answer.
    pub(super) async fn append(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
    ) -> Result<Sequence, AppendError> {
        self.health()?;
        let (reply, answer) = oneshot::channel();
        let request = Request {
            stream,
            expected,
            records,
            reply,
        };
        let Ok(()) = self.queue().send(Command::Append(request)).await else {
            return Err(self.health().err().unwrap_or(AppendError::Closed));
        };
        match answer.await {
            Ok(reply) => reply.open(),
            Err(_) => Err(AppendError::Storage(stopped())),
        }
    }

    /// The refusal of the next append, if it would be refused.
    pub(super) fn health(&self) -> Result<(), AppendError> {
        if let Some(failure) = self.failure.get() {
            return Err(AppendError::Failed(failure.clone()));
        }
        if self.queue().is_closed() {
            Err(AppendError::Closed)
        } else {
            Ok(())
        }
    }

    /// Ready once the storage has failed.
    pub(super) async fn failed(&self) {
        self.failure.wait().await;
    }

    /// Closes the queue behind its last append and waits for the thread to end.
    pub(super) async fn close(&self) {
        // An error means that the queue is already closed; a change means that the thread has ended.
        let _ = self.queue().send(Command::Close).await;
        let _ = self.ended.clone().changed().await;
    }

    fn queue(&self) -> &mpsc::Sender<Command> {
        self.queue.as_ref().expect("only dropping takes the queue")
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been reported as `failure`.
            let _ = thread.join();
        }
    }
}

struct Worker<D> {
    commands: mpsc::Receiver<Command>,
    disk: D,
    heads: Heads,
    recent: Arc<RecentRecords>,
    failure: Arc<Failure>,
    on_write: Option<fn(GroupCommit)>,
    _end: watch::Sender<()>,
}

impl<D: Disk> Worker<D> {
    fn run(mut self) {
        while let Some(first) = self.commands.blocking_recv() {
            let group = self.gather(first);
            group.commit(
                &mut self.disk,
                &mut self.heads,
                &self.recent,
                &self.failure,
                self.on_write,
            );
        }
        if self.failure.get().is_none()
            && let Err(error) = self.disk.close()
        {
            // Nothing is lost: what sled does not have is in the journal.
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the event log has failed while it was closed"
            );
            self.failure.set(error);
        }
    }

    /// The first command and those queued behind it.
    fn gather(&mut self, first: Command) -> Group {
        let mut group = Group::default();
        let mut next = Some(first);
        while let Some(command) = next {
            match command {
                Command::Append(request) => group.push(request),
                Command::Close => self.commands.close(),
            }
            if group.len() >= MAX_GROUP_APPENDS || group.len_bytes() >= MAX_GROUP_BYTES {
                break;
            }
            next = self.commands.try_recv().ok();
        }
        group
    }
}

impl<D> Drop for Worker<D> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.failure.set(stopped());
        }
    }
}

fn stopped() -> StorageError {
    StorageError::new(
        "continue writing",
        io::Error::other("the writing thread stopped"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadError, sled::record::Record};

    #[derive(Debug)]
    struct PanickingDisk;

    impl Disk for PanickingDisk {
        fn head(&self, _: StreamId) -> Result<Sequence, ReadError> {
            Ok(Sequence::START)
        }

        fn commit(&mut self, _: &[Record]) -> Result<(), StorageError> {
            panic!("the panic that this test is about");
        }

        fn close(&mut self) -> Result<(), StorageError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_panic_of_the_thread_is_a_failure() {
        let recent = Arc::new(RecentRecords::default());
        let failure = Arc::new(Failure::new());
        let writer = Writer::start(PanickingDisk, recent, failure, None).unwrap();
        let stream = StreamId([1; 16]);
        let lost = writer.append(stream, Sequence(0), vec![vec![1]]).await;
        assert!(matches!(lost, Err(AppendError::Storage(_))), "{lost:?}");
        writer.close().await;
        let refused = writer.append(stream, Sequence(0), vec![vec![1]]).await;
        assert!(
            matches!(refused, Err(AppendError::Failed(_))),
            "{refused:?}"
        );
        writer.failed().await;
    }
}
