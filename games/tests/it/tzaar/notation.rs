//! Parsing texts. The data file lists texts that are not positions, with the expected errors.

use dragontooth_games::tzaar::{
    Action, Due, Kind, POSITION_BYTES_MAX, ParseActionError, ParsePointError, ParsePositionError,
    Point, Position, Unit,
};
use dragontooth_games::{Position as _, Seat};
use proptest::prelude::*;

use super::strategies::{positions, shuffled_starts};
use crate::play::{read, rows, unreadable};

#[test]
fn unreadable_positions_name_the_field() {
    let rows_read = unreadable::<Position>(include_str!("data/unreadable_positions.txt"));
    assert!(rows_read > 50, "only {rows_read} rows");
}

#[test]
fn positions_read_as_they_are_written() {
    for line in include_str!("data/positions.txt").lines() {
        assert_eq!(read::<Position>(line).to_string(), line);
    }
}

#[test]
fn the_fields_give_the_units_and_what_is_due() {
    let position: Position =
        read("Z12..../....../......R/......../T......t3/......../r....../....../....z b 2");
    assert_eq!(
        (position.to_move(), position.due()),
        (Seat::Second, Due::Second)
    );
    let unit = |point: &str| position.unit(point.parse().unwrap());
    let expected = Unit {
        seat: Seat::First,
        kind: Kind::Tzaar,
        height: 12,
    };
    assert_eq!(unit("a1"), Some(expected));
    let expected = Unit {
        seat: Seat::Second,
        kind: Kind::Tott,
        height: 3,
    };
    assert_eq!(unit("e9"), Some(expected));
    assert_eq!(unit("g1"), Some(Unit::single(Seat::Second, Kind::Tzarra)));
    assert_eq!((unit("a2"), unit("e5")), (None, None));
    assert_eq!(Seat::BOTH.map(|seat| position.pieces(seat)), [14, 5]);
    assert_eq!(Position::empty().due(), Due::Placement);
    assert_eq!(Position::fixed().due(), Due::Opening);
    assert_eq!(Position::empty().supply(Seat::Second, Kind::Tzarra), 9);
    assert_eq!(Position::fixed().supply(Seat::Second, Kind::Tzarra), 0);
}

/// Thirty stacks of two and thirty empty points: the most digits a text can have.
#[test]
fn the_longest_position_fits() {
    let longest = concat!(
        "Z2Z2Z2Z2Z2/Z2R2R2R2R2R2/R2R2R2R2r2r2r2/r2r2r2r2r2r2z2z2/z2z2z2z2....",
        "/......../......./....../..... w 1",
    );
    assert_eq!(longest.len(), 102);
    assert!(longest.len() <= POSITION_BYTES_MAX);
    // The text has all pieces, so captures are missing. Nothing else is wrong with it.
    let error = longest.parse::<Position>().unwrap_err();
    assert!(error.to_string().contains("has captured"), "{error}");
}

#[test]
fn huge_texts_are_refused_at_once() {
    for text in ["Z1/".repeat(20_000_000), "é".repeat(1_000), " ".repeat(999)] {
        assert_eq!(text.parse::<Position>(), Err(ParsePositionError::TooLong));
        assert!(text.parse::<Action>().is_err());
    }
}

#[test]
fn actions_are_read_strictly() {
    let point = |name: &str| -> Point { name.parse().unwrap() };
    let (from, to) = (point("e3"), point("e5"));
    for (text, action) in [
        ("e3xe5", Action::Capture { from, to }),
        ("e3+e5", Action::Stack { from, to }),
        ("-", Action::Pass),
        (
            "z@e3",
            Action::Place {
                kind: Kind::Tzaar,
                at: from,
            },
        ),
        (
            "t@e5",
            Action::Place {
                kind: Kind::Tott,
                at: to,
            },
        ),
    ] {
        assert_eq!(text.parse(), Ok(action));
        assert_eq!(action.to_string(), text);
    }
    for [text, expected] in rows(include_str!("data/unreadable_actions.txt"), " => ") {
        let error = text.parse::<Action>().expect_err(text);
        assert_eq!(error.to_string(), expected, "{text:?}");
    }
    assert_eq!("".parse::<Action>(), Err(ParseActionError::NoAction));
}

