//! Matches that end by a call, and those that are played on after it.

use std::collections::HashSet;
use std::fs;

use dragontooth_runner::record::{Cover, read_evidence};
use dragontooth_runner::reports::PastRun;
use dragontooth_runner::verify::LogState;
use dragontooth_runner_tournament::repeats;
use dragontooth_runner_tournament::statistics::{FirstSeat, PlayedMatch, fit};
use serde_json::{Value, json};

use super::run::{Run, read, write};

const EVENT: &str = "game = 'kamisado'\nvariant = 'random'\ntarget = 1\ncycles = 8\nseed = 5\n\
                     draw_secret = '0101010101010101010101010101010101010101010101010101010101010101'\n";
const BOTS: [&str; 2] = [
    "alphabeta'\noptions.'nodes' = '600",
    "alphabeta'\noptions.'depth' = '2",
];
const TERMS: &str = "adjudicate = { win = { value = 0.9, plies = 3 }, tables = true, audit = 0.4 }";

fn lines(run: &Run) -> Vec<Value> {
    read(&run.results())
}

fn is_called(line: &Value) -> bool {
    line["termination"] == "adjudicated"
}

/// A run with calls is a shorter one of the same matches: up to each call they are the same, the audited ones to
/// their end.
#[tokio::test(flavor = "multi_thread")]
async fn calls_cut_matches_short_and_audited_ones_go_on() {
    let plain = Run::new(EVENT, BOTS).await;
    let run = Run::new(&format!("{EVENT}{TERMS}"), BOTS).await;
    let found = run.verify();
    assert_eq!(found.disagreements, []);
    let (full, cut) = (lines(&plain), lines(&run));
    let find = |title: &Value| full.iter().find(|line| line["title"] == *title).unwrap();
    let (mut called, mut audited) = (0, 0);
    for line in &cut {
        let whole = find(&line["title"]);
        let call = &line["call"];
        if is_called(line) {
            called += 1;
            assert_eq!(line["winner"], call["winner"], "{line}");
            assert_eq!(line["plies"], call["ply"], "{line}");
            assert!(line["plies"].as_u64() < whole["plies"].as_u64(), "{line}");
            assert_eq!(line["score"], json!({"first": 0, "second": 0}));
        } else {
            audited += usize::from(!call.is_null());
            assert_eq!(line["digest"], whole["digest"], "{line}");
            assert_eq!(line["winner"], whole["winner"], "{line}");
        }
        assert_eq!(call["value"].is_null(), call["rule"] == "tables", "{line}");
    }
    assert!(called > 3 && audited > 1, "{called} {audited}");
    let records = fs::read_to_string(run.games()).unwrap();
    assert_eq!(records.matches(" 0-0 adjudicated by ").count(), called);
    // Without the key the manifest and the results are those of earlier versions.
    let manifest = fs::read_to_string(plain.path().join("event.json")).unwrap();
    assert!(!manifest.contains("adjudicate"));
    assert!(full.iter().all(|line| line.get("call").is_none()));
    let page = fs::read_to_string(run.path().join("report.html")).unwrap();
    assert!(page.contains("id=\"calls\"") && page.contains("adjudicated by"));
    let tables = fs::read_to_string(run.path().join("report.md")).unwrap();
    let row = tables.lines().find(|line| line.starts_with("| tables"));
    assert!(
        row.is_some_and(|row| !row.contains("| 0 | 0 |")),
        "{tables}"
    );
}

/// Bots that repeat themselves play as many different matches whether these end by their calls or some are played on.
#[tokio::test(flavor = "multi_thread")]
async fn an_audited_match_is_a_copy_of_a_called_one() {
    let event = EVENT.replace("'random'", "'standard'");
    let bots = [1, 2].map(|depth| format!("alphabeta'\noptions.'depth' = '{depth}"));
    let bots = [&*bots[0], &*bots[1]];
    let run = Run::new(&format!("{event}{TERMS}"), bots).await;
    let none = TERMS.replace("audit = 0.4", "audit = 0");
    let all_end = Run::new(&format!("{event}{none}"), bots).await;
    assert_eq!(run.verify().disagreements, []);
    let (lines, ended) = (lines(&run), lines(&all_end));
    let find = |title: &Value| ended.iter().find(|line| line["title"] == *title).unwrap();
    let mut audited = 0;
    for line in &lines {
        let ended = find(&line["title"]);
        assert!(is_called(ended) && ended["call"]["digest"].is_null());
        if is_called(line) {
            assert_eq!(line["digest"], ended["digest"], "{line}");
            assert_eq!(line["call"], ended["call"], "{line}");
        } else {
            audited += 1;
            assert_eq!(line["call"]["digest"], ended["digest"], "{line}");
            assert_ne!(line["digest"], ended["digest"], "{line}");
        }
    }
    assert!(audited > 1 && audited < lines.len(), "{audited}");
    let unique = |run: &Run| {
        let cover = run.seal().cover();
        let past = PastRun::read(run.path(), cover).unwrap();
        let [repeat] = repeats(&past.schedule, &past.results)[..] else {
            panic!("two bots repeat themselves");
        };
        assert_eq!(repeat.matches as usize, lines.len());
        repeat.unique as usize
    };
    let different: HashSet<_> = ended.iter().map(|line| line["digest"].as_str()).collect();
    assert!(different.len() < audited, "{different:?}");
    assert_eq!(unique(&all_end), different.len());
    assert_eq!(unique(&run), different.len());

    // The errors that count copies once are those of the tables in `stats ratings` too.
    let errors = |matches: &[PlayedMatch]| {
        let ratings = fit(2, matches, FirstSeat::Ignored).unwrap();
        ratings.of(0).standard_error.to_bits()
    };
    let of_tables = |run: &Run| {
        let past = PastRun::read(run.path(), run.seal().cover()).unwrap();
        errors(&past.results.played_matches(past.schedule.matches()))
    };
    for run in [&run, &all_end] {
        let evidence = read_evidence(&[run.path()]).unwrap();
        assert_eq!(errors(&evidence.matches), of_tables(run));
    }

    // Runners of earlier versions did not write it: their runs are read as before.
    let changed = |change: &dyn Fn(&mut Value)| {
        let copy = run.copy();
        let mut changed = lines.clone();
        let audited = changed.iter_mut().filter(|line| !is_called(line));
        audited.for_each(change);
        write(&copy.results(), &changed);
        copy.reforge();
        copy.report(Cover::ALL);
        let found = copy.found().join("\n");
        (copy, found)
    };
    let (earlier, found) = changed(&|line| {
        line["call"].as_object_mut().unwrap().remove("digest");
    });
    assert_eq!(found, "");
    assert!(unique(&earlier) > different.len());
    let (_, found) = changed(&|line| line["call"]["digest"] = line["digest"].clone());
    assert!(
        found.contains("the digest of what was played up to the call is"),
        "{found}"
    );
}

