use std::collections::{HashMap, VecDeque};
use std::panic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::config::Limits;
use crate::limits::{CallerKey, LimitExceeded, LimitName};
use crate::priority::lower_priority;

/// A few threads that read logs and summaries, so that no thread that serves players waits for a disk or a replay.
///
/// Callers take turns: one that has asked for many replays is served one of them before each of the others has had
/// one. What a caller no longer waits for is not done.
#[derive(Debug)]
pub(crate) struct ReplayPool {
    queue: Arc<Queue>,
    room: Room,
}

/// The number of those that may wait.
#[derive(Clone, Copy, Debug)]
struct Room {
    of_caller: usize,
    in_all: usize,
}

#[derive(Debug, Default)]
struct Queue(Mutex<Waiting>);

/// Those that wait for a thread.
#[derive(Debug, Default)]
struct Waiting {
    of_callers: HashMap<CallerKey, VecDeque<oneshot::Sender<Turn>>>,
    /// The callers that have some, the next one first.
    callers: VecDeque<CallerKey>,
    count: usize,
    free_threads: usize,
}

/// The use of a thread. When it is dropped, the next that waits has it.
#[derive(Debug)]
struct Turn(Arc<Queue>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.pass_on();
    }
}

impl ReplayPool {
    pub(crate) fn new(limits: &Limits) -> Self {
        let waiting = Waiting {
            free_threads: limits.replay_threads,
            ..Waiting::default()
        };
        Self {
            queue: Arc::new(Queue(Mutex::new(waiting))),
            room: Room {
                of_caller: limits.replays_of_caller,
                in_all: limits.replays,
            },
        }
    }

    /// Has `work` done on a thread that may wait, and gives what it returns.
    ///
    /// # Errors
    ///
    /// Too much waits already, of the caller or in all.
    ///
    /// # Panics
    ///
    /// As `work`.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        caller: CallerKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LimitExceeded> {
        let turn = self.queue.enter(caller, Some(self.room))?;
        Ok(run_at(turn, work).await)
    }

    /// The same, however much waits: for work of which there is little.
    ///
    /// # Panics
    ///
    /// As `work`.
    pub(crate) async fn run_anyway<T: Send + 'static>(
        &self,
        caller: CallerKey,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let turn = self.queue.enter(caller, None);
        run_at(turn.expect("however much waits"), work).await
    }
}

async fn run_at<T: Send + 'static>(
    turn: oneshot::Receiver<Turn>,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let turn = turn.await.expect("a turn comes to all that wait");
    let working = tokio::task::spawn_blocking(move || {
        // It ends with the work, even if nobody waits for that any more.
        let _turn = turn;
        in_background(work)
    });
    // It is never cancelled, so an error is a panic.
    let worked = working.await;
    worked.unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
}

/// Does `work` on a thread of its own, which gets the processor time that those who serve players leave: a thread
/// can give its priority up, but not take it back.
fn in_background<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let runtime = Handle::current();
    let done = thread::scope(|scope| {
        let thread = scope.spawn(|| {
            lower_priority();
            let _entered = runtime.enter();
            work()
        });
        thread.join()
    });
    done.unwrap_or_else(|panicked| panic::resume_unwind(panicked))
}

impl Queue {
    /// Waits for a thread, behind the others of the caller.
    fn enter(
        self: &Arc<Self>,
        caller: CallerKey,
        room: Option<Room>,
    ) -> Result<oneshot::Receiver<Turn>, LimitExceeded> {
        let (sender, turn) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.free_threads > 0 {
            waiting.free_threads -= 1;
            drop(waiting);
            // The receiver is there.
            let _ = sender.send(Turn(Arc::clone(self)));
            return Ok(turn);
        }
        if let Some(room) = room {
            let of_caller = waiting.of_callers.get(&caller).map_or(0, VecDeque::len);
            for (limit, allowed, count) in [
                (LimitName::Replays, room.in_all, waiting.count),
                (LimitName::ReplaysOfCaller, room.of_caller, of_caller),
            ] {
                if count >= allowed {
                    return Err(LimitExceeded::Count { limit, allowed });
                }
            }
        }
        waiting.put(caller, sender);
        Ok(turn)
    }

