//! Results that somebody forged.

use std::fs;
use std::path::PathBuf;

use dragontooth_runner::record::{Cover, Manifest};
use dragontooth_runner::verify::{BookCheck, LogState, verify};
use serde_json::{Value, json};

use super::earlier::fixture;
use super::run::{FIRST, Run, assert_found, digest, read, write};
use crate::recorded::json_lines;

/// A way to forge.
type Change<'a> = &'a dyn Fn(&mut Vec<Value>);

/// Keeps the first results and records of a run, and nothing of the others.
fn cut(run: &Run, kept: usize) {
    for file in [run.results(), run.games()] {
        write(&file, &read(&file)[..kept]);
    }
    run.forget_end();
}

/// Cuts the last step of the first match and claims that its loser had resigned.
fn claim_resignation(run: &Run) {
    let (mut results, mut games) = (read(&run.results()), read(&run.games()));
    let record = games[0]["record"].as_str().unwrap();
    let headers = record.split_once("\n\nGame 1: ").unwrap().0;
    let (_, word) = headers.rsplit_once("[Result \"").unwrap();
    let (word, _) = word.split_once('"').unwrap();
    let (_, winner) = (word, word.split(' ').next().unwrap().to_owned());
    let mut lines: Vec<&str> = record.lines().collect();
    while !lines.pop().unwrap().contains(". ") {}
    let resigned = format!("{winner} 0-0 resignation");
    let text = format!("{}\n", lines.join("\n")).replacen(word, &resigned, 1);
    results[0]["digest"] = json!(digest(&text));
    games[0]["record"] = json!(text);
    games[0]["think_us"].as_array_mut().unwrap().pop();
    results[0]["plies"] = json!(results[0]["plies"].as_u64().unwrap() - 1);
    results[0]["score"] = json!({"first": 0, "second": 0});
    results[0]["games"] = json!({"first": 0, "second": 0, "drawn": 0});
    results[0]["termination"] = json!("resignation");
    write(&run.games(), &games);
    write(&run.results(), &results);
}

/// The event log of the embedded service tells what was played, even if all hashes are made again.
#[tokio::test(flavor = "multi_thread")]
async fn the_event_log_tells_what_was_played() {
    let run = Run::served().await;
    let sound = run.verify();
    assert_eq!(sound.disagreements, []);
    assert_eq!(sound.log, LogState::Compared);

    let forged = run.copy();
    cut(&forged, 2);
    let found = forged.found();
    let titles = ["cup/c2/r1/p1/m1", "cup/c2/r1/p1/m2"];
    assert_eq!(found.len(), 2, "{found:?}");
    for title in titles {
        let told = format!("{title}: the match is over in the event log and has no result");
        assert!(found.iter().any(|one| one.starts_with(&told)), "{found:?}");
    }

    let forged = run.copy();
    claim_resignation(&forged);
    let found = forged.found();
    for told in [
        "the termination is resignation in the results; in the event log it is normal",
        "the number of plies is",
        "what was played is not what the event log has, from step",
        "the times of the decisions are not those of the event log",
    ] {
        assert!(
            found
                .iter()
                .any(|one| one.starts_with(FIRST) && one.contains(told)),
            "{told}: {found:?}"
        );
    }

    let change = |change: &dyn Fn(&mut Value)| {
        let forged = run.copy();
        let mut results = read(&forged.results());
        results.iter_mut().for_each(change);
        write(&forged.results(), &results);
        forged.found()
    };
    let found = change(&|line| line["head_hash"] = json!("0".repeat(64)));
    assert!(found[0].contains("head_hash is 000"), "{found:?}");
    let found = change(&|line| drop(line.as_object_mut().unwrap().remove("head_hash")));
    assert!(found[0].contains("head_hash is none"), "{found:?}");
    let found = change(&|line| line["service"] = json!("direct"));
    let other = "the event log has another match of this title that is over";
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|one| one.ends_with(other)), "{found:?}");
    let found = change(&|line| {
        let seconds = line["ended"].as_str().unwrap()[17..19]
            .parse::<u64>()
            .unwrap();
        let (ended, later) = (line["ended"].as_str().unwrap(), (seconds + 1) % 60);
        line["ended"] = json!(format!("{}{later:02}{}", &ended[..17], &ended[19..]));
    });
    assert!(
        found.iter().any(|one| one.contains("ended is")),
        "{found:?}"
    );
}

