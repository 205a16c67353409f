//! Parsing texts. The data file lists texts that are not positions, with the expected errors.

use dragontooth_games::linja::{
    Action, Due, POSITION_BYTES_MAX, ParseActionError, ParsePositionError, Position, Row,
};
use dragontooth_games::{Position as _, Seat};
use proptest::prelude::*;

use super::strategies::positions;
use crate::play::{read, unreadable};

#[test]
fn unreadable_positions_name_the_field() {
    let rows_read = unreadable::<Position>(include_str!("data/unreadable_positions.txt"));
    assert!(rows_read > 60, "only {rows_read} rows");
}

#[test]
fn positions_read_as_they_are_written() {
    for line in include_str!("data/positions.txt").lines() {
        assert_eq!(read::<Position>(line).to_string(), line);
    }
}

#[test]
fn the_fields_say_what_is_due() {
    let position: Position = read("4,1,1,4,0,1,1,0/0,1,1,2,2,1,0,5 b 2:5x");
    assert_eq!(position.to_move(), Seat::Second);
    assert_eq!(position.due(), Due::Second { steps: 5 });
    assert!(position.is_extra_turn());
    assert_eq!(position.advance(Seat::First), [4, 1, 1, 4, 0, 1, 1, 0]);
    assert_eq!(position.advance(Seat::Second), [5, 0, 1, 2, 2, 1, 1, 0]);
    let counts = |seat| Row::all().map(move |row| position.count(seat, row));
    assert!(counts(Seat::First).eq([4, 1, 1, 4, 0, 1, 1, 0]));
    assert!(counts(Seat::Second).eq([0, 1, 1, 2, 2, 1, 0, 5]));
    assert_eq!(Position::start(Seat::First).due(), Due::First);
}

#[test]
fn the_longest_position_fits() {
    let longest = "10,0,1,0,0,0,1,0/0,1,0,0,0,0,1,10 r 2:5x";
    assert!(read::<Position>(longest).to_string().len() <= POSITION_BYTES_MAX);
}

#[test]
fn huge_texts_are_refused_at_once() {
    for text in ["1,".repeat(20_000_000), "é".repeat(1_000), " ".repeat(999)] {
        assert_eq!(text.parse::<Position>(), Err(ParsePositionError::TooLong));
        assert!(text.parse::<Action>().is_err());
    }
}

#[test]
fn actions_are_read_strictly() {
    for (text, from, to) in [("2>3", 2, 3), ("7>0", 7, 0), ("0>7", 0, 7), ("4>4", 4, 4)] {
        let action: Action = text.parse().unwrap();
        assert_eq!((action.from.number(), action.to.number()), (from, to));
        assert_eq!(action.to_string(), text);
    }
    let no_action = ["", "-", "--", "23", "2-3", "2:3", "pass", "٢٣"];
    for text in no_action {
        assert_eq!(
            text.parse::<Action>(),
            Err(ParseActionError::NoAction),
            "{text}"
        );
    }
    for text in [
        ">", ">3", "8>3", " 2>3", "02>3", "a>3", "+2>3", "-1>3", "٢>3",
    ] {
        assert_eq!(
            text.parse::<Action>(),
            Err(ParseActionError::From),
            "{text}"
        );
    }
    for text in [
        "2>", "2>8", "2>3 ", "2>33", "2>>3", "2>3>4", "2>+3", "2>٣", "2>3\n",
    ] {
        assert_eq!(text.parse::<Action>(), Err(ParseActionError::To), "{text}");
    }
}

#[test]
fn rows_are_counted_from_either_side() {
    for (number, row) in (0..).zip(Row::all()) {
        assert_eq!(Row::new(number), Some(row));
        assert_eq!(
            (row.seen_by(Seat::First), row.seen_by(Seat::Second)),
            (number, 7 - number)
        );
        assert_eq!(row.to_string().parse(), Ok(row));
    }
    assert_eq!(Row::new(8), None);
    assert!("8".parse::<Row>().is_err());
}

/// [`Position::play_unchecked`] promises that illegal actions are meaningless but safe.
#[test]
fn illegal_actions_played_unchecked_do_not_panic() {
    for line in include_str!("data/positions.txt").lines() {
        for from in Row::all() {
            for to in Row::all() {
                let mut next: Position = read(line);
                next.play_unchecked(Action { from, to });
                let _ = (next.to_string(), next.turn(), next.count_legal());
                next.pass();
                let _ = (next.to_string(), next.turn(), next.legal_actions());
            }
        }
    }
}

proptest! {
    #[test]
    fn texts_of_the_alphabet_are_read_or_refused(
        text in "([0-9]|1[0-2])(,[0-6]){6},([0-9]|1[0-2])/([0-9]|1[0-2])(,[0-6]){6},([0-9]|1[0-2]) [rb] (1|2:[0-9])x?"
    ) {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }

    #[test]
    fn random_positions_are_read(text in positions()) {
        prop_assert_eq!(read::<Position>(&text).to_string(), text);
    }
}
