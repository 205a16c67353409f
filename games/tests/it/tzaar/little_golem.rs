//! Little Golem's record format: writing, reading and refusals.

use dragontooth_games::tzaar::little_golem::{
    ReadFault, RecordedGame, TEXT_BYTES_MAX, WriteGameError, read, write,
};
use dragontooth_games::tzaar::{Action, Due, Position, Variant};
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use super::strategies::shuffled_starts;
use crate::play::{self, rows};
use crate::strategies::Choices;

/// A game of three turns from the fixed start. The letters were worked out by hand.
const SAMPLE: &str = "(;FF[TZAAR]VA[FIXED]EV[a [small\\] event]PB[b\\\\ack]PW[white ?]\
    POS[cCCCCcbBBBccbaAAbccbacCabcCBACcabcCBAcCABCCBaaABCCbbbBCccccC]SO[Dragontooth]\
    ;W[nqmq];B[mpmq-kskr];W[mrmq-pass])";

fn sample() -> RecordedGame {
    let actions = ["d3xc3", "c4xc3", "a1+a2", "c2xc3", "-"];
    RecordedGame {
        variant: Variant::Fixed,
        event: "a [small] event".to_owned(),
        date: None,
        players: ["white ?".to_owned(), "b\\ack".to_owned()],
        start: Position::fixed(),
        actions: actions
            .iter()
            .map(|action| action.parse().unwrap())
            .collect(),
        resigned: None,
    }
}

fn read_one(text: &str) -> RecordedGame {
    let mut games = read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(games.len(), 1);
    games.remove(0)
}

#[test]
fn a_game_is_written_in_the_format() {
    assert_eq!(write(&sample()).unwrap(), SAMPLE);
    assert_eq!(read_one(SAMPLE), sample());
}

#[test]
fn a_record_ends_inside_a_turn_by_resignation_or_with_the_game() {
    let mut game = sample();
    game.actions.truncate(2);
    let text = write(&game).unwrap();
    assert!(text.ends_with(";W[nqmq];B[mpmq])"), "{text}");
    assert_eq!(read_one(&text), game);
    for (seat, end) in [
        (Seat::First, ";B[mpmq];W[resign])"),
        (Seat::Second, ";B[mpmq];B[resign])"),
    ] {
        game.resigned = Some(seat);
        let text = write(&game).unwrap();
        assert!(text.ends_with(end), "{text}");
        assert_eq!(read_one(&text), game);
    }
}

/// A missing second action is a pass, except in the last turn.
#[test]
fn a_turn_may_leave_out_its_pass() {
    let text = SAMPLE.replace("mpmq-kskr", "mpmq");
    let actions: Vec<String> = read_one(&text)
        .actions
        .iter()
        .map(Action::to_string)
        .collect();
    assert_eq!(actions, ["d3xc3", "c4xc3", "-", "c2xc3", "-"]);
}

#[test]
fn white_space_and_unknown_properties_are_ignored() {
    let text = SAMPLE
        .replace(
            "SO[",
            "RE [0\\]1]\n C[a long (comment); with] signs[x]\r\n\tSO[",
        )
        .replace(";B", "\n\n; C[!] B")
        .replace("-pass", " - Pass ");
    let text = format!("\u{feff} {text} \n");
    let mut expected = sample();
    assert_eq!(read_one(&text), expected);
    expected.date = Some("2026-11-21".to_owned());
    let text = text.replace("SO[", "DT[2026-11-21]SO[");
    assert_eq!(read_one(&text), expected);
    assert_eq!(read_one(&write(&expected).unwrap()), expected);
}

#[test]
fn the_setup_follows_from_the_name_or_the_board() {
    let variant = |name: &str| read_one(&SAMPLE.replace("VA[FIXED]", name)).variant;
    assert_eq!(variant("VA[RANDOM]"), Variant::Random);
    assert_eq!(variant("VA[tournament]"), Variant::Tournament);
    assert_eq!(variant("VA[other]"), Variant::Fixed);
    assert_eq!(variant(""), Variant::Fixed);
    let other = SAMPLE.replace("VA[FIXED]", "").replace("POS[cC", "POS[Cc");
    let other = other.split(";W").next().unwrap().to_owned() + ")";
    assert_eq!(read_one(&other).variant, Variant::Random);
}

#[test]
fn several_games_follow_each_other() {
    let games = read(&format!("{SAMPLE}\n{SAMPLE}")).unwrap();
    assert_eq!(games, [sample(), sample()]);
}

/// The order of the placements is lost: the record starts with the resulting board.
#[test]
fn placements_are_written_as_the_resulting_board() {
    let mut choices = Choices::new(1);
    let mut position = Position::empty();
    let mut actions = Vec::new();
    let mut full = None;
    for _ in 0..66 {
        if position.due() == Due::Opening {
            full = Some(position);
        }
        let legal = position.legal_actions();
        let action = legal[choices.below(legal.len())];
        position.play_unchecked(action);
        actions.push(action);
    }
    let game = RecordedGame {
        variant: Variant::Tournament,
        start: Position::empty(),
        actions: actions.clone(),
        ..sample()
    };
    let expected = RecordedGame {
        start: full.unwrap(),
        actions: actions[60..].to_vec(),
        ..game.clone()
    };
    assert_eq!(read_one(&write(&game).unwrap()), expected);
}

