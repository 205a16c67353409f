use std::fs;

use serde_json::json;

use super::run::{Run, read};

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_run_agrees() {
    for (event, bots) in [
        (
            "game = 'kamisado'\nvariant = 'random'\ntarget = 3",
            ["random", "greedy"],
        ),
        ("game = 'linja'\ntarget = 3", ["random", "greedy"]),
        ("game = 'tzaar'\ntarget = 3", ["random", "random"]),
        ("game = 'backgammon'\ntarget = 3", ["random", "greedy"]),
    ] {
        let run = Run::new(event, bots).await;
        let found = run.verify();
        assert_eq!(found.disagreements, [], "{event}");
        assert_eq!((found.matches, found.verified), (2, 2));
        let results = read(&run.results());
        let plies: u64 = results
            .iter()
            .map(|line| line["plies"].as_u64().unwrap())
            .sum();
        assert_eq!(found.plies, plies);
        let text = fs::read_to_string(run.games()).unwrap();
        assert_eq!(
            found.deals,
            text.matches("Game ").count() as u64 - 2,
            "{event}"
        );
        assert_eq!(found.rolls, text.matches(" roll   ").count() as u64);
        assert_eq!(found.rolls > 0, event.contains("backgammon"));
    }
}

/// If later matches depend on earlier ones, the schedule follows from the matches played.
#[tokio::test(flavor = "multi_thread")]
async fn a_schedule_that_follows_from_results_agrees() {
    for format in [
        "'knockout'",
        "'ladder'\nrounds = 3",
        "'sprt'\nsprt = { elo0 = 0, elo1 = 400, max_encounters = 40 }\nconcurrency = 8",
    ] {
        let event = format!("game = 'kamisado'\ntarget = 1\nformat = {format}");
        let run = Run::new(&event, ["random", "greedy"]).await;
        let found = run.verify();
        assert_eq!(found.disagreements, [], "{format}");
        assert_eq!(found.results.remaining(), 0, "{format}");
        assert!(found.matches >= 2, "{format}");
        assert_eq!(found.matches + found.beyond, found.verified, "{format}");
        assert_eq!(found.matches, found.schedule.matches().len(), "{format}");
        assert_eq!(found.matches + found.beyond, read(&run.results()).len());
    }
}

/// Matches drawn at the event's limit of actions agree, and nothing else is reported
/// as such.
#[tokio::test(flavor = "multi_thread")]
async fn adjudicated_matches_agree() {
    let event = |limit: &str| format!("game = 'kamisado'\ntarget = 15\n{limit}");
    let run = Run::new(&event("max_plies = 30"), ["random", "greedy"]).await;
    let found = run.verify();
    assert_eq!(found.disagreements, []);
    assert!(found.results.faults() + found.results.void() == 0);
    let called = |termination: &str| {
        run.changed_result(|line| {
            assert_eq!(line["termination"], "adjudicated");
            line["termination"] = json!(termination);
        })
    };
    for other in ["normal", "timeout", "resignation"] {
        let found = called(other);
        assert!(
            found.iter().any(|line| line.contains("the termination is")),
            "{found:?}"
        );
    }
    let unlimited = Run::new(&event(""), ["random", "greedy"]).await;
    let found = unlimited.changed_result(|line| {
        line["winner"] = json!(null);
        line["termination"] = json!("adjudicated");
    });
    assert!(
        found.iter().any(|line| line.contains("the termination is")),
        "{found:?}"
    );
}

/// The remains of a crash are not a disagreement, and `run` repairs them.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_agrees() {
    let run = Run::of_backgammon().await;
    let [results, games] =
        [run.results(), run.games()].map(|file| fs::read_to_string(file).unwrap());
    run.forget_end();
    let cut = results.trim_end().rfind('\n').unwrap() + 1;
    for (result_bytes, game_bytes, leftovers) in [
        (cut, games.len(), 1),
        (cut + 5, games.len(), 1),
        (cut, games.len() - 9, 0),
    ] {
        fs::write(run.results(), &results[..result_bytes]).unwrap();
        fs::write(run.games(), &games[..game_bytes]).unwrap();
        run.reforge();
        let found = run.verify();
        assert_eq!(found.disagreements, []);
        assert_eq!((found.matches, found.verified), (3, 3));
        assert_eq!(found.leftovers, leftovers);
    }
    for file in [run.results(), run.games()] {
        fs::remove_file(file).unwrap();
    }
    run.reforge();
    let found = run.verify();
    assert_eq!((found.disagreements.len(), found.matches), (0, 0));
}
