use std::fs;
use std::path::PathBuf;

use dragontooth_runner::record::Records;
use dragontooth_runner::verify::Tables;
use dragontooth_runner_report::Document;
use dragontooth_runner_tournament::{Results, Schedule};
use serde_json::json;

use super::run::{FIRST, Run, assert_found, read, write};

#[tokio::test(flavor = "multi_thread")]
async fn every_missing_or_extra_line_is_found() {
    let run = Run::of_backgammon().await;
    let without = |file: PathBuf, line: usize| {
        run.changed(|_| {
            let mut lines = read(&file);
            lines.remove(line);
            write(&file, &lines);
        })
    };
    let found = without(run.games(), 0);
    assert_found(&found, &[FIRST, "there is no record of what was played"]);
    let found = without(run.results(), 0);
    let [stray, tables] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(stray, "games.jsonl:1: what was played has no result");
    assert_eq!(tables, &missing("report.md", 4, 3));

    let doubled = |file: PathBuf| {
        run.changed(|_| {
            let mut lines = read(&file);
            lines.push(lines[0].clone());
            write(&file, &lines);
        })
    };
    assert_found(&doubled(run.games()), &[FIRST, "more than one record"]);
    assert_found(
        &doubled(run.results()),
        &["results.jsonl:5", "already has a result"],
    );

    let swapped = |files: &[PathBuf]| {
        run.changed(|_| {
            for file in files {
                let mut lines = read(file);
                lines.swap(0, 1);
                write(file, &lines);
            }
        })
    };
    let found = swapped(&[run.games()]);
    assert_found(&found, &[FIRST, "stands after that of a later result"]);
    assert_eq!(
        swapped(&[run.games(), run.results()]),
        [""; 0],
        "any order will do"
    );

    let found = run.changed_line(&run.games(), 0, |line| {
        line["title"] = json!("cup/c9/r1/p1/m1");
    });
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("games.jsonl:1: the schedule has no match"));
    let found = run.changed_line(&run.games(), 0, |line| line["more"] = json!(1));
    assert!(
        found[0].starts_with("games.jsonl:1: the line is no record"),
        "{found:?}"
    );

    let found = run.changed(|run| fs::write(run.path().join("report.md"), "changed").unwrap());
    assert_found(&found, &["report.md", "tables"]);
}

/// The findings when a file reports more finished matches than there are results.
fn missing(file: &str, over: usize, results: usize) -> String {
    format!(
        "{file}: by this {over} matches were over, and there are {results} results: results are missing"
    )
}

/// Results and transcripts may vanish from their files without a trace, but other files mention them.
#[tokio::test(flavor = "multi_thread")]
async fn missing_results_are_found() {
    let run = Run::of_backgammon().await;
    for kept in 0..4 {
        for played in [kept, 4] {
            let found = run.changed(|run| {
                write(&run.results(), &read(&run.results())[..kept]);
                write(&run.games(), &read(&run.games())[..played]);
            });
            assert_eq!(found, [missing("report.md", 4, kept)]);
        }
    }
    fs::remove_file(run.path().join("report.md")).unwrap();
    let sessions = |matches: &[u64]| {
        let line = |matches: &u64| {
            let line = json!({"matches": matches, "actions": 9, "wall_ms": 9, "cpu_ms": 9});
            format!("{line}\n")
        };
        let text: String = matches.iter().map(line).collect();
        fs::write(run.path().join("sessions.jsonl"), text).unwrap();
    };
    sessions(&[1, 3]);
    assert_eq!(run.found(), [""; 0]);
    write(&run.results(), &read(&run.results())[..3]);
    assert_eq!(run.found(), [missing("sessions.jsonl", 4, 3)]);
    sessions(&[1, 2]);
    assert_eq!(run.found(), [""; 0]);
}

/// More records without a result than an interruption leaves mean that results are missing.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_records_without_a_result_are_found() {
    let event = "game = 'kamisado'\ntarget = 1\ncycles = 17";
    let run = Run::new(event, ["random", "random"]).await;
    fs::remove_file(run.path().join("report.md")).unwrap();
    let results = read(&run.results());
    write(&run.results(), &results[..2]);
    assert_eq!(run.found(), [""; 0]);
    assert_eq!(run.verify().leftovers, 32);
    write(&run.results(), &results[..1]);
    let parts = ["games.jsonl: 33 records", "at most 32: results are missing"];
    assert_found(&run.found(), &parts);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_something_else_are_found() {
    let run = Run::of_backgammon().await;
    fs::remove_file(run.path().join("report.md")).unwrap();
    let [results, games] =
        [run.results(), run.games()].map(|file| fs::read_to_string(file).unwrap());
    for garbage in ["garbage", "garbage\n", "\n", "[1, 2]", "{}\n"] {
        fs::write(run.results(), garbage).unwrap();
        assert_found(&run.found(), &["results.jsonl:1: the line is no "]);
        fs::write(run.results(), &results).unwrap();
        fs::write(run.games(), format!("{games}{garbage}")).unwrap();
        let found = run.found();
        assert_found(
            &found,
            &["games.jsonl:5: the line is no record of what was"],
        );
        fs::write(run.games(), &games).unwrap();
    }
}

/// The tables are written at the end of each run, from the results at that time.
#[tokio::test(flavor = "multi_thread")]
async fn tables_of_the_first_results_agree_and_no_others() {
    let run = Run::of_backgammon().await;
    let file = run.path().join("report.md");
    let mut schedule = Schedule::new(run.event.clone());
    let mut results = Results::none(&schedule);
    for record in Records::open(&run.results()).unwrap() {
        record.unwrap().add_to(&mut results, &mut schedule).unwrap();
        let tables = Document::new(&schedule, &results).markdown();
        fs::write(&file, &tables).unwrap();
        assert_eq!(run.found(), [""; 0]);
        assert_eq!(run.verify().tables, Tables::Of(results.played() as u64));
        fs::write(&file, tables.replacen("seed 1;", "seed 2;", 1)).unwrap();
        assert_found(&run.found(), &["report.md: the tables are not those"]);
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(run.found(), [""; 0]);
    assert_eq!(run.verify().tables, Tables::Missing);
}