#[test]
fn unsupported_games_are_refused() {
    let mut game = sample();
    game.start = Position::empty();
    game.actions = vec!["z@d4".parse().unwrap()];
    assert_eq!(write(&game), Err(WriteGameError::Start));
    game.start =
        play::read("Z..../....../......R/......../T......t/......../r....../....../....z w 1");
    assert_eq!(write(&game), Err(WriteGameError::Start));
    game = sample();
    game.actions[3] = Action::Pass;
    let error = write(&game).unwrap_err().to_string();
    let expected = "action 4: White must capture with the first action of a turn: \
        only the second may be a pass (rule capture_first)";
    assert_eq!(error, expected);
    game.start = Position::empty();
    let error = write(&game).unwrap_err().to_string();
    assert!(
        error.starts_with("action 1: White must place a piece"),
        "{error}"
    );
}

/// Every row of the data file is a change of the sample, the line and the error.
#[test]
fn records_that_cannot_be_read_name_the_line_and_the_fault() {
    let table = include_str!("data/unreadable_records.txt");
    let mut rows_read = 0;
    for [old, new, expected] in rows(table, " | ") {
        let new = new.replace("\\n", "\n");
        let text = if old == "all" {
            new
        } else {
            assert!(SAMPLE.contains(old), "{old}");
            SAMPLE.replacen(old, &new, 1)
        };
        let error = read(&text).expect_err(&text);
        assert_eq!(error.to_string(), expected, "{text}");
        rows_read += 1;
    }
    assert!(rows_read > 40, "only {rows_read} rows");
}

#[test]
fn limits_are_kept() {
    for text in [
        SAMPLE.replace("white", &"w".repeat(TEXT_BYTES_MAX)),
        " ".repeat(TEXT_BYTES_MAX + 1),
    ] {
        let error = read(&text).unwrap_err();
        assert_eq!(error.fault, ReadFault::TooLong);
    }
    let names = ('A'..='Z').flat_map(|a| ('A'..='C').map(move |b| format!("X{a}{b}[]")));
    let text = SAMPLE.replace("SO[", &(names.collect::<String>() + "SO["));
    assert_eq!(read(&text).unwrap_err().fault, ReadFault::TooManyProperties);
    let deep = ["(", "(;", ";", "(;a[", "\\"].map(|part| part.repeat(100_000));
    for text in deep {
        assert!(read(&text).is_err());
    }
}

/// A random game from this start, cut off after `actions_max` actions.
fn random_game(start: &str, actions_max: usize, choices: &mut Choices) -> RecordedGame {
    let start: Position = play::read(start);
    let mut position = start;
    let mut actions = Vec::new();
    while let (Turn::Decide(_), true) = (position.turn(), actions.len() < actions_max) {
        let legal = position.legal_actions();
        let action = legal[choices.below(legal.len())];
        position.play_unchecked(action);
        actions.push(action);
    }
    RecordedGame {
        variant: Variant::Random,
        start,
        actions,
        ..sample()
    }
}

proptest! {
    #[test]
    fn records_read_as_they_are_written(
        start in shuffled_starts(),
        actions_max in 0..160_usize,
        names in prop::array::uniform3("[a-z\\[\\]\\\\(); é\n]{0,12}"),
        mut choices in Choices::any(),
    ) {
        let mut game = random_game(&start, actions_max, &mut choices);
        let [event, white, black] = names;
        game.event = event;
        game.players = [white, black];
        let text = write(&game).unwrap();
        // A line break is a space.
        game.event = game.event.replace('\n', " ");
        game.players = game.players.map(|name| name.replace('\n', " "));
        prop_assert_eq!(read(&text), Ok(vec![game]));
    }

    #[test]
    fn changed_records_are_read_or_refused(
        start in shuffled_starts(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..3_u8, "[\\[\\]();\\\\\nWBk-sx -]|é|[A-Za-z0-9]|pass|resign"),
            1..4,
        ),
        mut choices in Choices::any(),
    ) {
        let text = write(&random_game(&start, 40, &mut choices)).unwrap();
        let mut letters: Vec<String> = text.chars().map(String::from).collect();
        for (at, kind, put) in changes {
            let at = at.index(letters.len());
            match kind {
                0 => letters.insert(at, put),
                1 => letters[at] = put,
                _ => drop(letters.remove(at)),
            }
        }
        match read(&letters.concat()) {
            Ok(games) => for game in games {
                let again = write(&game).unwrap();
                prop_assert_eq!(read(&again), Ok(vec![game]));
            },
            Err(error) => prop_assert!(error.to_string().len() < 300, "{}", error),
        }
    }

    #[test]
    fn any_text_is_refused(text in any::<String>()) {
        prop_assert!(read(&text).is_err());
    }
}
