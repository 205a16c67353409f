//! Openings of an event: the book, and what is played and recorded of it.

use std::collections::BTreeMap;
use std::fs;

use dragontooth_games::catalogue;
use dragontooth_games::match_play::Step;
use dragontooth_games::record::{GameRecord, MatchRecord, RecordStep, opening_text};
use dragontooth_runner::openings::{InvalidOpenings, OpeningChoice, Openings};
use dragontooth_runner_tournament::MatchRules;
use serde_json::Value;

use crate::command_line::call;

const BOOK: &str = "# two of them\n\na1a7 f8f4 # Left side\n  b1b7\n";

fn choice(start: u32) -> OpeningChoice {
    OpeningChoice {
        shuffled: None,
        start,
        plies: None,
    }
}

fn read(text: impl AsRef<[u8]>, choice: OpeningChoice) -> Result<Openings, InvalidOpenings> {
    let rules = MatchRules::new("kamisado", None, 1).unwrap();
    read_as("book.txt", text, choice, rules)
}

fn read_as(
    name: &str,
    text: impl AsRef<[u8]>,
    choice: OpeningChoice,
    rules: MatchRules,
) -> Result<Openings, InvalidOpenings> {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join(name);
    fs::write(&book, text).unwrap();
    Openings::read(&book, choice, rules, 10)
}

fn plies(plies: u32) -> OpeningChoice {
    OpeningChoice {
        plies: Some(plies),
        ..choice(1)
    }
}

fn names(openings: &Openings, encounters: u32) -> Vec<String> {
    let all = (1..=encounters).map(|encounter| openings.of(encounter).unwrap().name);
    all.collect()
}

#[test]
fn each_encounter_has_the_next_opening() {
    let openings = read(BOOK, choice(1)).unwrap();
    assert_eq!(openings.count(), 2);
    assert_eq!(openings.of(1).unwrap().entries, ["a1a7", "f8f4"]);
    assert_eq!(openings.of(2).unwrap().entries, ["b1b7"]);
    assert_eq!(names(&openings, 3), ["Left side", "line 4", "Left side"]);
    let later = read(BOOK, choice(2)).unwrap();
    assert_eq!(names(&later, 2), ["line 4", "Left side"]);
    let cut = read(BOOK, plies(1)).unwrap();
    assert_eq!(cut.of(1).unwrap().entries, ["a1a7"]);
}

