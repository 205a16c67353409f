//! Ids written by GNU Backgammon, and texts that are not positions.

use dragontooth_games::backgammon::{Board, CubeLimit, Dice, Due, ParsePositionError, Position};
use dragontooth_games::{Position as _, Roll as _, Seat, Turn};
use proptest::prelude::*;

use super::scenes::{KINDS, position_text, scene};
use crate::play::{read, rows};
use crate::strategies::Choices;

#[test]
fn ids_are_those_of_gnu_backgammon() {
    let mut rows_read = 0;
    for [xgid, position_id, match_id] in rows(include_str!("data/ids.txt"), " | ") {
        let position: Position = read(xgid);
        assert_eq!(position.to_string(), xgid);
        assert_eq!(position.position_id(), position_id, "{xgid}");
        assert_eq!(position.match_id(), match_id, "{xgid}");
        let both = format!("{position_id}:{match_id}");
        assert_eq!(read::<Position>(&both), position, "{both}");
        let bare = xgid.strip_prefix("XGID=").unwrap();
        assert_eq!(read::<Position>(bare), position, "{bare}");
        rows_read += 1;
    }
    assert!(rows_read > 15, "only {rows_read} rows");
}

/// The example of the GNU Backgammon manual: the opponent holds a 2-cube and has 2 points of 9, the
/// player on roll has 4 points and rolled 5-2. The id leaves out the last bit.
#[test]
fn the_example_of_the_manual_is_read() {
    let position: Position = read("4HPwATDgc/ABMA:QYkqASAAIAAA");
    assert_eq!(position.mover(), Some(Seat::First));
    assert_eq!(position.match_length(), Some(9));
    assert_eq!(Seat::BOTH.map(|seat| position.points(seat)), [4, 2]);
    assert_eq!(position.cube().value(), 2);
    assert_eq!(position.cube().owner(), Some(Seat::Second));
    assert!(matches!(position.due(), Due::Moves(dice) if dice.to_string() == "52"));
    assert_eq!(
        position.to_string(),
        "XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:4:2:0:9:10"
    );
}

/// Ids as other programs write them, and their meaning.
#[test]
fn ids_of_other_programs_are_read() {
    for [text, meaning] in rows(include_str!("data/foreign_ids.txt"), " | ") {
        assert_eq!(read::<Position>(text).to_string(), meaning, "{text}");
    }
}

#[test]
fn a_bare_position_id_is_seat_first_on_roll() {
    let position: Position = read("4HPwATDgc/ABMA");
    assert_eq!(
        position.to_string(),
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:1:10"
    );
    assert_eq!(position.turn(), Turn::Chance);
}

#[test]
fn states_beyond_the_xgid_have_words() {
    let mut rows_read = 0;
    for [text, next] in rows(include_str!("data/states.txt"), " | ") {
        let position: Position = read(text);
        assert_eq!(position.to_string(), text);
        let found = match position.turn() {
            Turn::Decide(seat) => {
                let legal = position.legal_actions();
                let words: Vec<String> = legal.iter().take(2).map(ToString::to_string).collect();
                format!("{seat} decides {}", words.join(", "))
            }
            Turn::Pass(seat) => format!("{seat} passes"),
            Turn::Chance => "chance".to_owned(),
            Turn::Over(outcome) => {
                let winner = outcome.winner.unwrap();
                format!("{winner} wins {}: {}", outcome.points, outcome.reason)
            }
        };
        assert_eq!(found, next, "{text}");
        rows_read += 1;
    }
    assert!(rows_read > 20, "only {rows_read} rows");
}

#[test]
fn unreadable_positions_say_why() {
    let mut faults = Vec::new();
    let mut rows_read = 0;
    for [text, expected] in rows(include_str!("data/unreadable_positions.txt"), " => ") {
        match text.parse::<Position>() {
            Ok(position) => faults.push(format!("{text} is read as {position}")),
            Err(error) if error.to_string() != expected => {
                faults.push(format!("{text} => {error}"));
            }
            Err(_) => {}
        }
        rows_read += 1;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(rows_read > 50, "only {rows_read} rows");
    let long = "4HPwATDgc/ABMA:".repeat(20_000);
    assert_eq!(long.parse::<Position>(), Err(ParsePositionError::TooLong));
}

fn gnubg_ids(position: &Position) -> String {
    format!("{}:{}", position.position_id(), position.match_id())
}

#[test]
fn ids_of_random_boards_read_back() {
    let mut choices = Choices::new(5);
    for kind in KINDS {
        for _ in 0..500 {
            let (board, dice) = scene(kind, &mut choices);
            for seat in Seat::BOTH {
                let id = board.position_id(seat);
                assert_eq!(Board::from_position_id(&id, seat), Ok(board), "{id}");
                let position: Position = read(&position_text(&board, seat, dice));
                assert_eq!((position.board(), position.mover()), (&board, Some(seat)));
                assert_eq!(read::<Position>(&position.to_string()), position);
                assert_eq!(read::<Position>(&gnubg_ids(&position)), position);
            }
        }
    }
}

/// In random money games with resignations, the ids read back.
#[test]
fn ids_of_random_games_read_back() {
    for seed in 0..200 {
        let mut choices = Choices::new(seed);
        let mut position = if seed % 3 == 0 {
            Position::money(seed % 2 == 0, CubeLimit::HIGHEST)
        } else {
            Position::match_start(5).unwrap()
        };
        loop {
            let xgid = position.to_string();
            assert_eq!(read::<Position>(&xgid), position);
            if !xgid.contains("roll") && position.declined().is_none() {
                let ids = gnubg_ids(&position);
                assert_eq!(read::<Position>(&ids), position, "{ids}");
            }
            match position.turn() {
                Turn::Chance => position.roll(Dice::ALL[choices.below(36)]),
                Turn::Pass(_) => position.pass(),
                Turn::Decide(_) => {
                    let mut actions = position.legal_actions();
                    if choices.below(20) == 0 {
                        position.for_each_offer(|offer| actions = vec![offer]);
                    }
                    position
                        .play(actions[choices.below(actions.len())])
                        .unwrap();
                }
                Turn::Over(_) => break,
            }
        }
    }
}

proptest! {
    #[test]
    fn any_ids_are_read_or_refused(
        board in "[A-Za-z0-9+/]{14}",
        state in "[A-Za-z0-9+/]{12}",
        odd in "\\PC{0,40}",
    ) {
        for text in [format!("{board}:{state}"), format!("4HPwATDgc/ABMA:{state}"), board, odd] {
            if let Ok(position) = text.parse::<Position>() {
                prop_assert_eq!(read::<Position>(&position.to_string()), position);
            }
        }
    }
}