#[test]
fn points_have_names_and_places() {
    let mut names = Vec::new();
    for (index, point) in (0..).zip(Point::all()) {
        assert_eq!(Point::from_index(index), Some(point));
        assert_eq!(point.index(), usize::from(index));
        assert_eq!(Point::new(point.file(), point.rank()), Some(point));
        let (x, y) = point.lattice();
        assert_eq!(Point::from_lattice(x, y), Some(point));
        assert!((x - y).abs() <= 4 && (x, y) != (4, 4));
        assert_eq!(point.to_string().parse(), Ok(point));
        names.push(point.to_string());
    }
    assert_eq!(names.len(), 60);
    assert!(names.is_sorted());
    assert_eq!(
        (&*names[0], &*names[29], &*names[30], &*names[59]),
        ("a1", "e4", "e6", "i5")
    );
    assert_eq!("e5".parse(), Ok(Point::HOLE));
    assert_eq!(
        (Point::HOLE.lattice(), Point::HOLE.to_string()),
        ((4, 4), "e5".to_owned())
    );
    assert_eq!(
        (Point::from_index(60), Point::from_index(255)),
        (None, None)
    );
    for (x, y) in [
        (-1, 0),
        (0, -1),
        (5, 0),
        (0, 5),
        (9, 8),
        (8, 9),
        (127, 127),
        (-128, -128),
    ] {
        assert_eq!(Point::from_lattice(x, y), None, "{x}, {y}");
    }
    let ranks = |file, ranks| Err(ParsePointError::Rank { file, ranks });
    for (text, error) in [
        ("a6", ranks('a', 5)),
        ("a0", ranks('a', 5)),
        ("d9", ranks('d', 8)),
        ("i6", ranks('i', 5)),
        ("j1", Err(ParsePointError::NoPoint)),
        ("A1", Err(ParsePointError::NoPoint)),
        ("a", Err(ParsePointError::NoPoint)),
        ("a11", Err(ParsePointError::NoPoint)),
    ] {
        assert_eq!(text.parse::<Point>(), error, "{text}");
    }
}

/// [`Position::play_unchecked`] promises that illegal actions are meaningless but safe.
#[test]
fn illegal_actions_played_unchecked_do_not_panic() {
    let points = || Point::all().chain([Point::HOLE]);
    for line in include_str!("data/positions.txt").lines() {
        for from in points() {
            for to in points() {
                let place = Action::Place {
                    kind: Kind::Tzarra,
                    at: to,
                };
                let mut next: Position = read(line);
                for action in [
                    Action::Stack { from, to },
                    Action::Stack { from: to, to: from },
                    Action::Capture { from, to },
                    place,
                ] {
                    for _ in 0..9 {
                        next.play_unchecked(action);
                    }
                    let _ = (next.turn(), next.count_legal());
                }
                next.pass();
                let _ = (next.to_string(), next.turn(), next.legal_actions());
            }
        }
    }
}

proptest! {
    #[test]
    fn random_positions_are_read(text in prop_oneof![shuffled_starts(), positions()]) {
        prop_assert_eq!(read::<Position>(&text).to_string(), text);
    }

    #[test]
    fn texts_of_the_alphabet_are_read_or_refused(
        text in "[zrtZRT.]{4,5}/[zrtZRT.]{6}/[zrtZRT.]{7}/[zrtZRT.]{8}/([zrtZRT]3|[.]){8}/\
            [.]{8}/[.]{7}/[zt.]{6}/[zZ.]{5} [wb] [12op]"
    ) {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}
