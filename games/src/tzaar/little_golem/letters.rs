use crate::Seat;
use crate::tzaar::{Kind, Point, Unit};

/// The first of the nine coordinate letters, `k` to `s`: the leftmost file, and the topmost row.
const FIRST: u8 = b'k';

/// The two letters of a point: its file, from `k` at the left, and its row, from `k` at the top.
pub(super) fn letters_of(point: Point) -> [char; 2] {
    let (x, y) = point.lattice();
    [x, 8 - y].map(|number| char::from(FIRST + number.cast_unsigned()))
}

/// The point, or the hole, with these two letters.
pub(super) fn point_of(letters: [u8; 2]) -> Option<Point> {
    let number = |letter: u8| {
        let number = letter.checked_sub(FIRST).filter(|number| *number < 9)?;
        Some(number.cast_signed())
    };
    Point::from_lattice(number(letters[0])?, 8 - number(letters[1])?)
}

/// The points in the order of the POS property: file by file, each from its highest rank down.
pub(super) fn board_order() -> impl Iterator<Item = Point> {
    (0..9).flat_map(|file| {
        let points = Point::all().filter(move |point| point.file() == file);
        points.rev()
    })
}

/// The letter of a piece in the POS property.
pub(super) const fn letter_of(seat: Seat, kind: Kind) -> char {
    let letter = match kind {
        Kind::Tzaar => 'a',
        Kind::Tzarra => 'b',
        Kind::Tott => 'c',
    };
    match seat {
        Seat::First => letter,
        Seat::Second => letter.to_ascii_uppercase(),
    }
}

/// The piece with this letter in the POS property.
pub(super) fn piece_of(letter: char) -> Option<Unit> {
    let pieces = Seat::BOTH
        .into_iter()
        .flat_map(|seat| Kind::ALL.map(|kind| (seat, kind)));
    let mut pieces = pieces.filter(|(seat, kind)| letter_of(*seat, *kind) == letter);
    let (seat, kind) = pieces.next()?;
    Some(Unit::single(seat, kind))
}