#[test]
fn each_opening_of_a_book_has_a_name_of_its_own() {
    // The first of a name keeps it, in any order; a name that looks like a given one does not.
    let text = "a1a7 # Left\nb1b7 # Right\na1a6 #  Left \nb1b6\nc1c7 # line 4\n# Left\nd1d7 # left\n\
                e1e7 # Left (line 8)\nf1f7 # Left\nf1f6#\ng1g7 # (line)\n";
    let expected = [
        "Left",
        "Right",
        "Left (line 3)",
        "line 4",
        "line 4 (line 5)",
        "left",
        "Left (line 8) (line 8)",
        "Left (line 9)",
        "line 10",
        "(line)",
    ];
    assert_eq!(names(&read(text, choice(1)).unwrap(), 10), expected);
    let shuffled = OpeningChoice {
        shuffled: Some(3),
        ..choice(1)
    };
    let mut in_any_order = names(&read(text, shuffled).unwrap(), 10);
    let mut expected = expected;
    assert_ne!(in_any_order, expected);
    in_any_order.sort_unstable();
    expected.sort_unstable();
    assert_eq!(in_any_order, expected);
    let opening = read(text, choice(3)).unwrap().of(1).unwrap();
    assert_eq!(opening.plain_name(), "Left");
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
    let refused = |text: &[u8], choice| {
        let error = read(text, choice).unwrap_err().to_string();
        let (_, rest) = error.split_once("book.txt").unwrap();
        rest.to_owned()
    };
    let whole = format!("a1a7\n{}\n", whole_game());
    for (text, choice, why) in [
        ("# none\n\n", choice(1), " has no openings"),
        ("a1a7\na1a1\n", choice(1), ":2: entry 1, \"a1a1\": "),
        (
            "\n0>1 3>4\n",
            choice(1),
            ":2: entry 1, \"0>1\", cannot be played (invalid action: ",
        ),
        (&whole, choice(1), ":2: the game is over after entry "),
        (BOOK, plies(2), ":4: the opening has 1 action, not 2"),
        (
            "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -;\n",
            plies(2),
            ":1: the opening has 0 actions, not 2; for a book of positions, leave `plies` out",
        ),
    ] {
        let told = refused(text.as_bytes(), choice);
        assert!(told.starts_with(why), "{told}");
    }
    let past = read(BOOK, choice(3)).unwrap_err().to_string();
    assert!(past.starts_with("3 is past the end of "), "{past}");
    assert!(past.ends_with(", which has 2 openings"), "{past}");
    let long = format!("a1a7 # {}\n", "n".repeat(101));
    let told = refused(long.as_bytes(), choice(1));
    assert_eq!(
        told,
        ":1: the name of an opening has at most 100 bytes, not 101"
    );
    let told = refused(b"a1a7 # \x1b[31mred\n", choice(1));
    assert_eq!(
        told,
        ":1: the name of the opening: character 1, U+001B, is a control character"
    );
    let place = tempfile::tempdir().unwrap();
    let rules = MatchRules::new("kamisado", None, 1).unwrap();
    let folder = Openings::read(place.path(), choice(1), rules, 1).unwrap_err();
    assert!(folder.to_string().ends_with(" is not a file"), "{folder}");
    assert!(Openings::digest_of(place.path()).is_err());
    let told = refused(b"a1a7\n\xff\n", choice(1));
    assert_eq!(told, ":2: the line is not UTF-8");
    let endless = format!("a1a7\n{}", "a1a7 ".repeat(30_000));
    let told = refused(endless.as_bytes(), choice(1));
    assert_eq!(told, ":2: the line has more than 131072 bytes");
}

#[test]
fn lines_are_found_wherever_they_end() {
    // A byte order mark, Windows line ends, no line end at the end, and lines on both sides of what is read at once.
    let text = b"\xef\xbb\xbfa1a7 # one\r\n\r\n b1b7 # two\r\nc1c7 # three";
    let openings = read(text, choice(1)).unwrap();
    assert_eq!(names(&openings, 3), ["one", "two", "three"]);
    let many: Vec<String> = (0..60_000)
        .map(|number| format!("a1a7 f8f4 # {number} {}", "x".repeat(number % 70)))
        .collect();
    let many = many.join("\n");
    assert!(many.len() > 2 << 20);
    let openings = read(&many, choice(1)).unwrap();
    assert_eq!(openings.count(), 60_000);
    for number in [0, 1, 20_000, 29_999, 59_999] {
        let name = openings.of(number + 1).unwrap().name;
        let expected = format!("{number} {}", "x".repeat(number as usize % 70));
        assert_eq!(name, expected.trim());
    }
}

#[test]
fn a_book_that_changes_during_an_event_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.txt");
    fs::write(&book, BOOK).unwrap();
    let rules = MatchRules::new("kamisado", None, 1).unwrap();
    let openings = Openings::read(&book, choice(1), rules, 10).unwrap();
    fs::write(&book, format!("{BOOK}a1a6\n")).unwrap();
    let error = openings.of(1).unwrap_err().to_string();
    assert!(
        error.ends_with("book.txt has changed since the event began"),
        "{error}"
    );
}

#[test]
fn positions_and_rolls_open_a_match() {
    let rules = MatchRules::new("backgammon", None, 5).unwrap();
    let text =
        "XGID=-b----E-C---eE---c-e----B-:1:1:1:42:3:2:0:7:10 # blitz\n31; 8/5 6/5; 64; 24/14\n";
    let openings = read_as("list.txt", text, choice(1), rules).unwrap();
    let entries = |encounter| opening_text(&openings.of(encounter).unwrap().entries);
    assert_eq!(
        entries(1),
        "XGID=-b----E-C---eE---c-e----B-:1:1:1:42:0:0:0:5:10"
    );
    assert_eq!(entries(2), "31; 8/5 6/5; roll; 64; 24/14");
    assert_eq!(names(&openings, 2), ["blitz", "line 2"]);
}

