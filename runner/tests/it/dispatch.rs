use std::collections::HashSet;
use std::future::{pending, ready};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use dragontooth_runner::drive::{Finish, RunError, State, Venue, VenueError, play_all};
use dragontooth_runner::progress::Progress;
use dragontooth_runner::record::{Journal, Played};
use dragontooth_runner_live::MatchFeed;
use dragontooth_runner_report::Document;
use dragontooth_runner_tournament::statistics::{Model, Sprt};
use dragontooth_runner_tournament::{Format, Schedule, ScheduledMatch};
use tokio::sync::{Barrier, Notify};
use tokio::task::yield_now;

use crate::fixture::{event, event_of, played, schedule};

/// A slow venue: matches end in a different order than they start.
#[derive(Default)]
struct Slow {
    running: AtomicUsize,
    most: AtomicUsize,
    begun: Mutex<Vec<usize>>,
    /// Matches that do not end.
    endless: HashSet<usize>,
    /// Matches that fail.
    failing: HashSet<usize>,
    /// Notified when an endless match has started.
    stuck: Arc<Notify>,
}

impl Venue for Slow {
    async fn play(
        &self,
        planned: ScheduledMatch,
        _feed: Option<MatchFeed>,
    ) -> Result<Played, VenueError> {
        let number = planned.number.get();
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        self.begun.lock().unwrap().push(number);
        if self.endless.contains(&number) {
            self.stuck.notify_one();
            pending::<()>().await;
        }
        for _ in 0..(number * 7) % 5 {
            yield_now().await;
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
        if self.failing.contains(&number) {
            return Err("the roof leaks".into());
        }
        Ok(played(&planned))
    }
}

fn state(file: &Path, schedule: &Schedule) -> State {
    let (journal, recovered) = Journal::open(
        file,
        &file.with_file_name("games.jsonl"),
        schedule.event(),
        0,
    )
    .unwrap();
    let progress = Progress::lines(Box::new(io::sink()));
    State {
        schedule: recovered.schedule,
        results: recovered.results,
        journal,
        progress,
        strict: false,
    }
}

fn at_once(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn tables(schedule: &Schedule, state: &State) -> String {
    Document::new(schedule, &state.results).text()
}

#[tokio::test]
async fn the_tables_do_not_depend_on_how_many_are_played_at_once() {
    let schedule = schedule(5, 2);
    let mut all = HashSet::new();
    for count in [1, 2, 7, 100] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results.jsonl");
        let venue = Arc::new(Slow::default());
        let played = play_all(
            Arc::clone(&venue),
            state(&file, &schedule),
            at_once(count),
            pending(),
        );
        let (finish, state) = played.await.unwrap();
        assert_eq!(finish, Finish::Complete);
        assert_eq!(state.results.remaining(), 0);
        all.insert(tables(&schedule, &state));

        let begun = venue.begun.lock().unwrap().clone();
        let in_order: Vec<usize> = (0..schedule.matches().len()).collect();
        assert_eq!(begun, in_order);
        assert!(venue.most.load(Ordering::SeqCst) <= count);
    }
    assert_eq!(all.len(), 1);
}

/// The matches of other formats do not depend on it either, although later matches follow from
/// the results or the event ends during matches.
#[tokio::test]
async fn growing_schedules_do_not_depend_on_how_many_are_played_at_once() {
    let seeding = event(5, 1).bots().to_vec();
    let test = Sprt::new(Model::Logistic, [-100.0, 100.0], 0.1, 0.1).unwrap();
    let sprt = Format::Sprt {
        test,
        max_encounters: 60,
    };
    let rounds = 3;
    for (bots, format) in [
        (
            5,
            Format::Swiss {
                rounds,
                seeding: seeding.clone(),
            },
        ),
        (
            5,
            Format::Knockout {
                extra_encounters: 2,
                seeding: seeding.clone(),
            },
        ),
        (5, Format::Ladder { rounds, seeding }),
        (2, sprt),
    ] {
        let schedule = Schedule::new(event_of(bots, format.clone()));
        let mut all = HashSet::new();
        for count in [1, 2, 7, 100] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("results.jsonl");
            let venue = Arc::new(Slow::default());
            let state = state(&file, &schedule);
            let played = play_all(venue, state, at_once(count), pending());
            let (finish, state) = played.await.unwrap();
            assert_eq!(finish, Finish::Complete);
            all.insert(tables(&state.schedule, &state));
            // The records lead to the same end.
            drop(state.journal);
            let again = self::state(&file, &schedule);
            assert_eq!(again.results.remaining(), 0, "{format:?}");
            all.insert(tables(&again.schedule, &again));
        }
        assert_eq!(all.len(), 1, "{format:?}");
    }
}

