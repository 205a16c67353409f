//! Whole runs on an embedded service.

use std::fs;
use std::future::{pending, ready};
use std::path::Path;

use dragontooth_runner::config::Config;
use dragontooth_runner::drive::{self, Finish, Limits, Outcome, RunError};
use dragontooth_runner::record::FolderError;
use dragontooth_runner::report::{Document, Progress};
use dragontooth_runner::tournament::Schedule;

use crate::fixture::{Counter, silent};

/// A short event of the three built-in bots.
const BUILTINS: &str = "
[[bot]]
name = 'random'
builtin = 'random'
[[bot]]
name = 'greedy'
builtin = 'greedy'
[[bot]]
name = 'deep'
builtin = 'alphabeta'
options = { nodes = 200, table_mib = 1 }
";

fn config(event: &str, rest: &str) -> Config {
    let text = format!("[event]\nname = 'cup'\ngame = 'kamisado'\n{event}\n{rest}{BUILTINS}");
    Config::parse(&text, Path::new(""), None).unwrap()
}

async fn run(config: &Config, folder: &Path) -> Outcome {
    drive::run(config, folder, Limits::USUAL, silent, pending())
        .await
        .unwrap()
}

fn tables(outcome: &Outcome) -> String {
    Document::new(&outcome.schedule, &outcome.results).text()
}

/// The records of a run without what differs from one run to the next, in the order of the
/// schedule.
fn records(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let mut records: Vec<serde_json::Value> = text
        .lines()
        .map(|line| {
            let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
            for field in ["match_id", "started", "ended", "duration_ms"] {
                assert!(record.as_object_mut().unwrap().remove(field).is_some());
            }
            record
        })
        .collect();
    records.sort_by_key(|record| record["title"].to_string());
    records
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_plays_every_match_and_the_next_one_none() {
    let place = tempfile::tempdir().unwrap();
    let config = config("variant = 'random'\ntarget = 3", "");
    let outcome = run(&config, place.path()).await;
    assert_eq!(outcome.finish, Finish::Complete);
    assert_eq!(
        (outcome.results.played(), outcome.results.remaining()),
        (6, 0)
    );
    assert_eq!((outcome.results.faults(), outcome.results.void()), (0, 0));
    let first = tables(&outcome);
    let written = fs::read(place.path().join("results.jsonl")).unwrap();
    drop(outcome);

    let again = run(&config, place.path()).await;
    assert_eq!(tables(&again), first);
    assert_eq!(
        fs::read(place.path().join("results.jsonl")).unwrap(),
        written
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_file_gives_the_same_results_however_many_are_played_at_once() {
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut all = Vec::new();
    for (place, concurrency) in places.iter().zip([1, 5]) {
        let event = format!("target = 1\ncycles = 2\nconcurrency = {concurrency}");
        run(&config(&event, ""), place.path()).await;
        all.push(records(place.path()));
    }
    assert_eq!(all[0].len(), 12);
    assert_eq!(all[0], all[1]);

    let other = tempfile::tempdir().unwrap();
    run(
        &config("target = 1\ncycles = 2\nseed = 2", ""),
        other.path(),
    )
    .await;
    assert_ne!(
        records(other.path()),
        all[0],
        "another seed is another tournament"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_clocks_is_played() {
    for control in [
        "{ per_action_ms = 20000 }",
        "{ base_ms = 60000, increment_ms = 10 }",
        "{ base_ms = 60000, delay_ms = 10 }",
    ] {
        let place = tempfile::tempdir().unwrap();
        let event = format!("target = 1\ntime_control = {control}");
        let outcome = run(&config(&event, ""), place.path()).await;
        assert_eq!(
            (outcome.results.remaining(), outcome.results.faults()),
            (0, 0),
            "{control}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_interrupted_goes_on_to_the_same_results() {
    let config = config("target = 3\ncycles = 2\nconcurrency = 3", "");
    let straight = tempfile::tempdir().unwrap();
    let expected = tables(&run(&config, straight.path()).await);

    let place = tempfile::tempdir().unwrap();
    for more in [0, 1, 3, 3] {
        let (counter, mut count) = Counter::new();
        let stop = async {
            count.wait_for(|count| *count >= more).await.unwrap();
        };
        let progress = |_: &Schedule| Progress::Lines(Box::new(counter));
        let run = drive::run(&config, place.path(), Limits::USUAL, progress, stop);
        let outcome = run.await.unwrap();
        assert!(outcome.results.played() >= more);
    }
    let whole = run(&config, place.path()).await;
    assert_eq!(whole.finish, Finish::Complete);
    assert_eq!(tables(&whole), expected);
    assert_eq!(records(place.path()), records(straight.path()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_its_service_does_not_begin() {
    let place = tempfile::tempdir().unwrap();
    let config = config("target = 1", "");
    let begin = |stop| drive::run(&config, place.path(), Limits::USUAL, silent, stop);
    drop(begin(ready(())).await.unwrap());
    // A file where the service wants its folder.
    fs::remove_dir_all(place.path().join("service")).unwrap();
    fs::write(place.path().join("service"), "").unwrap();
    let error = begin(ready(())).await.unwrap_err();
    assert!(matches!(error, RunError::Host(_)), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_do_not_share_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let config = config("target = 1", "");
    let first = run(&config, place.path()).await;
    let second = drive::run(&config, place.path(), Limits::USUAL, silent, pending());
    let second = second.await.unwrap_err();
    assert!(
        matches!(second, RunError::Folder(FolderError::InUse { .. })),
        "{second:?}"
    );
    drop(first);
    run(&config, place.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_played_on_a_service_elsewhere() {
    let service = dragontooth_service::Service::start(dragontooth_service::Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        storage: dragontooth_service::Storage::Memory,
        ..dragontooth_service::Config::default()
    });
    let service = service.await.unwrap();
    let address = format!("[service]\naddress = 'http://{}'\n", service.address());
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(&config("target = 1", &address), here.path()).await;
    run(&config("target = 1", ""), there.path()).await;
    assert!(!here.path().join("service").exists());
    assert_eq!(records(here.path()), records(there.path()));
    service.stop().await;
}
