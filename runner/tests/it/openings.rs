//! Openings of an event: the book, and what is played and recorded of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use dragontooth_games::catalogue;
use dragontooth_games::match_play::Step;
use dragontooth_runner::openings::{InvalidOpenings, OpeningChoice, Openings};
use dragontooth_runner_tournament::MatchRules;
use serde_json::Value;

const BOOK: &str = "# two of them\n\na1a7 f8f4 # Left side\n  b1b7\n";

fn choice(start: u32) -> OpeningChoice {
    OpeningChoice {
        shuffled: None,
        start,
        plies: None,
    }
}

fn read(text: &str, choice: OpeningChoice) -> Result<Openings, InvalidOpenings> {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.txt");
    fs::write(&book, text).unwrap();
    let rules = MatchRules::new("kamisado", None, 1).unwrap();
    Openings::read(&book, choice, rules, 10)
}

fn names(openings: &Openings, encounters: u32) -> Vec<String> {
    let all = (1..=encounters).map(|encounter| openings.of(encounter).unwrap().name);
    all.collect()
}

#[test]
fn each_encounter_has_the_next_opening() {
    let openings = read(BOOK, choice(1)).unwrap();
    assert_eq!(openings.count(), 2);
    assert_eq!(openings.of(1).unwrap().actions, ["a1a7", "f8f4"]);
    assert_eq!(openings.of(2).unwrap().actions, ["b1b7"]);
    assert_eq!(names(&openings, 3), ["Left side", "line 4", "Left side"]);
    let later = read(BOOK, choice(2)).unwrap();
    assert_eq!(names(&later, 2), ["line 4", "Left side"]);
    let cut = OpeningChoice {
        plies: Some(1),
        ..choice(1)
    };
    let cut = read(BOOK, cut).unwrap();
    assert_eq!(cut.of(1).unwrap().actions, ["a1a7"]);
}

#[test]
fn a_random_order_has_each_opening_once() {
    let lines: Vec<String> = (0..50)
        .map(|number| format!("a1a7 # {number:02}"))
        .collect();
    let text = lines.join("\n");
    let random = |seed| {
        let shuffled = OpeningChoice {
            shuffled: Some(seed),
            ..choice(1)
        };
        names(&read(&text, shuffled).unwrap(), 50)
    };
    let in_order = names(&read(&text, choice(1)).unwrap(), 50);
    let mut sorted = random(1);
    assert_ne!(sorted, in_order);
    assert_ne!(sorted, random(2));
    assert_eq!(sorted, random(1));
    sorted.sort_unstable();
    assert_eq!(sorted, in_order);
}

/// A line with a whole game.
fn whole_game() -> String {
    let mut play = catalogue::find("kamisado")
        .unwrap()
        .new_match(None, 1)
        .unwrap();
    let start = play.deal(&mut dragontooth_games::chance::Draws::from_text("any").deal(1));
    play.begin_game(&start).unwrap();
    let mut actions = Vec::new();
    loop {
        match play.step() {
            Step::Decide(_) => {
                let action = play.legal_actions().pop().unwrap();
                actions.push(play.play(&action).unwrap());
            }
            Step::Pass(_) => play.pass().unwrap(),
            Step::Deal | Step::Chance | Step::Score(_) | Step::Over { .. } => {
                return actions.join(" ");
            }
        }
    }
}

#[test]
fn a_wrong_book_is_refused_with_file_and_line() {
    let refused = |text: &str, choice| {
        let error = read(text, choice).unwrap_err().to_string();
        let (_, rest) = error.split_once("book.txt").unwrap();
        rest.to_owned()
    };
    let whole = format!("a1a7\n{}\n", whole_game());
    let plies = OpeningChoice {
        plies: Some(2),
        ..choice(1)
    };
    for (text, choice, why) in [
        ("# none\n\n", choice(1), " has no openings"),
        ("a1a7\na1a1\n", choice(1), ":2: action 1, \"a1a1\": "),
        (
            "\n0>1 3>4\n",
            choice(1),
            ":2: action 1, \"0>1\": invalid action: ",
        ),
        (&whole, choice(1), ":2: the game is over after action "),
        (
            BOOK,
            plies,
            ":4: the opening has 1 actions; the event plays 2 of each",
        ),
    ] {
        let told = refused(text, choice);
        assert!(told.starts_with(why), "{told}");
    }
    let past = read(BOOK, choice(3)).unwrap_err().to_string();
    assert!(past.starts_with("start = 3 is past the end of "), "{past}");
    assert!(past.ends_with(", which has 2 openings"), "{past}");
    let long = format!("a1a7 # {}\n", "n".repeat(101));
    let told = refused(&long, choice(1));
    assert_eq!(
        told,
        ":1: the name of an opening has at most 100 bytes, not 101"
    );
}

fn call(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dragontooth-runner"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn an_event_plays_records_and_verifies_its_openings() {
    for service in ["", "[service]\ndirect = true\n"] {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("book.txt"), BOOK).unwrap();
        let event = |order: &str| {
            let text = format!(
                "[event]\nname = 'cup'\ngame = 'kamisado'\ntarget = 1\ncycles = 3\n\
                 openings = {{ file = 'book.txt'{order} }}\n{service}\
                 [[bot]]\nname = 'a'\nbuiltin = 'random'\n[[bot]]\nname = 'b'\nbuiltin = 'random'\n"
            );
            fs::write(place.path().join("cup.toml"), text).unwrap();
        };
        event("");
        let run = ["run", "cup.toml", "--folder", "run"];
        let (code, out, err) = call(place.path(), &run);
        assert_eq!(code, 0, "{err}");
        let note = "the event has up to 3 encounters and the book 2 openings: they are repeated";
        assert_eq!(err.matches(note).count(), 1, "{err}");
        assert!(out.contains("Openings\n"), "{out}");

        let results = fs::read_to_string(place.path().join("run/results.jsonl")).unwrap();
        for line in results.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let expected = ["Left side", "line 4", "Left side"];
            let encounter = line["encounter"].as_u64().unwrap();
            let expected = expected[usize::try_from(encounter).unwrap() - 1];
            assert_eq!(line["opening"], expected, "{line}");
        }
        let games = fs::read_to_string(place.path().join("run/games.jsonl")).unwrap();
        assert_eq!(games.matches(r#"[Opening \"a1a7 f8f4\"]"#).count(), 4);
        assert_eq!(games.matches(r#"[Opening \"b1b7\"]"#).count(), 2);
        let (code, out, err) = call(place.path(), &["table", "run", "--format", "json"]);
        assert_eq!(code, 0, "{err}");
        let tables: Value = serde_json::from_str(&out).unwrap();
        let openings = tables["openings"].as_array().unwrap();
        assert_eq!(openings[0]["opening"], "Left side");
        let count = |opening: &Value| {
            let seat = &opening["first_seat"];
            let counts = ["won", "drawn", "lost"].map(|key| seat[key].as_u64().unwrap());
            counts.iter().sum::<u64>()
        };
        assert_eq!([count(&openings[0]), count(&openings[1])], [4, 2]);

        let (code, out, err) = call(place.path(), &["verify", "run"]);
        assert_eq!(code, 0, "{out}{err}");
        let (code, out, err) = call(place.path(), &["replay", "run", "cup/c1/r1/p1/m2"]);
        assert_eq!(code, 0, "{out}{err}");

        event(", order = 'random', seed = 5");
        let (code, _, err) = call(place.path(), &run);
        assert_eq!(code, 3, "{err}");
        assert!(
            err.contains("event.openings is a book with the hash "),
            "{err}"
        );
    }
}
