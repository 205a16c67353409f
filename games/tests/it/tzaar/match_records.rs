//! Whole matches in Little Golem's format.

use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordFormat, RecordOutcome, RecordStep, RecordWriteError,
    read_text, write_text,
};
use dragontooth_games::tzaar::little_golem;
use dragontooth_games::{MatchPlay as _, Seat, tzaar};

use crate::play::random_match;

fn format() -> RecordFormat {
    assert_eq!(tzaar::Position::FORMATS.len(), 1);
    little_golem::FORMAT
}

fn played(variant: &str, points: u32, seed: u64) -> MatchRecord {
    random_match("tzaar", variant, points, seed)
}

fn write(record: &MatchRecord) -> Result<String, RecordWriteError> {
    (format().write)(record)
}

fn read(text: &str) -> MatchRecord {
    let read = (format().read.unwrap())(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(read.warnings, []);
    read.record
}

#[test]
fn matches_read_as_they_are_written() {
    for (variant, points) in [("random", 1), ("fixed", 3), ("random", 7), ("fixed", 15)] {
        for seed in 0..6 {
            let record = played(variant, points, seed);
            let text = write(&record).unwrap();
            assert_eq!(text.lines().count(), record.games.len());
            let again = read(&text);
            assert!(again.target <= points);
            let expected = MatchRecord {
                target: again.target,
                ..record
            };
            assert_eq!(again, expected);
        }
    }
}

#[test]
fn the_players_change_sides_from_game_to_game() {
    let record = played("fixed", 7, 1);
    let text = write(&record).unwrap();
    for (number, line) in text.lines().enumerate() {
        let players = if number % 2 == 0 {
            "PB[Bob]PW[Ann]"
        } else {
            "PB[Ann]PW[Bob]"
        };
        assert!(line.contains(players), "{line}");
    }
    let first = text.lines().next().unwrap();
    let error = (format().read.unwrap())(&format!("{first}\n{first}\n")).unwrap_err();
    let expected = "line 2: game 2 must have the same players with the sides swapped";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_target_is_the_least_that_fits() {
    let record = played("fixed", 15, 2);
    let games = record.games.len();
    for (count, target) in [(1, 1), (2, 3), (games, 15)] {
        let part = MatchRecord {
            games: record.games[..count].to_vec(),
            ..record.clone()
        };
        assert_eq!(read(&write(&part).unwrap()).target, target);
    }
    let mut longer = record.clone();
    longer.games.push(record.games[games - 2].clone());
    let text = write(&longer).unwrap();
    let error = (format().read.unwrap())(&text).unwrap_err();
    assert_eq!(error.line, games + 1, "{error}");
}

#[test]
fn only_the_last_game_may_be_unfinished() {
    let mut record = played("fixed", 3, 1);
    record.games.truncate(2);
    let begun = |game: &GameRecord| GameRecord {
        steps: game.steps[..5].to_vec(),
        outcome: None,
        ..game.clone()
    };
    let last = begun(&record.games[1]);
    let unfinished = MatchRecord {
        games: vec![record.games[0].clone(), last],
        ..record.clone()
    };
    assert_eq!(read(&write(&unfinished).unwrap()).games, unfinished.games);
    record.games[0] = begun(&record.games[0]);
    let text = write(&record).unwrap();
    let error = (format().read.unwrap())(&text).unwrap_err();
    let expected = "line 2: game 2 starts, but the previous game is unfinished";
    assert_eq!(error.to_string(), expected);
}

/// In a text for people, line breaks are white space, and no other format takes them for lines of its own.
#[test]
fn names_and_titles_are_one_line() {
    let mut record = played("fixed", 1, 5);
    record.title = "Spring\nOpen".to_owned();
    record.players[0] = "Ann\r\nLee".to_owned();
    let in_one_line = MatchRecord {
        title: "Spring Open".to_owned(),
        players: ["Ann  Lee".to_owned(), "Bob".to_owned()],
        ..record.clone()
    };
    assert_eq!(write(&record).unwrap(), write(&in_one_line).unwrap());
    let text = write(&in_one_line).unwrap();
    let broken = text.replace("Spring Open", "Spring\nOpen");
    assert_eq!(read(&broken.replace("Ann  Lee", "Ann\r\nLee")), in_one_line);
    let headers = Headers::default();
    let written = write_text(&record, &headers);
    assert_eq!(read_text(&written).unwrap().0, in_one_line);
}

#[test]
fn a_game_that_is_won_before_its_end_was_resigned() {
    for winner in Seat::BOTH {
        let mut record = played("fixed", 1, 3);
        record.games[0].steps.truncate(5);
        record.games[0].outcome = Some(RecordOutcome {
            winner: Some(winner),
            points: 1,
        });
        let text = write(&record).unwrap();
        let loser = if winner == Seat::First { 'B' } else { 'W' };
        assert!(text.ends_with(&format!(";{loser}[resign])\n")), "{text}");
        assert_eq!(read(&text), record);
    }
}

#[test]
fn records_against_the_rules_are_not_written() {
    let error_of = |change: fn(&mut MatchRecord)| {
        let mut record = played("fixed", 1, 4);
        change(&mut record);
        write(&record).unwrap_err().to_string()
    };
    assert_eq!(
        error_of(|record| "loose".clone_into(&mut record.variant)),
        "unknown variant \"loose\"; expected one of random, fixed, tournament"
    );
    assert_eq!(
        error_of(|record| record.games.clear()),
        "not possible in this format: a match without a game"
    );
    assert!(
        error_of(|record| "x".clone_into(&mut record.games[0].start))
            .starts_with("game 1: expected three fields")
    );
    let pass = |record: &mut MatchRecord| {
        record.games[0].steps[0] = RecordStep::Pass { seat: Seat::First };
    };
    assert_eq!(
        error_of(pass),
        "game 1: the game has no forced passes and no rolls"
    );
    let other = |record: &mut MatchRecord| {
        record.games[0].steps[0] = RecordStep::Action {
            seat: Seat::Second,
            action: "d3xc3".to_owned(),
        };
    };
    assert_eq!(
        error_of(other),
        "game 1: d3xc3: it is not seat second's turn"
    );
    let illegal = |record: &mut MatchRecord| {
        record.games[0].steps[0] = RecordStep::Action {
            seat: Seat::First,
            action: "d3xd8".to_owned(),
        };
    };
    assert_eq!(
        error_of(illegal),
        "game 1: d3xd8: the unit on d4 is between d3 and d8"
    );
    let studied = |record: &mut MatchRecord| {
        record.games[0].steps.clear();
        "Z..../....../......R/......../T......t/......../r....../....../....z w 1"
            .clone_into(&mut record.games[0].start);
    };
    assert!(error_of(studied).starts_with("not possible in this format: a record starts before"));
}
