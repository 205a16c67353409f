//! Matches in the formats of other programs.

use std::fmt::Write as _;

use dragontooth_games::backgammon::{MAT, MAT_BYTES_MAX, Position, SGF};
use dragontooth_games::record::{
    MatchRecord, RecordOutcome, RecordReadError, RecordStep, RecordWarning, RecordWriteError,
    Thinking, ThinkingValue,
};
use dragontooth_games::{MatchPlay as _, Position as _, Seat};
use proptest::prelude::*;

use crate::play::{random_match, rows};

/// Written by hand from the description of the format.
const EXAMPLE: &str = include_str!("data/match.mat");
const EXAMPLE_SGF: &str = include_str!("data/match.sgf");

fn read(text: &str) -> Result<MatchRecord, RecordReadError> {
    read_with_warnings(text).map(|(record, _)| record)
}

fn read_with_warnings(text: &str) -> Result<(MatchRecord, Vec<RecordWarning>), RecordReadError> {
    (MAT.read.unwrap())(text).map(|read| (read.record, read.warnings))
}

fn write(record: &MatchRecord) -> Result<String, RecordWriteError> {
    (MAT.write)(record)
}

#[test]
fn backgammon_has_two_formats() {
    let names = Position::FORMATS.iter().map(|format| format.name);
    assert!(names.eq(["mat", "sgf"]));
    assert!(SGF.read.is_none());
}

#[test]
fn the_example_is_read() {
    let record = read(EXAMPLE).unwrap();
    let terms = (&*record.game, &*record.variant, record.target);
    assert_eq!(terms, ("backgammon", "standard", 3));
    assert_eq!(record.players, ["Ann", "Bob"]);
    assert_eq!(record.title, "Club night");
    assert_eq!(record.date.as_deref(), Some("2026-11-21"));
    let starts = [
        "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:3:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:2:0:1:3:10",
    ];
    assert!(record.games.iter().map(|game| &game.start).eq(starts));
    let expected = rows(include_str!("data/match_steps.txt"), " | ");
    let expected: String = expected.fold(String::new(), |text, [game, step]| {
        text + &format!("{game} | {step}\n")
    });
    assert_eq!(steps(&record), expected);
}

/// Everything that happens, one line each.
fn steps(record: &MatchRecord) -> String {
    let mut text = String::new();
    for (number, game) in (1..).zip(&record.games) {
        for step in &game.steps {
            let _ = match step {
                RecordStep::Action { seat, action } => writeln!(text, "{number} | {seat} {action}"),
                RecordStep::Pass { seat } => writeln!(text, "{number} | {seat} passes"),
                RecordStep::Roll { roll } => writeln!(text, "{number} | roll {roll}"),
            };
        }
        if let Some(outcome) = game.outcome {
            let winner = outcome.winner.unwrap();
            let _ = writeln!(text, "{number} | {winner} wins {}", outcome.points);
        }
    }
    text
}

#[test]
fn the_example_is_written() {
    let record = read(EXAMPLE).unwrap();
    assert_eq!(write(&record).unwrap(), EXAMPLE);
    let sgf = EXAMPLE_SGF.replace("VERSION", env!("CARGO_PKG_VERSION"));
    assert_eq!((SGF.write)(&record).unwrap(), sgf);
}

