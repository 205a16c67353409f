//! Parsing texts. The data file lists texts that are not positions, with the expected errors.

use std::panic::catch_unwind;

use dragontooth_games::kamisado::{
    Action, POSITION_BYTES_MAX, ParseActionError, ParsePositionError, Position, Square,
};
use dragontooth_games::{Position as _, Turn};
use proptest::prelude::*;

use crate::play::{position, unreadable};
use crate::strategies::positions;

const START: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";

#[test]
fn unreadable_positions_name_the_field() {
    let table = include_str!("data/unreadable_positions.txt");
    let rows = unreadable::<Position>(table);
    assert!(rows > 40, "only {rows} rows");
}

#[test]
fn positions_read_as_they_are_written() {
    for line in include_str!("data/positions.txt").lines() {
        assert_eq!(position(line).to_string(), line);
    }
}

#[test]
fn huge_texts_are_refused_at_once() {
    for text in [
        "b".repeat(50_000_000),
        "8/".repeat(1_000_000),
        "é".repeat(1_000),
        " ".repeat(999),
    ] {
        assert_eq!(text.parse::<Position>(), Err(ParsePositionError::TooLong));
        assert_eq!(text.parse::<Action>(), Err(ParseActionError::NoAction));
    }
}

#[test]
fn the_longest_position_fits() {
    let longest = "\
        1O+++1L+++1M+++1P+++/1Y+++1R+++1G+++1B+++/1b+++1g+++1r+++1y+++/1p+++1m+++1l+++1o+++/\
        8/8/8/8 w o";
    assert!(position(longest).to_string().len() <= POSITION_BYTES_MAX);
}

#[test]
fn a_tower_on_the_goal_row_ends_the_game_under_any_demand() {
    for fields in ["b -", "w -", "b l", "w l"] {
        let over = position(&format!("OLMPYRG1/7B/8/8/8/8/1bgrypml/o7 {fields}"));
        assert!(matches!(over.turn(), Turn::Decide(_) | Turn::Pass(_)));
        let over = position(&format!("OLMPYRGb/7B/8/8/8/8/1ogrypml/8 {fields}"));
        let Turn::Over(outcome) = over.turn() else {
            panic!("{over} goes on")
        };
        assert_eq!(outcome.winner, Some(dragontooth_games::Seat::First));
        assert_eq!(over.count_legal(), 0);
        assert!(over.legal_actions().is_empty());
    }
}

#[test]
fn actions_read_as_they_are_written() {
    for from in Square::all() {
        for to in Square::all() {
            let action = Action::Move { from, to };
            assert_eq!(action.to_string().parse(), Ok(action));
        }
    }
    for word in ["left", "right"] {
        assert_eq!(word.parse::<Action>().unwrap().to_string(), word);
    }
}

#[test]
fn unreadable_actions_name_the_square() {
    use ParseActionError::{From, NoAction, To};
    let table = [
        ("", NoAction),
        ("--", NoAction),
        ("a1", NoAction),
        ("a1a", NoAction),
        ("a1a7 ", NoAction),
        (" a1a7", NoAction),
        ("a1-a7", NoAction),
        ("Left", From),
        ("lefts", NoAction),
        ("i1a7", From),
        ("a0a7", From),
        ("A1a7", From),
        ("aéa", From),
        ("a€", From),
        ("😀", From),
        ("a1a9", To),
        ("a1i7", To),
        ("a1é", To),
    ];
    for (text, expected) in table {
        assert_eq!(text.parse::<Action>(), Err(expected), "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = text.parse::<Action>();
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }

    #[test]
    fn texts_of_the_alphabet_are_read_or_refused(
        text in "[bgrypmloBGRYPMLO+1-8/ ]{0,100} [bw] [bgrypmlo*-]( [bgRY])?"
    ) {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }

    #[test]
    fn changed_positions_are_read_the_same_or_refused(
        start in prop_oneof![Just(START.to_owned()), positions()],
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<char>(), 0..3), 1..4),
    ) {
        let mut letters: Vec<char> = start.chars().collect();
        for (index, letter, kind) in changes {
            let letter = if kind == 0 { letter } else { letters[index.index(letters.len())] };
            let at = index.index(letters.len());
            match kind {
                0 => letters[at] = letter,
                1 => letters.insert(at, letter),
                _ => { letters.remove(at); }
            }
        }
        let text: String = letters.into_iter().collect();
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}

/// [`Position::play_unchecked`] promises that illegal actions are meaningless but safe.
#[test]
fn illegal_actions_played_unchecked_do_not_panic() {
    for line in include_str!("data/positions.txt").lines() {
        let start = position(line);
        for from in Square::all() {
            for to in Square::all() {
                let played = catch_unwind(|| {
                    let mut next = start;
                    next.play_unchecked(Action::Move { from, to });
                    next.pass();
                    let _ = (next.to_string(), next.turn(), next.count_legal());
                });
                assert!(played.is_ok(), "{from}{to} in {line}");
            }
        }
    }
}
