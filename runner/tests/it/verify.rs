//! `verify`: whatever is changed in the folder of a run is found.

use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::process::Command;

use dragontooth_runner::config::Config;
use dragontooth_runner::drive::{self, Limits};
use dragontooth_runner::report::Document;
use dragontooth_runner::tournament::{Event, MovesDigest};
use dragontooth_runner::verify::{Mismatch, Verification, verify};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fixture::silent;

/// A run that is over, to be changed.
struct Run {
    folder: TempDir,
    event: Event,
}

impl Run {
    async fn new(event: &str, bots: [&str; 2]) -> Self {
        let [a, b] = bots;
        let text = format!(
            "[event]\nname = 'cup'\n{event}\n[service]\ndirect = true\n\
             [[bot]]\nname = 'a'\nbuiltin = '{a}'\n[[bot]]\nname = 'b'\nbuiltin = '{b}'\n"
        );
        let config = Config::parse(&text, Path::new(""), None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let run = drive::run(&config, folder.path(), Limits::USUAL, silent, pending());
        let outcome = run.await.unwrap();
        let tables = Document::new(&outcome.schedule, &outcome.results).markdown();
        outcome.folder.write_report(&tables).unwrap();
        Self {
            folder,
            event: outcome.schedule.event().clone(),
        }
    }

    async fn of_backgammon() -> Self {
        let event = "game = 'backgammon'\ntarget = 1\ncycles = 2\nconcurrency = 1";
        Self::new(event, ["random", "greedy"]).await
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn results(&self) -> PathBuf {
        self.path().join("results.jsonl")
    }

    fn games(&self) -> PathBuf {
        self.path().join("games.jsonl")
    }

    fn verify(&self) -> Verification {
        verify(self.path(), &self.event).unwrap()
    }

    /// What is found when `change` has been made; afterwards all is as it was.
    fn changed(&self, change: impl FnOnce(&Self)) -> Vec<String> {
        let files = [self.results(), self.games(), self.path().join("report.md")];
        let before = files.each_ref().map(|file| fs::read(file).unwrap());
        change(self);
        let found = self.verify();
        for (file, bytes) in files.iter().zip(before) {
            fs::write(file, bytes).unwrap();
        }
        let disagreements = found.disagreements.iter().map(ToString::to_string);
        disagreements.collect()
    }

    /// What is found when a line of a file, from 0, is changed.
    fn changed_line(
        &self,
        file: &Path,
        line: usize,
        change: impl FnOnce(&mut Value),
    ) -> Vec<String> {
        self.changed(|_| {
            let mut lines = read(file);
            change(&mut lines[line]);
            write(file, &lines);
        })
    }

    /// What is found when a result is changed: the first match's, whose winner is `second`.
    fn changed_result(&self, change: impl FnOnce(&mut Value)) -> Vec<String> {
        self.changed_line(&self.results(), 0, change)
    }

    /// What is found when the text of the first record is changed, and its digest with it.
    fn changed_record(&self, change: impl FnOnce(&str) -> String) -> Vec<String> {
        self.changed(|_| {
            let mut games = read(&self.games());
            let text = games[0]["record"].as_str().unwrap();
            let text_after = change(text);
            assert_ne!(text, text_after, "nothing was changed");
            let mut results = read(&self.results());
            results[0]["digest"] = json!(digest(&text_after));
            games[0]["record"] = json!(text_after);
            write(&self.games(), &games);
            write(&self.results(), &results);
        })
    }
}

fn read(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Writes lines with the title first, as the runner does.
fn write(file: &Path, lines: &[Value]) {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    fs::write(file, lines.collect::<String>()).unwrap();
}

/// The digest of a record, computed as the documentation says.
fn digest(record: &str) -> String {
    let start = record.find("\nGame 1: ").map_or(record.len(), |at| at + 1);
    let bytes = Sha256::digest(&record.as_bytes()[start..]);
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// That one thing is found, which has all of `parts` in it.
fn assert_found(found: &[String], parts: &[&str]) {
    let [one] = found else {
        panic!("{parts:?}: {found:#?}")
    };
    for part in parts {
        assert!(one.contains(part), "{part}: {one}");
    }
}

const FIRST: &str = "cup/c1/r1/p1/m1: ";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_nobody_has_touched_agrees() {
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

/// Where later matches follow from earlier ones, the schedule follows from what was played.
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
        assert!(
            found.matches >= 2 && found.matches == found.verified,
            "{format}"
        );
    }
}

/// Matches that were drawn after as many actions as the event allows agree, and nothing else is called
/// so.
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

/// Matches that were not played to their end agree, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_ended_by_time_agrees_and_no_other_does() {
    let run = Run::of_backgammon().await;
    let end = |termination: &'static str, winner: Value, seat: Option<&'static str>| {
        run.changed(|run| {
            let mut results = read(&run.results());
            let mut games = read(&run.games());
            // Before the last decision of the game; what has led to it stays.
            let record = games[0]["record"].as_str().unwrap().to_owned();
            let at = record.rfind("\n  2. ").unwrap() + 1;
            let (_, word) = record[..at].rsplit_once("[Result \"").unwrap();
            let (word, _) = word.split_once('"').unwrap();
            let won = winner.as_str().unwrap_or("nobody").to_owned();
            let headed = record[..at].replace(word, &format!("{won} 0-0 {termination}"));
            results[0]["digest"] = json!(digest(&headed));
            games[0]["record"] = json!(headed);
            games[0]["think_us"].as_array_mut().unwrap().truncate(1);
            results[0]["plies"] = json!(1);
            results[0]["score"] = json!({"first": 0, "second": 0});
            results[0]["games"] = json!({"first": 0, "second": 0, "drawn": 0});
            results[0]["termination"] = json!(termination);
            results[0]["winner"] = winner;
            let fault = seat.map(|seat| {
                let bot = &results[0]["bots"][seat];
                json!({"bot": bot, "seat": seat, "kind": "time", "detail": ""})
            });
            results[0]["faults"] = json!(Vec::from_iter(fault));
            write(&run.games(), &games);
            write(&run.results(), &results);
            fs::remove_file(run.path().join("report.md")).unwrap();
            fs::write(run.path().join("report.md"), "").unwrap();
        })
    };
    let tables = "report.md: the tables are not those that follow from what was played";
    let second_decides = "second";
    assert_eq!(
        end("timeout", json!("first"), Some(second_decides)),
        [tables]
    );
    assert_eq!(end("resignation", json!("second"), None), [tables]);
    assert_eq!(end("aborted", Value::Null, None), [tables]);
    assert_eq!(end("disconnect", json!("first"), None), [tables]);

    let odd = end("timeout", json!("second"), Some("first"));
    assert!(odd[0].contains("the winner is second in the results; by what was played it is first"));
    let odd = end("timeout", json!("first"), None);
    assert!(
        odd[0].contains("the seat whose clock ran out is nobody's"),
        "{odd:?}"
    );
    let odd = end("resignation", Value::Null, None);
    assert!(odd[0].contains("the termination is resignation"), "{odd:?}");
    let odd = end("aborted", json!("first"), None);
    assert!(odd[0].contains("the winner is first"), "{odd:?}");
    let odd = end("normal", json!("first"), None);
    assert!(odd[0].contains("the match was not over"), "{odd:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_changed_field_of_a_result_is_found() {
    let run = Run::of_backgammon().await;
    let winner = read(&run.results())[0]["winner"].clone();
    let other = if winner == "first" { "second" } else { "first" };

    let found = run.changed_result(|line| line["winner"] = json!(other));
    assert!(
        found[0].contains("\"Result\"") || found[0].contains("Result"),
        "{found:?}"
    );
    assert!(
        found.iter().any(|one| one.contains("the winner is")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["winner"] = Value::Null);
    assert!(
        found.iter().any(|one| one.contains("the winner is nobody")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["termination"] = json!("resignation"));
    assert!(
        found.iter().any(|one| one.contains("the termination is")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["score"]["first"] = json!(77));
    assert!(
        found.iter().any(|one| one.contains("the score is 77-")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["games"]["drawn"] = json!(3));
    assert_found(&found, &[FIRST, "games won", "3 drawn"]);
    let found = run.changed_result(|line| line["plies"] = json!(1));
    assert!(
        found
            .iter()
            .any(|one| one.contains("the number of plies is 1 in")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["digest"] = json!("0".repeat(64)));
    assert_found(&found, &[FIRST, "digest"]);
    let found = run.changed_result(|line| line["digest"] = json!("x"));
    assert!(
        found
            .iter()
            .any(|one| one.contains("results.jsonl:1: digest cannot be read"))
    );
    let found = run.changed_result(|line| drop(line.as_object_mut().unwrap().remove("digest")));
    assert_found(&found, &[FIRST, "was not recorded"]);
    let found = run.changed_result(|line| {
        line["match_id"] = json!("0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b");
    });
    assert_eq!(found.len(), 2, "its id and the commitment: {found:?}");
    let found = run.changed_result(|line| line["started"] = json!("2020-01-01T00:00:00.000Z"));
    assert!(
        found.iter().any(|one| one.contains("as its Date")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["duration_ms"] = json!(77_000));
    assert_found(&found, &[FIRST, "77000 ms by its duration"]);
    let fault = json!({"bot": "a", "seat": "first", "kind": "time", "detail": ""});
    let found = run.changed_result(|line| line["faults"] = json!([fault]));
    assert!(
        found[0].contains("the seat whose clock ran out is first"),
        "{found:?}"
    );
    assert_eq!(
        found.last().unwrap(),
        "report.md: the tables are not those that follow from what was played"
    );

    // What the schedule knows, the reader of results compares.
    for (field, value) in [
        ("seed", json!("0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b")),
        ("bots", json!({"first": "b", "second": "a"})),
        ("title", json!("cup/c9/r1/p1/m1")),
        ("encounter", json!(2)),
        ("target", json!(3)),
    ] {
        let found = run.changed_result(|line| line[field] = value);
        assert!(
            found[0].starts_with("results.jsonl:1: "),
            "{field}: {found:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_changed_header_of_a_record_is_found() {
    let run = Run::of_backgammon().await;
    let headers: Vec<String> = read(&run.games())[0]["record"]
        .as_str()
        .unwrap()
        .lines()
        .take_while(|line| line.starts_with('['))
        .map(str::to_owned)
        .collect();
    assert_eq!(headers.len(), 14);
    for header in &headers {
        let (name, value) = header[1..].split_once(" \"").unwrap();
        let value = value.strip_suffix("\"]").unwrap();
        let digit = if value.starts_with('1') { "2" } else { "1" };
        let changed_value = match name {
            "Game" => "kamisado".to_owned(),
            "Variant" => "money".to_owned(),
            "SeedGiven" => "no".to_owned(),
            _ => format!("{digit}{}", &value[1..]),
        };
        let changed_header = format!("[{name} \"{changed_value}\"]");
        let found = run.changed_record(|text| text.replacen(header, &changed_header, 1));
        assert!(
            found.iter().any(|one| one.contains(name)) || name.ends_with("Seed"),
            "{name}: {found:?}"
        );
        // What a player adds is nowhere else, but the dice follow from it.
        if ["FirstSeed", "SecondSeed"].contains(&name) {
            assert!(found[0].contains("what was drawn is"), "{found:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_changed_step_of_a_record_is_found() {
    let run = Run::of_backgammon().await;
    let text = read(&run.games())[0]["record"].as_str().unwrap().to_owned();
    let steps: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Game"))
        .collect();

    // Without the digest in the result being changed, too, that tells it.
    let swapped = steps[2].replace("first", "second");
    let found = run.changed_line(&run.games(), 0, |line| {
        line["record"] = json!(text.replacen(steps[2], &swapped, 1));
    });
    assert!(
        found[0].contains("the digest of what was played is"),
        "{found:?}"
    );

    let found = run.changed_record(|text| text.replacen(steps[2], &swapped, 1));
    assert_found(&found, &[FIRST, "step 2 of game 1", "not for the"]);
    let found = run.changed_record(|text| text.replacen(&format!("{}\n", steps[2]), "", 1));
    assert!(found[0].contains("step 2 of game 1"), "{found:?}");
    let roll = steps[1];
    assert!(roll.contains("roll   "), "{roll}");
    let other = if roll.ends_with("21") {
        "     roll   31"
    } else {
        "     roll   21"
    };
    let found = run.changed_record(|text| text.replacen(roll, other, 1));
    assert_found(&found, &[FIRST, "roll 1 of the match", "what was drawn is"]);
    let action = steps
        .iter()
        .find(|step| step.contains('/') && step.contains(". "))
        .unwrap();
    let (who, _) = action.rsplit_once("  ").unwrap();
    let found = run.changed_record(|text| text.replacen(action, &format!("{who}  24/1"), 1));
    assert!(found[0].contains("against the rules"), "{found:?}");
    let start = steps[0];
    let found =
        run.changed_record(|text| text.replacen(start, &start.replace(":0:0:0:", ":0:0:1:"), 1));
    assert!(found[0].contains("game 1 began from"), "{found:?}");
    let last = *steps.last().unwrap();
    assert!(last.contains(" wins "), "{last}");
    let found = run.changed_record(|text| text.replacen(last, "first wins 64", 1));
    assert_found(&found, &[FIRST, "the game did not end like this"]);
    let found = run.changed_record(|text| text.replacen(last, "", 1));
    assert_found(&found, &[FIRST, "the game did not end like this"]);
    let found = run.changed_record(|text| format!("{text}nonsense\n"));
    assert_found(
        &found,
        &[FIRST, "the record of what was played cannot be read: line"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn times_that_cannot_be_are_found() {
    let run = Run::of_backgammon().await;
    let games = run.games();
    let found = run.changed_line(&games, 0, |line| {
        drop(line["think_us"].as_array_mut().unwrap().pop());
    });
    assert_found(
        &found,
        &[FIRST, "the times of the decisions cannot be: there are"],
    );
    let found = run.changed_line(&games, 0, |line| line["think_us"][0] = json!(1_000_000_000));
    assert_found(&found, &[FIRST, "the decisions took"]);
    let found = run.changed_line(&games, 0, |line| line["think_us"][0] = json!(u64::MAX));
    assert_found(&found, &[FIRST, "the decisions took"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_that_is_missing_or_too_much_is_found() {
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
    assert_found(&found, &["games.jsonl:1", "what was played has no result"]);

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
        &["results.jsonl:5", "has a result already"],
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

/// What a crash leaves is no disagreement, and `run` makes it good.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_interruption_leaves_agrees() {
    let run = Run::of_backgammon().await;
    let [results, games] =
        [run.results(), run.games()].map(|file| fs::read_to_string(file).unwrap());
    let cut = results.trim_end().rfind('\n').unwrap() + 1;
    for (result_bytes, game_bytes, leftovers) in [
        (cut, games.len(), 1),
        (cut + 5, games.len(), 1),
        (cut, games.len() - 9, 0),
    ] {
        fs::write(run.results(), &results[..result_bytes]).unwrap();
        fs::write(run.games(), &games[..game_bytes]).unwrap();
        let found = run.verify();
        assert_eq!(found.disagreements, []);
        assert_eq!((found.matches, found.verified), (3, 3));
        assert_eq!(found.leftovers, leftovers);
    }
    for file in [run.results(), run.games()] {
        fs::remove_file(file).unwrap();
    }
    let found = run.verify();
    assert_eq!((found.disagreements.len(), found.matches), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_tells_by_its_exit_code() {
    let run = Run::of_backgammon().await;
    let verify = |folder: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
            .arg("verify")
            .arg(folder)
            .output()
            .unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), out)
    };
    let (code, out) = verify(run.path());
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("4 of 4 matches are over; 4 of them are verified: "),
        "{out}"
    );

    let mut lines = read(&run.results());
    lines[2]["digest"] = json!("1".repeat(64));
    write(&run.results(), &lines);
    let (code, out) = verify(run.path());
    assert_eq!(code, 1, "{out}");
    let title = lines[2]["title"].as_str().unwrap();
    assert!(
        out.starts_with(&format!("{title}: the digest of what was played is ")),
        "{out}"
    );
    assert!(
        out.contains("4 of 4 matches are over; 3 of them are verified: "),
        "{out}"
    );

    assert_eq!(verify(Path::new("nowhere")).0, 2);
    fs::remove_file(run.results()).unwrap();
    fs::create_dir(run.results()).unwrap();
    assert_eq!(verify(run.path()).0, 3);
}

/// What is found can be told apart by programs.
#[tokio::test(flavor = "multi_thread")]
async fn a_mismatch_has_the_facts() {
    let run = Run::of_backgammon().await;
    let mut lines = read(&run.results());
    let there: MovesDigest = lines[0]["digest"].as_str().unwrap().parse().unwrap();
    lines[0]["digest"] = json!("a".repeat(64));
    write(&run.results(), &lines);
    let found = run.verify();
    let recorded = "a".repeat(64).parse().unwrap();
    let expected = Mismatch::Digest {
        recorded,
        computed: there,
    };
    assert_eq!(found.disagreements[0].mismatch, expected);
    assert_eq!(found.disagreements[0].place, "cup/c1/r1/p1/m1");
}
