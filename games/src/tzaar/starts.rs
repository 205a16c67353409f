use super::{Due, Kind, Point, Position, Unit};
use crate::Seat;
use crate::chance::{Chance, shuffle};

/// The units of the fixed start, file by file.
const FIXED: [&str; 9] = [
    "ttttT", "TrrrRT", "TRzzZRT", "TRZtTZRT", "TRZTtzrt", "trztTzrt", "trzZZrt", "trRRRt", "tTTTT",
];

impl Position {
    /// The fixed start: rings of Totts, Tzaars, Tzarras and Totts around the hole, with the sides
    /// alternating in each ring.
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

    /// A start with all pieces in a uniformly random order drawn from `chance`.
    ///
    /// White always has a capture: the board is connected around the hole, so on a full board there
    /// are always adjacent pieces of the two sides.
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