/// A match as GNU Backgammon exports it.
const MAT: &str = " 3 point match\n\n Game 1\n ann : 0                           ben : 0\n  1) 31: 8/5 6/5                     64: 24/14\n  \
                   2) 55: 13/3 13/3                   42: 8/4 6/4\n  3)  Doubles => 2                   Drops\n      Wins 1 point\n";

#[test]
fn games_of_records_open_a_match() {
    let rules = MatchRules::new("backgammon", None, 5).unwrap();
    let openings = read_as("match.MAT", MAT, plies(3), rules).unwrap();
    let opening = openings.of(1).unwrap();
    assert_eq!(opening.name, "game 1");
    assert_eq!(
        opening_text(&opening.entries),
        "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:5:10; 31; 8/5 6/5; roll; 64; 24/14; roll; 55; 13/3(2)"
    );
    // In a match to one point there is no choice to roll.
    let single = MatchRules::new("backgammon", None, 1).unwrap();
    let openings = read_as("match.mat", MAT, plies(3), single).unwrap();
    assert_eq!(openings.of(1).unwrap().entries.len(), 7);

    let refused = |name: &str, text: &str, choice, rules| {
        let error = read_as(name, text, choice, rules).unwrap_err().to_string();
        let (_, rest) = error.split_once(name).unwrap();
        rest.to_owned()
    };
    assert_eq!(
        refused("m.mat", MAT, choice(1), rules),
        ":3: game 1: the game is over after entry 14: `plies` says how far a game is played"
    );
    // A game that was resigned is over too.
    let (played, _) = MAT.split_once("  3)").unwrap();
    let resigned = format!("{played}  3) 42: 8/4 6/4                       Wins 1 point\n");
    assert_eq!(
        refused("m.mat", &resigned, choice(1), rules),
        ":3: game 1: the game is over after entry 15: `plies` says how far a game is played"
    );
    assert_eq!(
        refused("m.mat", MAT, plies(9), rules),
        ":3: game 1: the opening has 6 actions, not 9"
    );
    let broken = MAT.replace("24/14", "24/15");
    assert!(
        refused("m.mat", &broken, plies(2), rules).starts_with(":5: "),
        "{}",
        refused("m.mat", &broken, plies(2), rules)
    );
    // A double that the match does not allow is found by its game.
    let twice =
        format!("{MAT} Game 2\n ann : 1                           ben : 0\n  1) 31: 8/5 6/5\n");
    let one_point = MatchRules::new("backgammon", None, 1).unwrap();
    let told = refused("m.mat", &twice, choice(2), one_point);
    assert!(
        told.starts_with(":3: game 1: entry 14, \"double\": ") || told.contains("double"),
        "{told}"
    );
}

#[test]
fn a_record_that_the_game_does_not_read_is_refused_by_its_extension() {
    let refused = |name: &str, game| {
        let rules = MatchRules::new(game, None, 1).unwrap();
        let error = read_as(name, MAT, plies(2), rules).unwrap_err().to_string();
        let (_, rest) = error.split_once(": ").unwrap();
        rest.to_owned()
    };
    assert_eq!(
        refused("m.mat", "kamisado"),
        "a file with the extension .mat is a record of Backgammon, not of Kamisado; a book of Kamisado may have one \
         opening a line, in a file such as book.txt"
    );
    assert_eq!(
        refused("m.SGF", "backgammon"),
        "records of Backgammon with the extension .sgf can be written but not read; a book of Backgammon may have one \
         opening a line, in a file such as book.txt, or be a record with the extension .mat"
    );
    let told = refused("m.mat", "tzaar");
    assert!(
        told.ends_with("or be a record with the extension .sgf"),
        "{told}"
    );
}

