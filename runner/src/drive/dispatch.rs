use std::future::{Future, pending, ready};
use std::io;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use dragontooth_runner_live::{EventPage, MatchFeed};
use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Notify, oneshot};
use tokio::task::{JoinSet, spawn_blocking};

use super::{RunError, Venue, VenueError};
use crate::progress::Progress;
use crate::record::{Entry, Journal, JournalError, Played};

/// The progress of a run, and its journal.
#[derive(Debug)]
pub struct State {
    /// The schedule, as far as it is known.
    pub schedule: Schedule,
    /// The results so far.
    pub results: Results,
    /// The journal that records them.
    pub journal: Journal,
    /// Displays the progress.
    pub progress: Progress,
    /// True if the first fault ends the run.
    pub strict: bool,
}

/// The way in which a run finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All matches that count are over.
    Complete,
    /// The run was interrupted.
    Interrupted,
    /// A bot had a fault, the run was to end at the first one, and matches are left.
    Faulted,
}

/// Plays the matches of the schedule that have no result, in its order, at most `concurrency` at the
/// same time, and records each when it is over. It ends when all that count are over or `stop` is
/// ready; the matches that are under way then are left as they are.
///
/// # Errors
///
/// A match cannot be played, or its result cannot be recorded.
pub async fn play_all<A: Venue>(
    venue: Arc<A>,
    state: State,
    concurrency: NonZeroUsize,
    stop: impl Future<Output = ()>,
) -> Result<(Finish, State), RunError> {
    let mut stop = pin!(stop);
    if state.results.remaining() == 0 {
        return Ok((Finish::Complete, state));
    }
    tokio::select! {
        biased;
        () = stop.as_mut() => return Ok((Finish::Interrupted, state)),
        () = ready(()) => {}
    }
    let page = state.progress.page().cloned();
    let dispatch = Arc::new(Dispatch {
        venue,
        desk: Mutex::new(Desk {
            state: Some(state),
            begun: 0,
        }),
        more: Notify::new(),
        is_over: AtomicBool::new(false),
    });
    let end = EndOfRun(&dispatch);
    let mut workers = JoinSet::new();
    for _ in 0..concurrency.get() {
        let worker = Arc::clone(&dispatch).work();
        if A::ON_THREADS {
            match on_thread(worker) {
                Ok(worker) => workers.spawn(worker),
                Err(error) => {
                    drop(end);
                    // What closes the run needs a thread too.
                    while workers.join_next().await.is_some() {}
                    return Err(RunError::Threads(error));
                }
            };
        } else {
            workers.spawn(worker);
        }
    }
    let mut is_stopped = false;
    loop {
        tokio::select! {
            biased;
            () = stop.as_mut(), if !is_stopped => {
                is_stopped = true;
                // Without a state, a worker has just ended the run in another way.
                if let Some(state) = dispatch.desk.lock().await.state.take() {
                    return Ok((Finish::Interrupted, state));
                }
            }
            news = dispatch.venue.news() => dispatch.note(&news).await,
            page = asked(page.as_ref()) => dispatch.show(page).await,
            ended = workers.join_next() => {
                let ended = ended.expect("the last worker returns how the run ended");
                let ended =
                    ended.unwrap_or_else(|error| panic::resume_unwind(error.into_panic()));
                if let Some(finished) = ended.map_err(|error| *error)? {
                    return Ok(finished);
                }
            }
        }
    }
}

/// Runs a worker on a thread of its own: those of the runtime are limited, and the journal and the page need some.
fn on_thread<T: Send + 'static>(
    worker: impl Future<Output = T> + Send + 'static,
) -> io::Result<impl Future<Output = T> + Send> {
    let runtime = Handle::current();
    let (ended, end) = oneshot::channel();
    let run = AssertUnwindSafe(move || runtime.block_on(worker));
    thread::Builder::new().spawn(move || ended.send(panic::catch_unwind(run)))?;
    Ok(async {
        let ended = end.await.expect("a worker ends or panics");
        ended.unwrap_or_else(|payload| panic::resume_unwind(payload))
    })
}

/// The parts of a run that its workers share.
struct Dispatch<A> {
    venue: Arc<A>,
    desk: Mutex<Desk>,
    /// Wakes the workers without a match when the schedule has grown or the run is over.
    more: Notify,
    is_over: AtomicBool,
}

/// The state of a run, changed by one worker at a time.
struct Desk {
    /// `None` once the run has ended.
    state: Option<State>,
    /// The place in the schedule behind the last match that has begun.
    begun: usize,
}

