//! The writing thread and the queue to it.

use std::{
    io,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, JoinHandle, Thread},
    time::{Duration, Instant},
};

use dragontooth_service_vocabulary::Sequence;
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    disk::Disk,
    failure::Failure,
    group::{Group, Request, Written},
    heads::{Heads, MAX_CACHED_HEADS},
    ongoing_write::OngoingWrite,
    open::SledOptions,
    recent_records::RecentRecords,
};
use crate::{AppendError, GroupCommit, StorageError, StreamId};

/// The most appends that are queued; a further one waits until there is room.
pub const MAX_QUEUED_APPENDS: usize = 1024;

/// The most appends that are made durable together.
pub const MAX_GROUP_APPENDS: usize = 1024;

/// Bytes of records after which the writer closes a group, so that no append waits long for others.
pub const MAX_GROUP_BYTES: usize = 1024 * 1024;

/// The longest time for which records of an early answer are not durable.
pub const MAX_SYNC_DELAY: Duration = Duration::from_millis(50);

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
        options: &SledOptions,
    ) -> io::Result<Self> {
        let (queue, commands) = mpsc::channel(MAX_QUEUED_APPENDS);
        let (end, ended) = watch::channel(());
        let worker = Worker {
            commands,
            disk,
            heads: Heads::new(MAX_CACHED_HEADS),
            recent,
            failure: Arc::clone(&failure),
            on_write: options.on_write,
            ongoing_write: options.ongoing_write,
            sync_at: None,
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
        early: bool,
    ) -> Result<Sequence, AppendError> {
        self.health()?;
        let (reply, answer) = oneshot::channel();
        let request = Request {
            stream,
            expected,
            records,
            early,
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
    ongoing_write: Option<&'static OngoingWrite>,
    /// The time at which the records of early answers are made durable, if some are not yet.
    sync_at: Option<Instant>,
    _end: watch::Sender<()>,
}

impl<D: Disk> Worker<D> {
    fn run(mut self) {
        loop {
            let received = self.receive();
            let _ongoing = self.ongoing_write.map(OngoingWrite::begin);
            let first = match received {
                Received::Command(first) => first,
                Received::SyncIsDue => {
                    self.sync();
                    continue;
                }
                Received::End => break,
            };
            let mut group = self.gather(first);
            if self.sync_at.is_some_and(|due| due <= Instant::now()) {
                group.make_durable();
            }
            let written = group.commit(
                &mut self.disk,
                &mut self.heads,
                &self.recent,
                &self.failure,
                self.on_write,
            );
            match written {
                Written::Nothing => {}
                Written::Durably => self.sync_at = None,
                Written::Early => {
                    self.sync_at
                        .get_or_insert_with(|| Instant::now() + MAX_SYNC_DELAY);
                }
            }
        }
        if self.failure.get().is_none()
            && let Err(error) = self.disk.close()
        {
            // Nothing is lost: what sled does not have is in the journal.
            self.failure.set(error);
        }
    }

    /// Waits for the next command, or until what is not durable has to be.
    fn receive(&mut self) -> Received {
        let Some(due) = self.sync_at else {
            return self
                .commands
                .blocking_recv()
                .map_or(Received::End, Received::Command);
        };
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match self.commands.poll_recv(&mut context) {
                Poll::Ready(command) => {
                    return command.map_or(Received::End, Received::Command);
                }
                Poll::Pending => {}
            }
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Received::SyncIsDue;
            }
            thread::park_timeout(left);
        }
    }

    /// Makes the records of early answers durable.
    fn sync(&mut self) {
        self.sync_at = None;
        if self.failure.get().is_none()
            && let Err(error) = self.disk.sync()
        {
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

/// The end of a wait.
enum Received {
    Command(Command),
    SyncIsDue,
    End,
}

/// Wakes the writing thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
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

        fn write(&mut self, _: &[Record]) -> Result<(), StorageError> {
            panic!("the panic that this test is about");
        }

        fn sync(&mut self) -> Result<(), StorageError> {
            Ok(())
        }

        fn close(&mut self) -> Result<(), StorageError> {
            Ok(())
        }
    }

    /// Reports each sync.
    #[derive(Debug)]
    struct SlowDisk(mpsc::UnboundedSender<()>);

    impl Disk for SlowDisk {
        fn head(&self, _: StreamId) -> Result<Sequence, ReadError> {
            Ok(Sequence::START)
        }

        fn write(&mut self, _: &[Record]) -> Result<(), StorageError> {
            Ok(())
        }

        fn sync(&mut self) -> Result<(), StorageError> {
            self.0.send(()).map_err(|_| stopped())
        }

        fn close(&mut self) -> Result<(), StorageError> {
            Ok(())
        }
    }

    /// Tells of the beginning of each sync, which ends when the test says so.
    #[derive(Debug)]
    struct HeldDisk {
        begun: mpsc::UnboundedSender<Instant>,
        end: mpsc::UnboundedReceiver<()>,
    }

    impl Disk for HeldDisk {
        fn head(&self, _: StreamId) -> Result<Sequence, ReadError> {
            Ok(Sequence::START)
        }

        fn write(&mut self, _: &[Record]) -> Result<(), StorageError> {
            Ok(())
        }

        fn sync(&mut self) -> Result<(), StorageError> {
            self.begun.send(Instant::now()).map_err(|_| stopped())?;
            self.end.blocking_recv().ok_or_else(stopped)
        }

        fn close(&mut self) -> Result<(), StorageError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_write_that_does_not_end_has_an_age() {
        static ONGOING: OngoingWrite = OngoingWrite::none();
        let (tell, mut begun) = mpsc::unbounded_channel();
        let (release, end) = mpsc::unbounded_channel();
        let disk = HeldDisk { begun: tell, end };
        let options = SledOptions {
            ongoing_write: Some(&ONGOING),
            ..SledOptions::default()
        };
        let (recent, failure) = (Arc::default(), Arc::new(Failure::new()));
        let writer = Writer::start(disk, recent, failure, &options).unwrap();
        assert_eq!(ONGOING.age(), Duration::ZERO);
        for (head, early) in [(0, false), (1, true)] {
            let stream = StreamId([1; 16]);
            let append = writer.append(stream, Sequence(head), vec![vec![1]], early);
            let held = async {
                let begun = begun.recv().await.unwrap();
                let least = begun.elapsed();
                let age = ONGOING.age();
                release.send(()).unwrap();
                (age, least)
            };
            let (appended, (age, least)) = tokio::join!(append, held);
            appended.unwrap();
            assert!(age >= least, "{age:?}");
        }
        writer.close().await;
        assert_eq!(ONGOING.age(), Duration::ZERO);
    }

    #[tokio::test]
    async fn what_was_answered_early_is_durable_without_another_append() {
        let (tell, mut synced) = mpsc::unbounded_channel();
        let recent = Arc::new(RecentRecords::default());
        let failure = Arc::new(Failure::new());
        let writer =
            Writer::start(SlowDisk(tell), recent, failure, &SledOptions::default()).unwrap();
        let stream = StreamId([1; 16]);
        for head in 0..3 {
            let append = writer.append(stream, Sequence(head), vec![vec![1]], true);
            append.await.unwrap();
            synced.recv().await.unwrap();
        }
        let append = writer.append(stream, Sequence(3), vec![vec![1]], false);
        append.await.unwrap();
        synced.try_recv().unwrap();
        writer.close().await;
    }

    #[tokio::test]
    async fn a_panic_of_the_thread_is_a_failure() {
        let recent = Arc::new(RecentRecords::default());
        let failure = Arc::new(Failure::new());
        let writer =
            Writer::start(PanickingDisk, recent, failure, &SledOptions::default()).unwrap();
        let stream = StreamId([1; 16]);
        let lost = writer
            .append(stream, Sequence(0), vec![vec![1]], false)
            .await;
        assert!(matches!(lost, Err(AppendError::Storage(_))), "{lost:?}");
        writer.close().await;
        let refused = writer
            .append(stream, Sequence(0), vec![vec![1]], false)
            .await;
        assert!(
            matches!(refused, Err(AppendError::Failed(_))),
            "{refused:?}"
        );
        writer.failed().await;
    }
}