#[test]
fn variants_of_other_programs_are_read() {
    let expected = read(EXAMPLE).unwrap();
    let mut faults = Vec::new();
    for [this, that] in rows(include_str!("data/match_variants.txt"), " | ") {
        match read(&edited(this, that)) {
            Ok(record) if record == expected => {}
            Ok(record) => faults.push(format!("{this} | {that}: {}", steps(&record))),
            Err(error) => faults.push(format!("{this} | {that}: {error}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let windows = EXAMPLE.replace('\n', "\r\n");
    assert_eq!(read(&format!("\u{feff}{windows}")), Ok(expected));
}

/// `BackgammonGalaxy` writes an entry of the loser, and for the last game the points that the winner lacked.
#[test]
fn entries_of_losers_and_low_wins_are_read_with_a_warning() {
    let expected = read(EXAMPLE).unwrap();
    let mut faults = Vec::new();
    for [this, that, warning] in rows(include_str!("data/match_warnings.txt"), " | ") {
        let found = match read_with_warnings(&edited(this, that)) {
            Ok((record, _)) if record != expected => steps(&record),
            Ok((_, warnings)) => {
                let lines = warnings
                    .iter()
                    .map(|RecordWarning { line, why }| format!("line {line}: {why}"));
                lines.collect::<Vec<_>>().join("; ")
            }
            Err(error) => error.to_string(),
        };
        if found != warning {
            faults.push(format!("{this} | {that} | {found}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A last game may be recorded with the points that the winner lacked.
#[test]
fn a_low_win_of_the_last_game_has_its_value_by_the_rules() {
    let mut low_wins = 0;
    for (target, matches) in [(3, 60), (7, 40)] {
        for seed in 0..matches {
            let record = without_unwritten_steps(&played("standard", target, seed));
            let [.., game] = &record.games[..] else {
                panic!("a match has a game")
            };
            let RecordOutcome { winner, points } = game.outcome.unwrap();
            let before: u32 = record
                .games
                .iter()
                .rev()
                .skip(1)
                .map(|game| game.outcome.unwrap())
                .filter(|outcome| outcome.winner == winner)
                .map(|outcome| outcome.points)
                .sum();
            let lacked = target - before;
            let is_resigned = matches!(game.steps.last(), Some(RecordStep::Action { action, .. }) if action.starts_with("resign") || action == "accept");
            if is_resigned || points <= lacked {
                continue;
            }
            low_wins += 1;
            let unit = if points == 1 { "point" } else { "points" };
            let full = format!("Wins {points} {unit} and the match");
            let text = write(&record).unwrap();
            assert!(text.contains(&full), "{text}");
            let (read_low, warnings) = read_with_warnings(
                &text.replace(&full, &format!("Wins {lacked} point and the match")),
            )
            .unwrap();
            assert_eq!(read_low, record);
            let why = format!(
                "the game is worth {points} points by the rules, not {lacked}: read as a win of {points}"
            );
            assert_eq!(
                warnings,
                [RecordWarning {
                    line: text.lines().count(),
                    why
                }]
            );
            for refused in [
                format!("Wins {lacked} point"),
                format!("Wins {} points and the match", points + 1),
                format!("Wins {} points and the match", lacked - 1),
            ] {
                let error = read(&text.replace(&full, &refused))
                    .unwrap_err()
                    .to_string();
                assert!(
                    error.contains(&format!("expected a win of {points} for seat")),
                    "{error}"
                );
            }
        }
    }
    assert!(low_wins >= 3, "{low_wins}");
}

/// With the cube at 4, the least resignation that ends a match to 3 points.
#[test]
fn a_low_win_by_resignation_is_the_least_that_ends_the_match() {
    let start = "3 point match\nGame 1\nA : 0  B : 0\n 1) 31: 8/5 6/5                  Doubles => 2\n \
                 2)  Takes                       31: 8/5 6/5\n 3)  Doubles => 4                Takes\n";
    let expected = read(&format!(
        "{start} 4) 31:                         Wins 4 points\n"
    ))
    .unwrap();
    let (record, warnings) = read_with_warnings(&format!(
        "{start} 4) 31:                         Wins 3 point and the match\n"
    ))
    .unwrap();
    assert_eq!(record, expected);
    assert_eq!(warnings.len(), 1);
    for refused in [
        "Wins 3 point",
        "Wins 2 point and the match",
        "Wins 13 point and the match",
    ] {
        let error = read(&format!(
            "{start} 4) 31:                         {refused}\n"
        ))
        .unwrap_err();
        assert!(error.why.starts_with("no resignation is worth"), "{error}");
    }
}

/// Played and written by GNU Backgammon 1.07. Its players resigned out of turn.
#[test]
fn a_match_that_gnu_backgammon_wrote_is_read() {
    let record = read(include_str!("data/gnubg.mat")).unwrap();
    assert_eq!((record.target, record.games.len()), (5, 2));
    assert_eq!(record.players, ["Alice", "Bert"]);
    for (game, (points, score)) in record.games.iter().zip([(4, "0:0:0:5"), (2, "0:4:1:5")]) {
        let winner = Some(Seat::Second);
        assert_eq!(game.outcome, Some(RecordOutcome { winner, points }));
        assert!(game.start.contains(score), "{}", game.start);
    }
    assert_eq!(steps(&record).matches("roll ").count(), 49 + 32);
}

/// No line is short, and a drop is on the same line as its win.
#[test]
fn dropped_games_are_written() {
    let text = " 3 point match\n\n Game 1\n A : 0  B : 0\n 1) 31: 8/5 6/5                  Doubles\n 2) Drops\n";
    let [left, right] = ["A : 0", "B : 0"];
    let expected = format!(
        " 3 point match\n\n Game 1\n {left:<30}  {right}\n  1) 31: 8/5 6/5                  Doubles => 2\n  \
         2)  Drops                       Wins 1 point\n"
    );
    assert_eq!(write(&read(text).unwrap()).unwrap(), expected);
    let taken = text.replace("Drops", "Takes");
    let expected = expected.replace(" Drops                       Wins 1 point", " Takes       ");
    assert_eq!(write(&read(&taken).unwrap()).unwrap(), expected);
}

/// The example with the first occurrence of `this` replaced.
fn edited(this: &str, that: &str) -> String {
    let [this, that] = [this, that].map(|text| text.replace("\\n", "\n").replace("\\t", "\t"));
    assert!(EXAMPLE.contains(&this), "{this:?} is not in the example");
    EXAMPLE.replacen(&this, &that, 1)
}

#[test]
fn unreadable_records_name_the_line() {
    let mut faults = Vec::new();
    for [this, that, expected] in rows(include_str!("data/unreadable_records.txt"), " | ") {
        let found = match read(&edited(this, that)) {
            Ok(_) => "read".to_owned(),
            Err(error) => error.to_string(),
        };
        if found != expected {
            faults.push(format!("{this} | {that} | {found}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (text, expected) in [
        ("", "line 1: expected a line such as"),
        (" 3 point match\n\n Game 1\n", "line 3: expected two names"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let long = " ".repeat(MAT_BYTES_MAX + 1);
    let expected = "line 1: longer than 4194304 bytes";
    assert_eq!(read(&long).unwrap_err().to_string(), expected);
}

/// A match of random actions and occasional resignations.
fn played(variant: &str, target: u32, seed: u64) -> MatchRecord {
    random_match("backgammon", variant, target, seed)
}

/// The record without the parts that the format omits: ties in the opening and declined
/// offers.
fn without_unwritten_steps(record: &MatchRecord) -> MatchRecord {
    let mut record = record.clone();
    for game in &mut record.games {
        let mut position: Position = game.start.parse().unwrap();
        let mut kept = Vec::new();
        for step in std::mem::take(&mut game.steps) {
            match &step {
                RecordStep::Roll { roll } => {
                    position.roll(roll.parse().unwrap());
                    if position.mover().is_none() {
                        continue;
                    }
                }
                RecordStep::Pass { .. } => position.pass(),
                RecordStep::Action { action, .. } => {
                    position.play(action.parse().unwrap()).unwrap();
                    if action == "decline" {
                        kept.pop();
                        continue;
                    }
                }
            }
            kept.push(step);
        }
        game.steps = kept;
    }
    record
}

#[test]
fn matches_read_as_they_are_written() {
    let mut resigned = 0;
    let mut dropped = 0;
    for (target, matches) in [(1, 6), (3, 8), (7, 10), (15, 8), (4, 3)] {
        for seed in 0..matches {
            let record = played("standard", target, seed);
            let text = write(&record).unwrap();
            let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again, without_unwritten_steps(&record), "{text}");
            assert_eq!(write(&again).unwrap(), text);
            resigned += steps(&again).matches("resign").count();
            dropped += text.matches("Drops").count();
            assert_eq!((SGF.write)(&record), (SGF.write)(&again));
        }
    }
    assert!(resigned > 20 && dropped > 20, "{resigned}, {dropped}");
}

#[test]
fn money_games_keep_their_stakes() {
    for seed in 0..30 {
        for variant in ["money", "money_jacoby"] {
            let record = played(variant, 1, seed);
            let text = write(&record).unwrap();
            let word = if variant == "money" { "Off" } else { "On" };
            assert!(text.contains(&format!("; [Jacoby \"{word}\"]\n")), "{text}");
            let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again.variant, variant);
            assert_eq!(again.games[0].outcome, record.games[0].outcome);
            assert_eq!(write(&again).unwrap(), text);
            let without_header = text.replace("; [Jacoby \"On\"]\n", "");
            let outcome = |record: &MatchRecord| record.games[0].outcome;
            assert_eq!(outcome(&read(&without_header).unwrap()), outcome(&record));
        }
    }
}

/// A session of money games is one record with a running score.
#[test]
fn sessions_have_several_games() {
    let text = "\
; [Jacoby \"1\"]\n\n 0 point match\n\n Game 1\n Ann : 0      Bob : 0\n  1) 31: 8/5 6/5                  Doubles => 2
  2)  Drops\n                                  Wins 1 point\n\n Game 2\n Ann : 0      Bob : 1\n";
    let record = read(text).unwrap();
    assert_eq!((&*record.variant, record.target), ("money_jacoby", 1));
    let expected = "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:1:1:0:10";
    assert_eq!(record.games[1].start, expected);
    assert_eq!(record.games[1].outcome, None);
    assert_eq!(read(&write(&record).unwrap()), Ok(record));
}

/// eXtreme Gammon writes `On` and `Off`. A header with another word counts as none.
#[test]
fn the_jacoby_header_has_the_words_of_other_programs() {
    for (words, expected) in [
        (&["1", "On", "on", "true", "YES"][..], "money_jacoby"),
        (&["0", "Off", "off", "False", "no", "", "maybe"], "money"),
    ] {
        for word in words {
            let text = format!("; [Jacoby \"{word}\"]\n 0 point match\n");
            assert_eq!(read(&text).unwrap().variant, expected, "{word}");
        }
    }
}

/// The header limits the cube of a session. Others have it in a match too, where it means nothing.
#[test]
fn sessions_keep_their_highest_cube() {
    for variant in [
        "money_jacoby_1024",
        "money_1",
        "money_16384",
        "money_jacoby_2",
    ] {
        for seed in 0..3 {
            let record = played(variant, 1, seed);
            let text = write(&record).unwrap();
            let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(again.variant, variant);
            assert_eq!(again.games[0].start, record.games[0].start);
            assert_eq!(again.games[0].outcome, record.games[0].outcome);
        }
    }
    let variant_of = |limit: &str, length: u8| {
        let text = format!("; [CubeLimit \"{limit}\"]\n {length} point match\n");
        let record = read(&text).unwrap();
        assert_eq!(read(&write(&record).unwrap()).as_ref(), Ok(&record));
        record.variant
    };
    assert_eq!(variant_of("1024", 0), "money_1024");
    for unlimited in ["32768", "65536", "1000", "0", "", "none"] {
        assert_eq!(variant_of(unlimited, 0), "money", "{unlimited}");
    }
    assert_eq!(variant_of("1024", 7), "standard");
    let mut text = "; [CubeLimit \"2\"]\n 0 point match\n Game 1\n A : 0  B : 0\n 1) 31: 8/5 6/5                  Doubles => 2\n \
                    2)  Takes                       31: 8/5 6/5\n"
        .to_owned();
    assert!(read(&text).is_ok());
    text.push_str(" 3)  Doubles => 4\n");
    let error = read(&text).unwrap_err().to_string();
    assert!(error.starts_with("line 7: double: "), "{error}");
}

/// Without a header a session is read without and with the Jacoby rule; the mistake is where the longer reading ends.
#[test]
fn the_mistake_in_a_session_without_a_header_is_where_the_longer_reading_ends() {
    let mistake = "\n 1) 31: 8/5 6/5                 42: 8/9\n";
    let mut gammons = 0;
    for seed in 0..100 {
        // No game has a double, which would let gammons count.
        let record = played("money_jacoby_1", 1, seed);
        let text = write(&record).unwrap();
        if read(&text.replace("Jacoby \"On\"", "Jacoby \"Off\"")).is_ok() {
            continue;
        }
        gammons += 1;
        let text = text.replace("; [Jacoby \"On\"]\n", "");
        let RecordOutcome { winner, points } = record.games[0].outcome.unwrap();
        let [ann, bob] = Seat::BOTH.map(|seat| if winner == Some(seat) { points } else { 0 });
        let text = format!("{text}\n Game 2\n Ann : {ann}      Bob : {bob}{mistake}");
        let error = read(&text).unwrap_err();
        assert_eq!(error.line, text.lines().count(), "{error}\n{text}");
    }
    assert!(gammons >= 2, "{gammons}");
    // With the rule no resignation of a centred cube is worth two points.
    let start = " 0 point match\n Game 1\n Ann : 0      Bob : 0\n 1) 31: 8/5 6/5\n Wins 2 points\n";
    let text = format!("{start} Game 2\n Ann : 2      Bob : 0{mistake}");
    let error = read(&text).unwrap_err();
    assert_eq!(error.line, 8, "{error}");
}

/// A session has no such rule, and a match to one point no game of it.
#[test]
fn matches_without_the_crawford_rule_are_refused() {
    let read_with = |word: &str, length: u8| {
        read(&format!(
            "; [Crawford \"{word}\"]\n\n {length} point match\n"
        ))
    };
    for word in ["Off", "0", "false", "no"] {
        let error = read_with(word, 2).unwrap_err().to_string();
        let expected = "line 3: matches without the Crawford rule are not supported, but the header Crawford turns it off";
        assert_eq!(error, expected, "{word}");
        assert!(read_with(word, 0).is_ok() && read_with(word, 1).is_ok());
    }
    assert!(read_with("On", 7).is_ok() && read_with("maybe", 7).is_ok());
}

/// Players may agree on an end where the rules have no offer: out of turn or before a roll.
#[test]
fn games_may_end_by_agreement() {
    let mut record = read(EXAMPLE).unwrap();
    record.games.truncate(1);
    record.games[0].steps.truncate(5);
    for (seat, points) in [(Seat::First, 1), (Seat::Second, 2), (Seat::Second, 3)] {
        let winner = Some(seat);
        record.games[0].outcome = Some(RecordOutcome { winner, points });
        let text = write(&record).unwrap();
        let again = read(&text).unwrap();
        assert_eq!(again.games[0].outcome, record.games[0].outcome);
        assert_eq!(write(&again).unwrap(), text);
    }
    record.games[0].outcome = None;
    assert_eq!(read(&write(&record).unwrap()), Ok(record.clone()));
    let error_of = |winner, points| {
        let mut record = record.clone();
        record.games[0].outcome = Some(RecordOutcome { winner, points });
        write(&record).unwrap_err().to_string()
    };
    let expected = "not possible in this format: game 1 is cut short with 5 points, which no \
                    resignation gives";
    assert_eq!(error_of(Some(Seat::First), 5), expected);
    assert!(error_of(None, 1).starts_with("not possible in this format"));
}

/// The thoughts about a play are the comment of its node, those about what is not written are not, and a `.mat` has none.
#[test]
fn thoughts_are_comments_of_their_nodes() {
    let bare = read(EXAMPLE).unwrap();
    let mut record = bare.clone();
    let value = ThinkingValue::win_probability(0.51).unwrap();
    let mut thinking = Thinking::new(Some(value), Some(2), None);
    thinking.push_line("13/10 6/5").unwrap();
    thinking.push_tag("note", "a] b\\").unwrap();
    let game = &mut record.games[0];
    let is_play = |step: &RecordStep| matches!(step, RecordStep::Action { action, .. } if action.contains('/'));
    let play = game.steps.iter().position(is_play).unwrap();
    game.thinking.insert(play, thinking);
    let comment = r"C[win 0.51, depth 2; line 13/10 6/5; note: a\] b\\]";
    let sgf = (SGF.write)(&record).unwrap();
    let node = sgf.lines().nth(1).unwrap();
    assert!(node.ends_with(&format!("]{comment}")), "{node}");
    assert_eq!(sgf.replace(comment, ""), (SGF.write)(&bare).unwrap());
    assert_eq!(write(&record), write(&bare));
}

#[test]
fn names_and_titles_stay_in_their_lines() {
    let mut record = read(EXAMPLE).unwrap();
    record.players = [" A:b,\n9 ".to_owned(), String::new()];
    record.title = "the \"great\"\nmatch]".to_owned();
    record.date = Some("today".to_owned());
    let again = read(&write(&record).unwrap()).unwrap();
    assert_eq!(again.players, ["A_b_ 9", "second"]);
    assert_eq!(again.title, "the 'great' match]");
    assert_eq!(again.date, None);
    let sgf = (SGF.write)(&record).unwrap();
    assert!(sgf.contains("EV[the \"great\" match\\]]"), "{sgf}");
    let names = ["; Ann", "Game 2"].map(str::to_owned);
    record.players.clone_from(&names);
    assert_eq!(read(&write(&record).unwrap()).unwrap().players, names);
}

#[test]
fn records_against_the_rules_are_not_written() {
    let error_of = |change: fn(&mut MatchRecord)| {
        let mut record = read(EXAMPLE).unwrap();
        change(&mut record);
        let mat = write(&record).unwrap_err();
        assert_eq!(Err(mat.clone()), (SGF.write)(&record));
        mat.to_string()
    };
    let expected = [
        error_of(|record| "loose".clone_into(&mut record.variant)),
        error_of(|record| record.target = 0),
        error_of(|record| record.target = 2),
        error_of(|record| "x".clone_into(&mut record.games[0].start)),
        error_of(|record| record.games.swap(0, 1)),
        error_of(|record| drop(record.games[0].steps.remove(0))),
        error_of(|record| drop(record.games[0].steps.remove(1))),
        error_of(|record| record.games[0].steps[0] = RecordStep::Pass { seat: Seat::First }),
        error_of(|record| {
            record.games[0].steps[1] = RecordStep::Action {
                seat: Seat::First,
                action: "8/4".to_owned(),
            };
        }),
        error_of(|record| {
            record.games[0].steps.truncate(3);
            record.games[0].outcome = None;
        }),
        error_of(|record| record.games[0].outcome.as_mut().unwrap().points = 4),
        error_of(|record| record.games.push(record.games[1].clone())),
    ];
    let texts: Vec<&str> = expected.iter().map(String::as_str).collect();
    assert_eq!(
        texts.join("\n"),
        include_str!("data/unwritable_records.txt").trim_end()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A text with any change is refused or is a record that can be written.
    #[test]
    fn no_text_makes_the_reader_panic(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize, "[ -~\n\t*:é]{0,4}"), 1..4),
    ) {
        let mut letters: Vec<char> = EXAMPLE.chars().collect();
        for (place, length, inserted) in cuts {
            let from = place.index(letters.len());
            let to = letters.len().min(from + length);
            letters.splice(from..to, inserted.chars());
            letters.push('\n');
        }
        let text: String = letters.into_iter().collect();
        if let Ok(record) = read(&text) {
            let text = write(&record).unwrap();
            let again = read(&text).unwrap();
            prop_assert_eq!(write(&again).unwrap(), text);
        }
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "[ 0-9:/*()a-zA-Z=>é\t]{0,40}") {
        let text = format!(" 3 point match\n Game 1\n A : 0  B : 0\n  1) 31: 8/5 6/5\n{line}\n");
        prop_assert!(read(&text).is_ok() || read(&text).unwrap_err().line == 5);
    }
}