/// An venue whose matches end only while three of them are played at the same time.
struct Three(Barrier);

impl Venue for Three {
    async fn play(
        &self,
        planned: ScheduledMatch,
        _feed: Option<MatchFeed>,
    ) -> Result<Played, VenueError> {
        self.0.wait().await;
        Ok(played(&planned))
    }
}

#[tokio::test]
async fn matches_run_at_the_configured_concurrency() {
    let schedule = schedule(3, 1);
    let folder = tempfile::tempdir().unwrap();
    let state = state(&folder.path().join("results.jsonl"), &schedule);
    let venue = Arc::new(Three(Barrier::new(3)));
    let played = play_all(venue, state, at_once(3), pending());
    assert_eq!(played.await.unwrap().0, Finish::Complete);
}

/// A venue whose matches block their threads, and end only while three of them are played at the same time.
struct Blocking(std::sync::Barrier);

impl Venue for Blocking {
    const ON_THREADS: bool = true;

    async fn play(
        &self,
        planned: ScheduledMatch,
        _feed: Option<MatchFeed>,
    ) -> Result<Played, VenueError> {
        self.0.wait();
        Ok(played(&planned))
    }
}

#[test]
fn matches_that_block_take_no_threads_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let schedule = schedule(3, 1);
    let folder = tempfile::tempdir().unwrap();
    let state = state(&folder.path().join("results.jsonl"), &schedule);
    let venue = Arc::new(Blocking(std::sync::Barrier::new(3)));
    let played = runtime.block_on(play_all(venue, state, at_once(3), pending()));
    assert_eq!(played.unwrap().0, Finish::Complete);
}

#[tokio::test]
async fn an_interrupted_run_continues_to_the_same_tables() {
    let schedule = schedule(4, 1);
    let straight = tempfile::tempdir().unwrap();
    let file = straight.path().join("results.jsonl");
    let played = play_all(
        Arc::new(Slow::default()),
        state(&file, &schedule),
        at_once(2),
        pending(),
    );
    let expected = tables(&schedule, &played.await.unwrap().1);

    for stuck_at in 0..schedule.matches().len() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results.jsonl");
        let venue = Slow {
            endless: HashSet::from([stuck_at]),
            ..Slow::default()
        };
        let stuck = Arc::clone(&venue.stuck);
        let first = play_all(
            Arc::new(venue),
            state(&file, &schedule),
            at_once(1),
            stuck.notified(),
        );
        let (finish, halfway) = first.await.unwrap();
        assert_eq!(finish, Finish::Interrupted);
        assert_eq!(halfway.results.played(), stuck_at);
        drop(halfway);

        let venue = Arc::new(Slow::default());
        let rest = play_all(
            Arc::clone(&venue),
            state(&file, &schedule),
            at_once(3),
            pending(),
        );
        let (finish, whole) = rest.await.unwrap();
        assert_eq!(finish, Finish::Complete);
        assert_eq!(tables(&schedule, &whole), expected);
        assert_eq!(
            venue.begun.lock().unwrap().len(),
            schedule.matches().len() - stuck_at
        );
    }
}

#[tokio::test]
async fn a_match_that_cannot_be_played_ends_the_run() {
    let schedule = schedule(3, 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let venue = Arc::new(Slow {
        failing: HashSet::from([3]),
        ..Slow::default()
    });
    let played = play_all(venue, state(&file, &schedule), at_once(1), pending());
    let error = played.await.unwrap_err();
    let RunError::Match { title, source } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(title, "demo/c1/r2/p1/m2");
    assert_eq!(source.to_string(), "the roof leaks");
    // Finished matches are kept.
    assert_eq!(state(&file, &schedule).results.played(), 3);
}

#[tokio::test]
async fn nothing_starts_after_an_immediate_stop() {
    let schedule = schedule(3, 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let venue = Arc::new(Slow::default());
    let played = play_all(venue, state(&file, &schedule), at_once(2), ready(()));
    let (finish, state) = played.await.unwrap();
    assert_eq!(finish, Finish::Interrupted);
    assert_eq!(state.results.played(), 0);
}
