//! Whole runs on an embedded service.

use std::fs;
use std::future::{pending, ready};
use std::path::Path;

use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{self, Finish, RunError, RunLimits, RunOutcome};
use dragontooth_runner::progress::Progress;
use dragontooth_runner::record::FolderError;
use dragontooth_runner_report::Document;
use dragontooth_runner_tournament::Schedule;
use dragontooth_service_client::{Client, Token};

use crate::fixture::{Counter, DRAW_SECRET, run, silent};
use crate::recorded::{games, records, transcripts};

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

fn config(event: &str, rest: &str) -> RunConfig {
    let text = format!(
        "[event]\nname = 'cup'\n{DRAW_SECRET}\ngame = 'kamisado'\n{event}\n{rest}{BUILTINS}"
    );
    RunConfig::parse(&text, Path::new(""), None).unwrap()
}

fn tables(outcome: &RunOutcome) -> String {
    Document::new(&outcome.schedule, &outcome.results).text()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_plays_every_match_and_a_second_run_none() {
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
async fn an_interrupted_run_continues_to_the_same_results() {
    let config = config("target = 3\ncycles = 2\nconcurrency = 3", "");
    let straight = tempfile::tempdir().unwrap();
    let expected = tables(&run(&config, straight.path()).await);

    let place = tempfile::tempdir().unwrap();
    for more in [0, 1, 3, 3] {
        let (counter, mut count) = Counter::new();
        let stop = async {
            count.wait_for(|count| *count >= more).await.unwrap();
        };
        let progress = |_: &Schedule| Progress::lines(Box::new(counter));
        let run = drive::run(&config, place.path(), RunLimits::USUAL, progress, stop);
        let outcome = run.await.unwrap();
        assert!(outcome.results.played() >= more);
    }
    let whole = run(&config, place.path()).await;
    assert_eq!(whole.finish, Finish::Complete);
    assert_eq!(tables(&whole), expected);
    assert_eq!(records(place.path()), records(straight.path()));
    assert_eq!(games(place.path()), games(straight.path()));
}

/// Whichever part of the last lines was written when the runner stopped, the next run makes the
/// same of it: both matches are over in the service.
#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_a_match_and_its_result_loses_and_doubles_nothing() {
    let place = tempfile::tempdir().unwrap();
    let config = config("target = 1\nconcurrency = 2", "");
    drop(run(&config, place.path()).await);
    let files = ["results.jsonl", "games.jsonl"].map(|name| place.path().join(name));
    let [results, games] = files
        .each_ref()
        .map(|file| fs::read_to_string(file).unwrap());
    let start_of_last = |text: &str| text.trim_end().rfind('\n').unwrap() + 1;
    let (last_result, last_game) = (start_of_last(&results), start_of_last(&games));
    for (result_bytes, game_bytes) in [
        (last_result, last_game),
        (last_result, last_game + 100),
        (last_result, games.len()),
        (last_result + 1, games.len()),
        (results.len() - 1, games.len()),
    ] {
        fs::write(&files[0], &results[..result_bytes]).unwrap();
        fs::write(&files[1], &games[..game_bytes]).unwrap();
        drop(run(&config, place.path()).await);
        let [results_again, games_again] = files
            .each_ref()
            .map(|file| fs::read_to_string(file).unwrap());
        assert_eq!((&results_again, &games_again), (&results, &games));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_its_service_does_not_start() {
    let place = tempfile::tempdir().unwrap();
    let config = config("target = 1", "");
    let begin = |stop| drive::run(&config, place.path(), RunLimits::USUAL, silent, stop);
    drop(begin(ready(())).await.unwrap());
    // A file in the place of the service's folder.
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
    let second = drive::run(&config, place.path(), RunLimits::USUAL, silent, pending());
    let second = second.await.unwrap_err();
    assert!(
        matches!(second, RunError::Folder(FolderError::InUse { .. })),
        "{second:?}"
    );
    drop(first);
    run(&config, place.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_played_on_a_remote_service() {
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
    assert_eq!(games(here.path()), games(there.path()));

    let address = format!("http://{}", service.address()).parse().unwrap();
    let reader = Client::connect(&address, &Token::random()).await.unwrap();
    for (title, transcript) in transcripts(here.path()) {
        let id = transcript.read().unwrap().1.match_id.parse().unwrap();
        let export = reader.export_match(id, None).await.unwrap();
        let known = export
            .text
            .lines()
            .filter(|line| !line.starts_with("[HeadHash ") && !line.starts_with("[ServerSeed "));
        assert!(known.eq(transcript.record().lines()), "{title}");
        // All is over, so the service has revealed what the runner has not.
        assert!(export.text.contains("[ServerSeed "), "{title}");
    }
    service.stop().await;
}