/// On a service the runner calls off the match; the event log and the results agree.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_on_a_service_is_called_off() {
    let event = EVENT.replace("cycles = 8", "cycles = 2\nconcurrency = 1");
    let direct = Run::new(&format!("{event}{TERMS}"), BOTS).await;
    let served = Run::on("embedded", &format!("{event}{TERMS}"), BOTS).await;
    let found = served.verify();
    assert_eq!(found.disagreements, []);
    assert_eq!(found.log, LogState::Compared);
    let facts = |run: &Run| -> Vec<Value> {
        let fact =
            |line: &Value| json!([line["title"], line["digest"], line["call"], line["winner"]]);
        lines(run).iter().map(fact).collect()
    };
    assert_eq!(facts(&served), facts(&direct));
    assert!(lines(&served).iter().any(is_called));
}

/// Every forged call is refused by name.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_call_is_found() {
    let run = Run::new(&format!("{EVENT}{TERMS}"), BOTS).await;
    let forged = |change: &dyn Fn(&mut Value)| {
        let copy = run.copy();
        let mut results = lines(&copy);
        let changed = results.iter_mut().find(|line| is_called(line)).unwrap();
        change(changed);
        write(&copy.results(), &results);
        copy.found().join("\n")
    };
    let says = |found: &str, text: &str| assert!(found.contains(text), "{text}: {found}");
    let other = |line: &Value| {
        if line["call"]["winner"] == "first" {
            "second"
        } else {
            "first"
        }
    };
    let found = forged(&|line| {
        let winner = other(line);
        line["winner"] = json!(winner);
        line["call"]["winner"] = json!(winner);
    });
    says(&found, "the winner is");
    says(&found, "the call is");
    let found = forged(&|line| line["call"]["ply"] = json!(1));
    says(&found, "at ply 1 in the results; by what was played it is");
    let found = forged(&|line| line["call"]["rule"] = json!("draw"));
    says(&found, "the call is");
    let found = forged(&|line| line["call"]["value"] = json!(0.123));
    says(&found, "the call is");
    let found = forged(&|line| drop(line.as_object_mut().unwrap().remove("call")));
    says(
        &found,
        "the call is none in the results; by what was played it is",
    );
    let found = forged(&|line| line["termination"] = json!("resignation"));
    says(&found, "the termination is resignation");

    // A match that was not called, or was audited, cannot be given to a bot by a call.
    let copy = run.copy();
    let mut results = lines(&copy);
    let audited = results.iter_mut().find(|line| !is_called(line)).unwrap();
    audited["termination"] = json!("adjudicated");
    write(&copy.results(), &results);
    says(&copy.found().join("\n"), "the termination is adjudicated");

    // Nor can the thoughts be changed from which a call follows.
    let copy = run.copy();
    let (results, mut games) = (lines(&copy), read(&copy.games()));
    let place = games.iter().position(|game| {
        let line = results
            .iter()
            .find(|line| line["title"] == game["title"])
            .unwrap();
        line["call"]["rule"] == "win" && is_called(line)
    });
    let place = place.expect("a match is called by values");
    let text = games[place]["record"].as_str().unwrap().to_owned();
    let text = text
        .split_inclusive('\n')
        .map(|line| match line.split_once("win ") {
            Some((start, rest)) if line.starts_with("[Thinking") => {
                let rest = rest
                    .trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
                format!("{start}win 0.5{rest}")
            }
            _ => line.to_owned(),
        });
    let text: String = text.collect();
    games[place]["record"] = json!(text);
    write(&copy.games(), &games);
    says(&copy.found().join("\n"), "by what was played it is none");
}