/// The event log also has the openings and the thoughts of the bots, which follow from nothing else in the directory.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_opening_or_thinking_is_not_that_of_the_event_log() {
    let book = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deploy/openings/kamisado.txt"
    );
    let event =
        format!("game = 'kamisado'\ntarget = 1\nconcurrency = 1\nopenings = {{ file = '{book}' }}");
    let run = Run::served_event(&event, ["alphabeta", "random"]).await;
    assert_eq!(run.verify().disagreements, []);

    let is_found = |told: &str, change: &dyn Fn(&str) -> String| {
        let found = run.changed_record(change);
        assert!(found.iter().any(|one| one.contains(told)), "{found:?}");
    };
    let told = "the thinking at step 1 of game 1 is not the one of the event log";
    is_found(told, &|text| text.replacen("nodes ", "nodes 1", 1));
    is_found(told, &|text| {
        let (before, rest) = text.split_once("[Thinking ").unwrap();
        format!("{before}{}", rest.split_once('\n').unwrap().1)
    });
    let told = "the thinking at step 2 of game 1 is not the one of the event log";
    is_found(told, &|text| {
        let (before, rest) = text.split_once("\n  3. ").unwrap();
        format!("{before}\n[Thinking \"win 0.5\"]\n  3. {rest}")
    });
    // The same start without the way to it.
    let told = "in the event log it is \"";
    is_found(told, &|text| {
        let (before, rest) = text.split_once("[Opening \"").unwrap();
        let (_, rest) = rest.split_once('"').unwrap();
        let (_, start) = text.split_once("\nGame 1: ").unwrap();
        let (start, _) = start.split_once('\n').unwrap();
        format!("{before}[Opening \"{start};\"{rest}")
    });
}

/// The copy of the book in the directory says which opening each match had, and under which name.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_name_of_an_opening_is_not_that_of_the_book() {
    let place = tempfile::tempdir().unwrap();
    let book = place.path().join("book.txt");
    fs::write(&book, "a1a7 f8f4 # Left side\nb1b7\n").unwrap();
    let event = format!(
        "game = 'kamisado'\ntarget = 1\ncycles = 2\nconcurrency = 1\n\
         openings = {{ file = '{}' }}",
        book.display()
    );
    let run = Run::new(&event, ["random", "greedy"]).await;
    fs::remove_file(&book).unwrap();
    assert_eq!(run.told(), [""; 0]);

    let found = run.changed_result(|line| line["opening"] = json!("line 2"));
    let told =
        "cup/c1/r1/p1/m1: the name of the opening is \"line 2\"; by the book it is \"Left side\"";
    assert_found(&found, &[told]);
    let found = run.changed_result(|line| drop(line.as_object_mut().unwrap().remove("opening")));
    let told = "cup/c1/r1/p1/m1: the name of the opening is \"\"; by the book it is \"Left side\"";
    assert_found(&found, &[told]);
    let found = run
        .changed_record(|text| text.replace("[Opening \"a1a7 f8f4\"]", "[Opening \"a1a6 f8f4\"]"));
    let told = "cup/c1/r1/p1/m1: the opening is \"a1a6 f8f4\"; by the book it is \"a1a7 f8f4\"";
    assert!(found.iter().any(|one| one == told), "{found:?}");

    let copy = run.path().join("openings.txt");
    let text = fs::read_to_string(&copy).unwrap();
    fs::write(&copy, text.replace("Left", "Right")).unwrap();
    let found = run.told();
    assert!(
        found[0].starts_with("openings.txt: its hash is "),
        "{found:?}"
    );
    fs::remove_file(&copy).unwrap();
    let told = "openings.txt: the file is missing: `run` keeps the book of openings there";
    assert_found(&run.told(), &[told]);
    fs::create_dir(&copy).unwrap();
    let found = run.told();
    assert!(
        found[0].ends_with("openings.txt is not a file"),
        "{found:?}"
    );
}

/// Earlier versions kept no book, and gave two openings one name.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_an_earlier_version_may_share_names_of_openings() {
    let place = tempfile::tempdir().unwrap();
    let book = place.path().join("book.txt");
    fs::write(&book, "a1a7 # side\nb1b7 # side\n").unwrap();
    let event = format!(
        "game = 'kamisado'\ntarget = 1\ncycles = 2\nconcurrency = 1\nopenings = {{ file = '{}' }}",
        book.display()
    );
    let run = Run::new(&event, ["random", "greedy"]).await;
    fs::remove_file(run.path().join("openings.txt")).unwrap();
    let path = run.path().join("event.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["openings"].as_object_mut().unwrap().remove("copy");
    fs::write(&path, manifest.to_string()).unwrap();
    let mut results = read(&run.results());
    assert_eq!(results[3]["opening"], "side (line 2)");
    results[3]["opening"] = json!("side");
    write(&run.results(), &results);
    run.reforge();
    run.report(Cover::ALL);

    let found = |run: &Run, book| {
        let manifest = Manifest::read(&path).unwrap().unwrap();
        let check = BookCheck::new(run.path(), &manifest, &run.event, book).unwrap();
        let found = verify(run.path(), &run.event, None, &check).unwrap();
        let found = found.disagreements.iter().map(ToString::to_string);
        (found.collect::<Vec<_>>(), check.summary().unwrap())
    };
    let unread = "the openings were not compared with their book: --book FILE does it";
    assert_eq!(found(&run, None), (Vec::new(), unread.to_owned()));
    let compared = "the openings were compared with their book";
    assert_eq!(found(&run, Some(&*book)), (Vec::new(), compared.to_owned()));
    let mut results = read(&run.results());
    results[3]["opening"] = json!("line 2");
    write(&run.results(), &results);
    run.reforge();
    let (wrong, _) = found(&run, Some(&*book));
    let told = "by the book it is \"side (line 2)\"";
    assert!(wrong[0].ends_with(told), "{wrong:?}");
}

