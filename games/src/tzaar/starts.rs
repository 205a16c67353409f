use super::{Due, Kind, Point, Position, Unit};
use crate::Seat;
use crate::chance::{Chance, shuffle};

/// The units of the fixed start, file by file.
const FIXED: [&str; 9] = [
    "ttttT", "TrrrRT", "TRzzZRT", "TRZtTZRT", "TRZTtzrt", "trztTzrt", "trzZZrt", "trRRRt", "tTTTT",
];

impl Position {
    /// The fixed start: rings of Totts, Tzaars, Tzarras and Totts around the hole, the sides
    /// alternating in each.
    #[must_use]
    pub fn fixed() -> Self {
        let letters = FIXED.iter().flat_map(|file| file.chars());
        Self::full(letters.filter_map(|letter| {
            let seat = if letter.is_ascii_uppercase() {
                Seat::First
            } else {
                Seat::Second
            };
            Some(Unit::single(
                seat,
                Kind::from_letter(letter.to_ascii_lowercase())?,
            ))
        }))
    }

    /// All pieces in an order drawn by `chance`, every order as likely as the others.
    ///
    /// White always has a capture: the points around the hole hang together, so on a full board
    /// pieces of the two sides stand side by side.
    #[must_use]
    pub fn random(chance: &mut dyn Chance) -> Self {
        let mut units: Vec<Unit> = Seat::BOTH
            .into_iter()
            .flat_map(|seat| {
                let of_kind = move |kind: Kind| {
                    std::iter::repeat_n(Unit::single(seat, kind), usize::from(kind.pieces()))
                };
                Kind::ALL.into_iter().flat_map(of_kind)
            })
            .collect();
        shuffle(&mut units, chance);
        Self::full(units)
    }

    fn full(units: impl IntoIterator<Item = Unit>) -> Self {
        let mut position = Self::empty();
        for (at, unit) in Point::all().zip(units) {
            position.put(at, unit);
        }
        position.due = Due::Opening;
        position
    }
}
