use std::fs;

use dragontooth_runner::verify::Mismatch;
use dragontooth_runner_tournament::MovesDigest;
use serde_json::{Value, json};

use super::run::{FIRST, Run, assert_found, digest, read, write};

const REPORT: &str = "the report is not the one that follows from what was played";

/// Matches that were not played to their end agree, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_ended_by_time_agrees_and_no_other_does() {
    let run = Run::of_backgammon().await;
    let end = |termination: &'static str, winner: Value, faults: &[(&str, &str)]| {
        run.changed(|run| {
            let mut results = read(&run.results());
            let mut games = read(&run.games());
            // Before the last decision of the game. The steps that led to it stay.
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
            let faults = faults.iter().map(|(seat, kind)| {
                let bot = &results[0]["bots"][seat];
                json!({"bot": bot, "seat": seat, "kind": kind, "detail": ""})
            });
            results[0]["faults"] = faults.collect();
            write(&run.games(), &games);
            write(&run.results(), &results);
            fs::write(run.path().join("report.md"), "").unwrap();
        })
    };
    let reports = ["report.md", "report.html"];
    let reports = reports.map(|file| format!("{file}: {REPORT}"));
    let late = [("second", "time")];
    let void = [("first", "crash"), ("second", "stall")];
    for (termination, winner, faults) in [
        // The second seat decides.
        ("timeout", json!("first"), &late[..]),
        ("illegal_action", json!("first"), &[("second", "illegal")]),
        ("resignation", json!("second"), &[]),
        ("resignation", json!("second"), &[("first", "illegal")]),
        ("resignation", json!("first"), &[("second", "protocol")]),
        ("aborted", Value::Null, &[]),
        ("aborted", Value::Null, &void),
        ("disconnect", json!("first"), &[]),
        ("disconnect", json!("first"), &[("second", "abort")]),
        ("disconnect", json!("second"), &void),
    ] {
        let found = end(termination, winner, faults);
        let left = found.iter().filter(|one| !one.starts_with("matches/"));
        assert!(left.eq(&reports), "{faults:?}: {found:?}");
    }

    let odd = end("timeout", json!("second"), &[("first", "time")]);
    assert!(odd[0].contains("the winner is second in the results; by what was played it is first"));
    for (termination, field) in [
        ("timeout", "the seat whose clock ran out"),
        (
            "illegal_action",
            "the seat that gave too many illegal actions",
        ),
    ] {
        let odd = end(termination, json!("first"), &[]);
        assert!(
            odd[0].contains(&format!(
                "the faults name nobody as {field}; by the winner it is second"
            )),
            "{odd:?}"
        );
    }
    let odd = end("resignation", Value::Null, &[]);
    assert!(odd[0].contains("the termination is resignation"), "{odd:?}");
    let odd = end("aborted", json!("first"), &[]);
    assert!(odd[0].contains("the winner is first"), "{odd:?}");
    let odd = end("normal", json!("first"), &[]);
    assert!(odd[0].contains("the match was not over"), "{odd:?}");

    let twice = [("second", "crash"), ("second", "stall")];
    for (termination, winner, faults) in [
        (
            "timeout",
            json!("first"),
            &[late[0], ("first", "crash")][..],
        ),
        ("resignation", json!("first"), &late),
        ("resignation", json!("first"), &[("second", "abort")]),
        ("resignation", json!("first"), &[("first", "crash")]),
        ("resignation", json!("first"), &twice),
        ("disconnect", json!("first"), &[("first", "abort")]),
        ("disconnect", json!("first"), &[("second", "illegal")]),
        ("aborted", Value::Null, &[("second", "abort")]),
        ("aborted", Value::Null, &late),
    ] {
        let odd = end(termination, winner, faults);
        let (seat, kind) = faults[faults.len() - 1];
        let told =
            format!("the fault {kind} of {seat} does not fit a match that ended by {termination}");
        assert!(odd[0].contains(&told), "{odd:?}");
    }
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
    assert_found(&found, &[FIRST, "as its Match"]);
    let found = run.changed_result(|line| line["started"] = json!("2020-01-01T00:00:00.000Z"));
    assert!(
        found.iter().any(|one| one.contains("as its Date")),
        "{found:?}"
    );
    let found = run.changed_result(|line| line["duration_ms"] = json!(77_000));
    assert_found(&found, &[FIRST, "77000 ms by its duration"]);
    let found = run.changed_result(|line| {
        let day = line["started"].as_str().unwrap()[..10].to_owned();
        line["started"] = json!(format!("{day}T23:59:59.999Z"));
        line["ended"] = json!(format!("{day}T00:00:00.000Z"));
    });
    assert_found(&found, &[FIRST, "the match ended before it started"]);
    let fault = json!({"bot": "a", "seat": "first", "kind": "time", "detail": ""});
    let found = run.changed_result(|line| line["faults"] = json!([fault]));
    assert!(
        found[0].contains("the fault time of first does not fit a match that ended by normal"),
        "{found:?}"
    );

    // A fault belongs to a bot that plays, in its own seat.
    for (bot, seat, right) in [("b", "first", "a"), ("c", "second", "b")] {
        let fault = json!({"bot": bot, "seat": seat, "kind": "crash", "detail": ""});
        let found = run.changed_result(|line| line["faults"] = json!([fault]));
        let told = format!("faults.bot is {bot:?} in the record and {right:?} in the schedule");
        assert_eq!(found[0], format!("results.jsonl:1: {told}"));
    }
    let fault = json!({"bot": "a", "seat": "third", "kind": "crash", "detail": ""});
    let found = run.changed_result(|line| line["faults"] = json!([fault]));
    assert!(found[0].starts_with("results.jsonl:1: faults.seat cannot be read"));

    // The reader of results compares everything that the schedule knows.
    for (field, value) in [
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

/// Programs can distinguish the findings.
#[tokio::test(flavor = "multi_thread")]
async fn a_mismatch_has_the_facts() {
    let run = Run::of_backgammon().await;
    let mut lines = read(&run.results());
    let there: MovesDigest = lines[0]["digest"].as_str().unwrap().parse().unwrap();
    lines[0]["digest"] = json!("a".repeat(64));
    write(&run.results(), &lines);
    run.reforge();
    let found = run.verify();
    let recorded = "a".repeat(64).parse().unwrap();
    let expected = Mismatch::Digest {
        recorded,
        computed: there,
    };
    assert_eq!(found.disagreements[0].mismatch, expected);
    assert_eq!(found.disagreements[0].place, "cup/c1/r1/p1/m1");
}

#[tokio::test(flavor = "multi_thread")]
async fn impossible_times_are_found() {
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