/// A manifest names no file outside the directory.
#[tokio::test(flavor = "multi_thread")]
async fn the_copy_of_a_book_is_in_the_directory() {
    let manifest = |copy: &str| {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("event.json");
        let text = fs::read_to_string(fixture().join("event.json")).unwrap();
        let mut event: Value = serde_json::from_str(&text).unwrap();
        event["openings"] = json!({ "sha256": "00", "start": 1, "copy": copy });
        fs::write(&path, event.to_string()).unwrap();
        Manifest::read(&path)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for name in ["none", "openings.txt", "openings.mat", "openings.sgf"] {
        assert_eq!(manifest(name), Ok(()), "{name}");
    }
    for name in [
        "",
        "openings",
        "book.txt",
        "../openings.txt",
        "openings.txt/..",
        "openings.toml",
    ] {
        let refused = manifest(name).unwrap_err();
        assert!(refused.contains("copy is \"none\", or "), "{refused}");
    }
}

/// Nothing stands in for the log but the digest that was published.
#[tokio::test(flavor = "multi_thread")]
async fn a_missing_event_log_is_found() {
    let run = Run::served().await;
    let digest = run.verify().event_digest;
    let damaged = run.copy();
    fs::write(damaged.path().join("service/db"), "nothing").unwrap();
    assert!(damaged.told()[0].starts_with("service: the event log cannot be read: "));
    fs::remove_dir_all(run.path().join("service")).unwrap();
    let found = run.told();
    assert!(found[0].starts_with("service: the event log of the embedded service is missing"));
    let held = verify(run.path(), &run.event, Some(digest), &BookCheck::default()).unwrap();
    assert_eq!(held.disagreements, []);
    assert_eq!(held.log, LogState::Missing);
}

/// A change that leaves the hashes as they were is found, with its place.
#[tokio::test(flavor = "multi_thread")]
async fn every_changed_file_is_found() {
    let run = Run::served().await;
    let found = |file: &str, change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
        let forged = run.copy();
        let path = forged.path().join(file);
        match change(fs::read(&path).unwrap()) {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        forged.told()
    };
    let page = fs::read_dir(run.path().join("matches")).unwrap().next();
    let page = format!("matches/{}", page.unwrap().unwrap().file_name().display());
    for file in [
        "event.json",
        "results.jsonl",
        "games.jsonl",
        "sessions.jsonl",
        "seal.json",
        "report.json",
        "report.md",
        "report.html",
        page.as_str(),
    ] {
        if file != "event.json" {
            assert_ne!(found(file, &|_| None), [""; 0], "{file} removed");
        }
        let longer = found(file, &|bytes| Some([&bytes[..], b"\n"].concat()));
        let sealed = ["seal.json", "report.json"].contains(&file);
        assert_eq!(
            longer.is_empty(),
            sealed || file == "sessions.jsonl",
            "{file}: {longer:?}"
        );
        let changed = found(file, &|mut bytes| {
            let digit = bytes.iter().position(u8::is_ascii_digit).unwrap();
            bytes[digit] = if bytes[digit] == b'7' { b'8' } else { b'7' };
            Some(bytes)
        });
        assert!(
            changed
                .iter()
                .any(|one| one.contains(file) || one.starts_with("cup/")),
            "{file}: {changed:?}"
        );
    }
    let lines = |file: &str, change: &dyn Fn(&mut Vec<Value>)| {
        found(file, &|bytes| {
            let text = String::from_utf8(bytes).unwrap();
            let mut lines = json_lines(&text);
            change(&mut lines);
            let lines = lines.iter().map(|line| format!("{line}\n"));
            Some(lines.collect::<String>().into_bytes())
        })
    };
    let forged = run.copy();
    fs::copy(
        forged.path().join(&page),
        forged.path().join("matches/more.html"),
    )
    .unwrap();
    assert_found(
        &forged.told(),
        &["matches/more.html: the run has no such page"],
    );
    let moved = "was changed, removed, added or moved";
    for change in [
        &(|lines: &mut Vec<Value>| drop(lines.remove(1))) as &dyn Fn(&mut Vec<Value>),
        &|lines| lines.swap(1, 2),
        &|lines| lines[1]["duration_ms"] = json!(lines[1]["duration_ms"].as_u64().unwrap() + 1),
    ] {
        let found = lines("results.jsonl", change);
        assert!(found.iter().any(|one| one.contains(moved)), "{found:?}");
    }
    let found = lines("games.jsonl", &|lines| {
        lines[2]["think_us"][0] = json!(lines[2]["think_us"][0].as_u64().unwrap() + 1);
    });
    let told = "the hash of the line in games.jsonl is";
    assert!(found.iter().any(|one| one.contains(told)), "{found:?}");
    let found = lines("sessions.jsonl", &|lines| lines[0]["cpu_ms"] = json!(1));
    assert!(found[0].starts_with("sessions.jsonl: it is not the file that was sealed"));
}

/// No other run has the same event digest.
#[tokio::test(flavor = "multi_thread")]
async fn the_event_digest_holds_everything() {
    let run = Run::of_backgammon().await;
    let digest = run.verify().event_digest;
    let held = |run: &Run| {
        let found = verify(run.path(), &run.event, Some(digest), &BookCheck::default()).unwrap();
        let found = found.disagreements.iter().map(ToString::to_string);
        found.collect::<Vec<String>>()
    };
    assert_eq!(held(&run), [""; 0]);
    let logs: PathBuf = run.path().join("logs");
    for forge in [
        &(|run: &Run| cut(run, 2)) as &dyn Fn(&Run),
        &|run| fs::write(run.path().join("sessions.jsonl"), "{}\n").unwrap(),
        &|run| fs::write(run.path().join("event.toml"), "").unwrap(),
        &|run| {
            let text = fs::read_to_string(run.path().join("event.json")).unwrap();
            fs::write(run.path().join("event.json"), text + "\n").unwrap();
        },
        &|run| {
            fs::create_dir_all(run.path().join(logs.file_name().unwrap())).unwrap();
            fs::write(run.path().join("logs/programs.jsonl"), "{}\n").unwrap();
        },
    ] {
        let forged = run.copy();
        forge(&forged);
        forged.reforge();
        let found = held(&forged);
        let told = "the event digest: it is ";
        assert!(found.iter().any(|one| one.starts_with(told)), "{found:?}");
    }
}

/// An owner, who may read the private secret, does not take it for the published one, from which all others verify.
#[tokio::test(flavor = "multi_thread")]
async fn a_published_secret_other_than_the_private_one_is_found() {
    let run = Run::of_backgammon().await;
    let path = |run: &Run| run.path().join("sessions.jsonl");
    let sound = read(&path(&run));
    let is_secret = |line: &Value| line.get("draw_secret").is_some();
    let place = sound.iter().position(is_secret).unwrap();
    let found = |change: &dyn Fn(&mut Vec<Value>)| {
        let forged = run.copy();
        let mut lines = sound.clone();
        change(&mut lines);
        write(&path(&forged), &lines);
        forged.found()
    };
    assert_eq!(run.told(), [""; 0]);
    let other = "sessions.jsonl: the published secret of the draws is not the one in draw_secret";
    let order =
        "sessions.jsonl: the published secrets of the draws do not each begin at a later encounter";
    let none = "sessions.jsonl: all matches are over, and the secret of the draws is not published";
    let changes: [(Change<'_>, &str); 5] = [
        (
            &|lines| lines[place]["draw_secret"] = json!("02".repeat(32)),
            other,
        ),
        (&|lines| lines[place]["from_encounter"] = json!(2), order),
        (&|lines| lines.insert(place, sound[place].clone()), order),
        (
            &|lines| {
                lines.push(sound[place].clone());
                lines.last_mut().unwrap()["from_encounter"] = json!(2);
            },
            other,
        ),
        (&|lines| drop(lines.remove(place)), none),
    ];
    for (change, told) in changes {
        let found = found(change);
        assert!(found[0].starts_with(told), "{told}: {found:?}");
    }

    // A run that was killed after its last result has neither published nor sealed anything since.
    let killed = run.copy();
    let mut lines = sound.clone();
    lines.remove(place);
    write(&path(&killed), &lines);
    let results = fs::read_to_string(killed.results()).unwrap();
    let last = results.trim_end().rfind('\n').unwrap() + 1;
    fs::write(killed.results(), &results[..last]).unwrap();
    killed.seal();
    fs::write(killed.results(), &results).unwrap();
    let found = killed.told();
    assert!(
        found.iter().all(|one| !one.starts_with("sessions.jsonl")),
        "{found:?}"
    );
}