#[test]
fn the_warnings_about_a_record_are_noted() {
    let rules = MatchRules::new("backgammon", None, 5).unwrap();
    let galaxy = MAT.replace("      Wins 1 point\n", "      Losses 1 point\n");
    let openings = read_as("match.mat", galaxy, plies(3), rules).unwrap();
    let notes = openings.notes(1);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("match.mat:8: the format has no entry Losses"),
        "{notes:?}"
    );
    let notes = openings.notes(4);
    let told = "the event has up to 4 encounters and the book 1 opening: they are repeated";
    assert_eq!(notes[1..], [told]);
    let openings = read_as("match.mat", MAT, plies(3), rules).unwrap();
    assert_eq!(openings.notes(1), [""; 0]);
}

#[test]
fn a_little_golem_game_opens_a_match_of_tzaar() {
    let (record, start) = little_golem();
    let rules = MatchRules::new("tzaar", Some("random"), 1).unwrap();
    let openings = read_as("game.sgf", record, plies(3), rules).unwrap();
    let opening = openings.of(1).unwrap();
    assert_eq!(opening.entries.len(), 4);
    assert_eq!(opening.entries[0], start);
}

/// A record of Little Golem and the position from which it starts.
fn little_golem() -> (String, String) {
    let game = catalogue::find("tzaar").unwrap();
    let mut play = game.new_match(Some("random"), 1).unwrap();
    let start = play.deal(&mut dragontooth_games::chance::Draws::from_text("any").deal(1));
    play.begin_game(&start).unwrap();
    let mut steps = Vec::new();
    let outcome = loop {
        match play.step() {
            Step::Decide(seat) => {
                let action = play.legal_actions().pop().unwrap();
                let action = play.play(&action).unwrap();
                steps.push(RecordStep::Action { seat, action });
            }
            Step::Pass(seat) => {
                play.pass().unwrap();
                steps.push(RecordStep::Pass { seat });
            }
            Step::Score(outcome) => break Some(outcome.into()),
            Step::Deal | Step::Chance | Step::Over { .. } => unreachable!("one game is played"),
        }
    };
    let record = MatchRecord {
        game: "tzaar".to_owned(),
        variant: "random".to_owned(),
        target: 1,
        games: vec![GameRecord {
            start: start.clone(),
            steps,
            thinking: BTreeMap::new(),
            outcome,
        }],
        ..MatchRecord::default()
    };
    ((game.formats[0].write)(&record).unwrap(), start)
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
        let (code, out, err) = call(place.path(), &["table", "run", "--format", "openings-csv"]);
        assert_eq!(code, 0, "{err}");
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[0], "opening,matches,won,drawn,lost,score");
        assert!(lines[1].starts_with("Left side,4,"), "{out}");
        assert!(lines[2].starts_with("line 4,2,"), "{out}");
        let page = fs::read_to_string(place.path().join("run/report.html")).unwrap();
        assert!(
            page.contains("<th>opening</th>") || page.contains(">opening</th>"),
            "{page}"
        );
        let count = |opening: &Value| {
            let seat = &opening["first_seat"];
            let counts = ["won", "drawn", "lost"].map(|key| seat[key].as_u64().unwrap());
            counts.iter().sum::<u64>()
        };
        assert_eq!([count(&openings[0]), count(&openings[1])], [4, 2]);

        let (code, out, err) = call(place.path(), &["verify", "run"]);
        assert_eq!(code, 0, "{out}{err}");
        let told = "the openings were compared with openings.txt\n";
        assert!(out.contains(told), "{out}");
        let compare = |book: &str| call(place.path(), &["verify", "run", "--book", book]);
        let (code, out, err) = compare("book.txt");
        assert_eq!(code, 0, "{out}{err}");
        assert!(
            out.contains("the openings were compared with their book\n"),
            "{out}"
        );
        fs::write(place.path().join("other.txt"), BOOK.replace("a1a7", "a1a6")).unwrap();
        let (code, out, _) = compare("other.txt");
        assert_eq!(code, 1, "{out}");
        assert!(out.starts_with("the book: its hash is "), "{out}");
        assert_eq!(compare("nowhere.txt").0, 2);
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
