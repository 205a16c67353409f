//! Runs without a service.

use std::fs;
use std::path::Path;

use dragontooth_games::catalogue;
use dragontooth_games::record::RecordStep;
use dragontooth_runner::config::RunConfig;
use dragontooth_runner::drive::{self, Finish, RunLimits};
use dragontooth_runner::progress::Progress;
use dragontooth_runner::record::read_evidence;
use dragontooth_runner_report::Document;
use dragontooth_runner_tournament::{Ending, Schedule, Verdict};
use dragontooth_service_vocabulary::Termination;

use crate::fixture::{Counter, DRAW_SECRET, run};
use crate::recorded::{games, records, transcripts};

const DIRECT: &str = "[service]\ndirect = true\n";

fn config(event: &str, service: &str, bots: &[&str]) -> RunConfig {
    let bots = bots
        .iter()
        .zip('a'..)
        .map(|(bot, name)| format!("[[bot]]\nname = '{name}'\nbuiltin = {bot}\n"));
    let bots: String = bots.collect();
    let text = format!("[event]\nname = 'cup'\n{DRAW_SECRET}\n{event}\n{service}{bots}");
    RunConfig::parse(&text, Path::new(""), None).unwrap()
}

/// Plays an event in both ways and compares everything but ids and times.
async fn assert_alike(event: &str, bots: &[&str]) {
    let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut tables = Vec::new();
    for (place, service) in places.iter().zip(["", DIRECT]) {
        let outcome = run(&config(event, service, bots), place.path()).await;
        assert_eq!(outcome.finish, Finish::Complete);
        tables.push(Document::new(&outcome.schedule, &outcome.results).text());
    }
    let [served, direct] = places.each_ref().map(tempfile::TempDir::path);
    assert_eq!(records(served), records(direct));
    assert_eq!(games(served), games(direct));
    assert_eq!(tables[0], tables[1]);
    assert!(served.join("service").exists());
    assert!(!direct.join("service").exists());
    for (title, transcript) in transcripts(direct) {
        let (record, headers) = transcript.read().unwrap();
        assert!(headers.seeds.commitment.is_some(), "{title}");
        let actions = record.games.iter().flat_map(|game| &game.steps);
        let actions = actions.filter(|step| matches!(step, RecordStep::Action { .. }));
        assert_eq!(transcript.thinking_us().len(), actions.count(), "{title}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kamisado_is_played_as_on_a_service() {
    assert_alike(
        "game = 'kamisado'\nvariant = 'random'\ntarget = 3\ncycles = 2",
        &[
            "'random'",
            "'greedy'",
            "'alphabeta'\noptions = { nodes = 300, table_mib = 1 }",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn linja_is_played_as_on_a_service() {
    assert_alike(
        "game = 'linja'\ntarget = 3\ncycles = 2",
        &[
            "'random'",
            "'greedy'",
            "'alphabeta'\noptions = { nodes = 300, table_mib = 1 }",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tzaar_is_played_as_on_a_service() {
    for variant in ["random", "tournament"] {
        assert_alike(
            &format!("game = 'tzaar'\nvariant = '{variant}'\ntarget = 1"),
            &[
                "'random'",
                "'greedy'",
                "'alphabeta'\noptions = { nodes = 300, table_mib = 1 }",
            ],
        )
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn backgammon_is_played_as_on_a_service() {
    assert_alike(
        "game = 'backgammon'\ntarget = 5",
        &[
            "'random'",
            "'greedy'",
            "'expectimax'\noptions = { candidates = 2 }",
        ],
    )
    .await;
}

/// Every game of the catalogue is compared above.
#[test]
fn every_game_is_compared() {
    let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

/// One bot has a clock and the other has none or a different one.
#[tokio::test(flavor = "multi_thread")]
async fn sufficient_time_odds_change_nothing() {
    let event = "game = 'kamisado'\ntarget = 1\ntime_control = { per_action_ms = 600000 }";
    let bots = [
        "'greedy'\ntime_control = 'none'",
        "'random'",
        "'random'\ntime_control = { base_ms = 6000000, increment_ms = 10 }",
    ];
    assert_alike(event, &bots).await;
}

/// With a long enough time control the moves are the same.
#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_do_not_run_out_change_nothing() {
    for control in [
        "{ per_action_ms = 600000 }",
        "{ base_ms = 6000000, increment_ms = 10 }",
        "{ base_ms = 6000000, delay_ms = 10 }",
    ] {
        let event = format!("game = 'kamisado'\ntarget = 1\ntime_control = {control}");
        assert_alike(&event, &["'greedy'", "'random'"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_continues_to_the_same_results() {
    let bots = ["'random'", "'greedy'", "'random'"];
    let event = "game = 'kamisado'\ntarget = 3\ncycles = 20\nconcurrency = 3";
    let config = config(event, DIRECT, &bots);
    let straight = tempfile::tempdir().unwrap();
    drop(run(&config, straight.path()).await);

    let place = tempfile::tempdir().unwrap();
    for more in [0, 1, 3, 30] {
        let (counter, mut count) = Counter::new();
        let stop = async {
            count.wait_for(|count| *count >= more).await.unwrap();
        };
        let progress = |_: &Schedule| Progress::lines(Box::new(counter));
        let run = drive::run(&config, place.path(), RunLimits::USUAL, progress, stop);
        assert!(run.await.unwrap().results.played() >= more);
    }
    assert_eq!(run(&config, place.path()).await.finish, Finish::Complete);
    assert_eq!(records(place.path()), records(straight.path()));
    assert_eq!(games(place.path()), games(straight.path()));
    let evidence = read_evidence(&[place.path()]).unwrap();
    assert_eq!(evidence.matches.len(), 120);
}

/// A run may switch from one way of playing to the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_may_switch_from_a_service_to_direct_play() {
    let bots = ["'random'", "'greedy'"];
    let event = "game = 'linja'\ntarget = 1\ncycles = 3";
    let straight = tempfile::tempdir().unwrap();
    drop(run(&config(event, DIRECT, &bots), straight.path()).await);

    let place = tempfile::tempdir().unwrap();
    let (counter, mut count) = Counter::new();
    let stop = async {
        count.wait_for(|count| *count >= 2).await.unwrap();
    };
    let progress = |_: &Schedule| Progress::lines(Box::new(counter));
    let served = config(event, "", &bots);
    let run_served = drive::run(&served, place.path(), RunLimits::USUAL, progress, stop);
    assert_eq!(run_served.await.unwrap().finish, Finish::Interrupted);
    drop(run(&config(event, DIRECT, &bots), place.path()).await);
    assert_eq!(records(place.path()), records(straight.path()));
    assert_eq!(games(place.path()), games(straight.path()));
    let lines = fs::read_to_string(place.path().join("games.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 6);
}

/// Matches that are drawn at the limit of actions are the same for bots of any speed, and whether
/// the match is aborted on a service or simply ends.
#[tokio::test(flavor = "multi_thread")]
async fn long_matches_are_drawn_as_on_a_service() {
    let bots = &["'random'", "'greedy'", "'random'\noptions = { seed = 9 }"];
    for event in [
        "game = 'kamisado'\nvariant = 'random'\ntarget = 3\nmax_plies = 60\ncycles = 3",
        "game = 'backgammon'\ntarget = 3\nmax_plies = 80",
    ] {
        assert_alike(event, bots).await;
        let place = tempfile::tempdir().unwrap();
        let outcome = run(&config(event, DIRECT, bots), place.path()).await;
        let most = outcome.schedule.event().rules().max_plies().unwrap();
        let mut ends = [0, 0];
        for (_, result) in outcome.results.with_match(outcome.schedule.matches()) {
            assert!(result.plies <= most, "{result:?}");
            match result.termination {
                Ending::By(Termination::Normal) => ends[0] += 1,
                Ending::Adjudicated => {
                    ends[1] += 1;
                    assert_eq!((result.plies, result.winner), (most, None));
                    assert_eq!(result.verdict(), Verdict::Drawn);
                    assert!(result.score.iter().all(|points| *points < 3));
                }
                Ending::By(
                    Termination::Timeout
                    | Termination::Resignation
                    | Termination::IllegalAction
                    | Termination::Aborted
                    | Termination::Disconnect
                    | Termination::Expired
                    | Termination::Declined,
                ) => panic!("{result:?}"),
            }
        }
        assert!(ends[0] > 0 && ends[1] > 0, "{event}: {ends:?}");
    }
}
