use std::fs;
use std::path::PathBuf;

use dragontooth_runner::record::{Cover, RunFolder};
use dragontooth_runner::verify::{BookCheck, RecordedRun, Reports, Verification};
use serde_json::{Value, json};

use super::run::{FIRST, Run, assert_found, read, write};

const REPORT: &str = "the report is not the one that follows from what was played";

#[tokio::test(flavor = "multi_thread")]
async fn every_missing_or_extra_line_is_found() {
    let run = Run::of_backgammon().await;
    // The keys come in another order, which is another event digest.
    run.reforge();
    run.report(Cover::ALL);
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
    assert_eq!(tables, &uncovered(3));

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
        [format!("report.html: {REPORT}")],
        "any order will do, but it has another event digest"
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
    assert_found(&found, &["report.md", REPORT]);
}

/// The findings when a file reports more finished matches than there are results.
fn missing(file: &str, over: usize, results: usize) -> String {
    format!(
        "{file}: by this {over} matches were over, and there are {results} results: results are missing"
    )
}

/// The finding when the reports cover four results and there are fewer.
fn uncovered(results: usize) -> String {
    format!(
        "report.json: the reports cover 4 lines of results.jsonl, and there are {results}: lines are missing"
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
            assert_eq!(found, [uncovered(kept)]);
        }
    }
    fs::remove_file(run.path().join("report.json")).unwrap();
    let unreported = "report.json: the reports are missing: `report` writes them again";
    let path = run.path().join("sessions.jsonl");
    let published = fs::read_to_string(&path).unwrap();
    let (published, _) = published.split_once('\n').unwrap();
    let sessions = |matches: &[u64]| {
        let line = |matches: &u64| {
            let line = json!({"matches": matches, "actions": 9, "wall_ms": 9, "cpu_ms": 9});
            format!("{line}\n")
        };
        let secret = matches.first().map(|_| format!("{published}\n"));
        let lines = secret.into_iter().chain(matches.iter().map(line));
        fs::write(&path, lines.collect::<String>()).unwrap();
    };
    sessions(&[1, 3]);
    assert_eq!(run.found(), [unreported]);
    write(&run.results(), &read(&run.results())[..3]);
    let lost = missing("sessions.jsonl", 4, 3);
    assert_eq!(run.found(), [&lost, unreported]);
    sessions(&[1, 2]);
    assert_eq!(run.found(), [unreported]);
    sessions(&[]);
    assert_eq!(run.found(), [""; 0]);
}

/// More records without a result than an interruption leaves mean that results are missing.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_records_without_a_result_are_found() {
    let event = "game = 'kamisado'\ntarget = 1\ncycles = 17";
    let run = Run::new(event, ["random", "random"]).await;
    run.forget_end();
    let results = read(&run.results());
    write(&run.results(), &results[..2]);
    assert_eq!(run.found(), [""; 0]);
    assert_eq!(run.verify().leftovers, 32);
    write(&run.results(), &results[..1]);
    let parts = ["games.jsonl: 33 records", "at most 32: results are missing"];
    assert_found(&run.found(), &parts);
}

