use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;

use dragontooth_runner_tournament::{Results, Schedule, ScheduledMatch};
use tokio::task::{JoinSet, spawn_blocking};

use super::{Arena, ArenaError, RunError};
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
pub async fn play_all<A: Arena>(
    arena: Arc<A>,
    mut state: State,
    concurrency: NonZeroUsize,
    stop: impl Future<Output = ()>,
) -> Result<(Finish, State), RunError> {
    let mut stop = pin!(stop);
    let mut begun = 0;
    let mut running = JoinSet::new();
    while state.results.remaining() > 0 {
        while running.len() < concurrency.get()
            && let Some(planned) = next_missing(&state, &mut begun)
        {
            state.progress.started(&state.schedule, &planned);
            let arena = Arc::clone(&arena);
            running.spawn(async move { (planned, arena.play(planned).await) });
        }
        let ended = tokio::select! {
            biased;
            () = stop.as_mut() => return Ok((Finish::Interrupted, state)),
            news = arena.news() => {
                state.progress.note(&news);
                continue;
            }
            ended = running.join_next() => ended,
        };
        let ended = ended.expect("a match that remains has begun, because at least one may run");
        let (planned, played) =
            ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let faults = state.results.faults();
        state = record(planned, played, state).await?;
        let is_new = state.results.faults() > faults;
        if state.strict && is_new && state.results.remaining() > 0 {
            return Ok((Finish::Faulted, state));
        }
    }
    Ok((Finish::Complete, state))
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

/// Records a match and reports it.
async fn record(
    planned: ScheduledMatch,
    played: Result<Played, ArenaError>,
    state: State,
) -> Result<State, RunError> {
    let State {
        mut schedule,
        mut results,
        journal,
        mut progress,
        strict,
    } = state;
    let played = played.map_err(|source| RunError::Match {
        title: schedule.title(&planned),
        source,
    })?;
    let entry = Entry::new(&schedule, &planned, &played);
    entry
        .record()
        .add_to(&mut results, &mut schedule)
        .expect("a match of the schedule is played once, and its record is well-formed");
    let journal = append(journal, entry).await?;
    progress.finished(&schedule, &planned, &played, &results);
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
    let Some(entry) = journal.append_at_once(entry)? else {
        return Ok(journal);
    };
    let writing = spawn_blocking(move || journal.append(entry).map(|()| journal));
    writing
        .await
        .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