impl<A: Venue> Dispatch<A> {
    /// Plays one match after another. The worker whose match ends the run returns how, and the state.
    async fn work(self: Arc<Self>) -> Result<Option<(Finish, State)>, Box<RunError>> {
        while let Some((planned, feed)) = self.next().await {
            let played = self.venue.play(planned, feed).await;
            if let Some(finished) = self.record(planned, played).await? {
                return Ok(Some(finished));
            }
        }
        Ok(None)
    }

    /// The next match without a result, once there is one, with its way to the page, if there is a page; `None`
    /// at the end of the run.
    async fn next(&self) -> Option<(ScheduledMatch, Option<MatchFeed>)> {
        loop {
            let mut more = pin!(self.more.notified());
            more.as_mut().enable();
            if self.is_over.load(Ordering::SeqCst) {
                return None;
            }
            let mut desk = self.desk.lock().await;
            let Desk { state, begun } = &mut *desk;
            let state = state.as_mut()?;
            if let Some(planned) = next_missing(state, begun) {
                let feed = state.progress.started(&state.schedule, &planned);
                return Some((planned, feed));
            }
            drop(desk);
            more.await;
        }
    }

    /// Records a match and reports it. Returns the state if the run ends with it.
    async fn record(
        &self,
        planned: ScheduledMatch,
        played: Result<Played, VenueError>,
    ) -> Result<Option<(Finish, State)>, RunError> {
        let mut desk = self.desk.lock().await;
        let Some(state) = desk.state.take() else {
            return Ok(None);
        };
        let (faults, matches) = (state.results.faults(), state.schedule.matches().len());
        let state = record::<A>(planned, played, state).await?;
        if state.results.remaining() == 0 {
            return Ok(Some((Finish::Complete, state)));
        }
        if state.strict && state.results.faults() > faults {
            return Ok(Some((Finish::Faulted, state)));
        }
        if state.schedule.matches().len() > matches {
            self.more.notify_waiters();
        }
        desk.state = Some(state);
        Ok(None)
    }

    async fn note(&self, news: &str) {
        if let Some(state) = &mut self.desk.lock().await.state {
            state.progress.note(news);
        }
    }

    /// Hands the results to a page, once they are on the disk: what it has shown is not lost.
    async fn show(&self, page: &EventPage) {
        let desk = self.desk.lock().await;
        let Some(state) = &desk.state else {
            return;
        };
        let (schedule, results) = (state.schedule.clone(), state.results.clone());
        let appended = state.journal.appended();
        drop(desk);
        if let Some(appended) = appended {
            let _ = spawn_blocking(move || appended.wait()).await;
        }
        page.show(&schedule, &results);
    }
}

/// Ready when the page needs the results; never without a page.
async fn asked(page: Option<&EventPage>) -> &EventPage {
    match page {
        Some(page) => {
            page.asks().await;
            page
        }
        None => pending().await,
    }
}

/// On drop, ends the workers that cannot be cancelled.
struct EndOfRun<'a, A: Venue>(&'a Dispatch<A>);

impl<A: Venue> Drop for EndOfRun<'_, A> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
        self.0.more.notify_waiters();
        self.0.venue.break_off();
    }
}

/// The first match from place `begun` on that has no result; `begun` is set behind it.
fn next_missing(state: &State, begun: &mut usize) -> Option<ScheduledMatch> {
    while let Some(planned) = state.schedule.matches().get(*begun) {
        *begun += 1;
        if state.results.of(planned.number).is_none() {
            return Some(*planned);
        }
    }
    None
}

async fn record<A: Venue>(
    planned: ScheduledMatch,
    played: Result<Played, VenueError>,
    state: State,
) -> Result<State, RunError> {
    let State {
        mut schedule,
        mut results,
        mut journal,
        mut progress,
        strict,
    } = state;
    let played = played.map_err(|source| RunError::Match {
        title: schedule.title(&planned),
        source,
    })?;
    let entry = Entry::new(&schedule, &planned, &played);
    let page = progress.page().cloned();
    let shown = page.map(|page| (page, entry.record().details()));
    entry
        .record()
        .add_to(&mut results, &mut schedule)
        .expect("a match of the schedule is played once, and its record is well-formed");
    if A::ON_THREADS {
        journal.append(entry)?;
    } else {
        journal = append(journal, entry).await?;
    }
    progress.finished(&schedule, &planned, &played, &results);
    if let Some((page, details)) = shown {
        let details = details.expect("a record that was just made is well-formed");
        page.finished(&schedule, &results, planned.number, details);
    }
    Ok(State {
        schedule,
        results,
        journal,
        progress,
        strict,
    })
}

/// Writes an entry on a thread that may block.
async fn append(mut journal: Journal, entry: Entry) -> Result<Journal, JournalError> {
    let writing = spawn_blocking(move || journal.append(entry).map(|()| journal));
    writing
        .await
        .unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
}