/// A run in progress adds records, and then their results, while it is verified.
#[tokio::test(flavor = "multi_thread")]
async fn records_added_after_the_results_were_read_need_none() {
    for format in ["cycles = 17", "format = 'ladder'\nrounds = 17"] {
        let event = format!("game = 'kamisado'\ntarget = 1\n{format}\nconcurrency = 1");
        let run = Run::new(&event, ["random", "random"]).await;
        run.forget_end();
        let results = read(&run.results());
        let games = read(&run.games());
        write(&run.results(), &results[..1]);
        write(&run.games(), &games);
        run.reforge();
        let book = BookCheck::default();
        let verify_with = |before: usize, after: &[Value]| {
            write(&run.games(), &games[..before]);
            let recorded = RecordedRun::read(run.path(), &run.event).unwrap();
            write(&run.games(), after);
            recorded.verify(None, &book).unwrap()
        };
        let told = |found: &Verification| -> Vec<String> {
            let disagreements = found.disagreements.iter();
            disagreements.map(ToString::to_string).collect()
        };
        // The record of the result may itself be added later.
        for before in 0..=2 {
            let found = verify_with(before, &games);
            assert_eq!(told(&found), [""; 0], "{format}");
            assert_eq!(
                (found.matches, found.verified, found.leftovers),
                (1, 1, before.saturating_sub(1))
            );
        }
        let found = verify_with(games.len(), &games);
        assert!(!told(&found).is_empty(), "{format}");
        // Before the record of a result there is none without one.
        let found = verify_with(0, &[games[1].clone(), games[0].clone()]);
        assert_found(
            &told(&found),
            &["games.jsonl:1: what was played has no result"],
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_something_else_are_found() {
    let run = Run::of_backgammon().await;
    run.forget_end();
    let [results, games] =
        [run.results(), run.games()].map(|file| fs::read_to_string(file).unwrap());
    for garbage in ["garbage", "garbage\n", "\n", "[1, 2]", "{}\n"] {
        fs::write(run.results(), garbage).unwrap();
        assert_found(&run.found(), &["results.jsonl:1: the line is no"]);
        fs::write(run.results(), &results).unwrap();
        fs::write(run.games(), format!("{games}{garbage}")).unwrap();
        let found = run.found();
        let told = "games.jsonl:5: the line is no record of what was";
        assert!(found[0].starts_with(told), "{found:?}");
        fs::write(run.games(), &games).unwrap();
    }
}

/// The reports are written at the end of each run, from the results at that time.
#[tokio::test(flavor = "multi_thread")]
async fn reports_of_the_first_results_agree_and_no_others() {
    let run = Run::of_backgammon().await;
    run.reforge();
    let file = |name: &str| run.path().join(name);
    for results in 1..=4 {
        run.report(Cover {
            results,
            ..Cover::ALL
        });
        assert_eq!(run.found(), [""; 0]);
        assert_eq!(run.verify().reports, Reports::Of(results));
        for name in ["report.md", "report.html"] {
            let text = fs::read_to_string(file(name)).unwrap();
            fs::write(file(name), text.replacen("cup", "cap", 1)).unwrap();
            assert_eq!(run.found(), [format!("{name}: {REPORT}")]);
            fs::remove_file(file(name)).unwrap();
            let found = run.found();
            assert!(
                found[0].starts_with(&format!("{name}: it cannot be read")),
                "{found:?}"
            );
            fs::write(file(name), text).unwrap();
        }
    }
    let page = fs::read_dir(file("matches")).unwrap().next().unwrap();
    let page = page.unwrap().path();
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replacen("cup", "cap", 1)).unwrap();
    assert_found(&run.found(), &["matches/", REPORT]);
    run.report(Cover::ALL);

    let cover = fs::read_to_string(file("report.json")).unwrap();
    for (from, to, told) in [
        ("\"pages\": 3", "\"pages\": 99999", "pages must be at most"),
        (
            "\"pages\": 3",
            "\"pages\": -1",
            "does not say what the reports cover",
        ),
        (
            "\"sessions\": 2",
            "\"sessions\": 3",
            "cover 3 lines of sessions.jsonl",
        ),
        ("\"runner\": \"", "\"runner\": \"9", "cannot be compared"),
    ] {
        assert!(cover.contains(from), "{cover}");
        fs::write(file("report.json"), cover.replacen(from, to, 1)).unwrap();
        assert_found(&run.found(), &["report.json: ", told]);
    }
    fs::remove_file(file("report.json")).unwrap();
    assert_found(&run.found(), &["report.json: the reports are missing"]);
    // A run that uses the folder may just be writing them.
    let manifest = RunFolder::look(run.path()).unwrap();
    let folder = RunFolder::open(run.path(), &manifest).unwrap();
    assert_eq!(run.found(), [""; 0]);
    drop(folder);
    assert_found(&run.found(), &["report.json: the reports are missing"]);
}