    /// A thread is free for the next that still waits.
    fn pass_on(self: &Arc<Self>) {
        let mut waiting = self.lock();
        while let Some(next) = waiting.take() {
            if !next.is_closed() {
                drop(waiting);
                // If it has just gone away, the turn comes back and is passed on again.
                let _ = next.send(Turn(Arc::clone(self)));
                return;
            }
        }
        waiting.free_threads += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn put(&mut self, caller: CallerKey, sender: oneshot::Sender<Turn>) {
        let of_caller = self.of_callers.entry(caller).or_default();
        of_caller.push_back(sender);
        if of_caller.len() == 1 {
            self.callers.push_back(caller);
        }
        self.count += 1;
    }

    fn take(&mut self) -> Option<oneshot::Sender<Turn>> {
        let caller = self.callers.pop_front()?;
        let of_caller = self.of_callers.get_mut(&caller)?;
        let next = of_caller.pop_front();
        if of_caller.is_empty() {
            self.of_callers.remove(&caller);
        } else {
            self.callers.push_back(caller);
        }
        self.count -= 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc;

    use super::*;

    fn caller(number: u8) -> CallerKey {
        CallerKey::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
    }

    /// A pool of one thread, which is busy until the returned sender is dropped.
    async fn busy(replays_of_caller: usize, replays: usize) -> (Arc<ReplayPool>, mpsc::Sender<()>) {
        let limits = Limits {
            replay_threads: 1,
            replays_of_caller,
            replays,
            ..Limits::default()
        };
        let pool = Arc::new(ReplayPool::new(&limits));
        let (end, ended) = mpsc::channel::<()>();
        let (start, begun) = oneshot::channel();
        let first = Arc::clone(&pool);
        tokio::spawn(async move {
            let wait = move || {
                start.send(()).unwrap();
                ended.recv().unwrap_err();
            };
            first.run(caller(0), wait).await.unwrap();
        });
        begun.await.unwrap();
        (pool, end)
    }

    /// Queues a job for each of these callers in turn; each job notes its caller.
    async fn queue(
        pool: &Arc<ReplayPool>,
        callers: &[u8],
    ) -> (Vec<tokio::task::JoinHandle<()>>, Arc<Mutex<Vec<u8>>>) {
        let done = Arc::<Mutex<Vec<u8>>>::default();
        let mut tasks = Vec::new();
        let before = pool.queue.lock().count;
        for (queued, number) in callers.iter().copied().enumerate() {
            let (pool, done) = (Arc::clone(pool), Arc::clone(&done));
            let waiting = Arc::clone(&pool);
            tasks.push(tokio::spawn(async move {
                let note = move || done.lock().unwrap().push(number);
                pool.run(caller(number), note).await.unwrap();
            }));
            while waiting.queue.lock().count <= before + queued {
                tokio::task::yield_now().await;
            }
        }
        (tasks, done)
    }

    #[tokio::test]
    async fn callers_take_turns() {
        let (pool, end) = busy(10, 10).await;
        let (tasks, done) = queue(&pool, &[1, 1, 1, 1, 2, 2, 3]).await;
        drop(end);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), [1, 2, 3, 1, 2, 1, 1]);
        assert!(
            pool.queue.lock().of_callers.is_empty(),
            "idle callers are forgotten"
        );
    }

    #[tokio::test]
    async fn what_waits_is_bounded() {
        let (pool, end) = busy(2, 3).await;
        let (tasks, _) = queue(&pool, &[1, 1]).await;
        let refused = pool.run(caller(1), || ()).await.unwrap_err();
        let (limit, allowed) = (LimitName::ReplaysOfCaller, 2);
        assert_eq!(refused, LimitExceeded::Count { limit, allowed });
        let (more, _) = queue(&pool, &[2]).await;
        let refused = pool.run(caller(3), || ()).await.unwrap_err();
        let (limit, allowed) = (LimitName::Replays, 3);
        assert_eq!(refused, LimitExceeded::Count { limit, allowed });
        drop(end);
        for task in tasks.into_iter().chain(more) {
            task.await.unwrap();
        }
        pool.run(caller(1), || ()).await.unwrap();
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let (pool, end) = busy(10, 10).await;
        let (tasks, done) = queue(&pool, &[1, 2]).await;
        tasks[0].abort();
        while !tasks[0].is_finished() {
            tokio::task::yield_now().await;
        }
        drop(end);
        pool.run(caller(3), || ()).await.unwrap();
        assert_eq!(*done.lock().unwrap(), [2]);
    }

    #[tokio::test]
    async fn a_panic_is_that_of_the_caller() {
        let (pool, end) = busy(10, 10).await;
        drop(end);
        let panicking = Arc::clone(&pool);
        let task = tokio::spawn(async move {
            let work = || panic!("the panic that this test is about");
            panicking.run(caller(1), work).await
        });
        assert!(task.await.unwrap_err().is_panic());
        assert_eq!(pool.run(caller(1), || 7).await.unwrap(), 7);
    }
}
