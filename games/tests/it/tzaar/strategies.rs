//! Random positions, and the symmetries of the board as operations on texts.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::reference::{Reference, other, places};

/// The letters of a side's pieces, in lower case.
const PIECES: &str = "zzzzzzrrrrrrrrrttttttttttttttt";

/// Full boards before the opening capture.
pub(crate) fn shuffled_starts() -> impl Strategy<Value = String> {
    let pieces = PIECES
        .chars()
        .chain(PIECES.to_uppercase().chars().collect::<Vec<_>>());
    let pieces: Vec<char> = pieces.collect();
    Just(pieces).prop_shuffle().prop_map(|pieces| {
        let placed = places().into_iter().map(|(place, _)| place).zip(pieces);
        let units: BTreeMap<_, _> = placed.map(|(place, letter)| (place, (letter, 1))).collect();
        let start = Reference {
            units,
            side: 'w',
            due: 'o',
        };
        start.text()
    })
}

/// Positions with units of every height anywhere, in which a first or a second action is due.
pub(crate) fn positions() -> impl Strategy<Value = String> {
    let order = Just((0..60_usize).collect::<Vec<usize>>()).prop_shuffle();
    let turn = (
        prop::sample::select(vec!['w', 'b']),
        prop::sample::select(vec!['1', '2']),
    );
    (side_units(), side_units(), order, turn).prop_map(|(white, black, order, (side, due))| {
        let white = white
            .into_iter()
            .map(|(letter, height)| (letter.to_ascii_uppercase(), height));
        let places = places();
        let points = order.into_iter().map(|index| places[index].0);
        let units = points.zip(white.chain(black)).collect();
        Reference { units, side, due }.text()
    })
}

/// Up to 28 pieces of a side, some of them inside stacks.
fn side_units() -> impl Strategy<Value = Vec<(char, u32)>> {
    let pieces: Vec<char> = PIECES.chars().collect();
    let joined = prop::collection::vec(prop_oneof![3 => Just(false), 1 => Just(true)], 28);
    (
        Just(pieces).prop_shuffle(),
        joined,
        prop_oneof![1 => 0..=28_usize, 3 => 5..=15_usize],
    )
        .prop_map(|(pieces, joined, count)| {
            let mut units: Vec<(char, u32)> = Vec::new();
            for (letter, joined) in pieces.into_iter().zip(joined).take(count) {
                match units.last_mut() {
                    Some((_, height)) if joined => *height += 1,
                    _ => units.push((letter, 1)),
                }
            }
            units
        })
}

/// A symmetry of the board: a number of sixths of a turn, with or without a reflection first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetry {
    sixths: u32,
    reflected: bool,
}

impl Symmetry {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        (0..6_u32, any::<bool>()).prop_map(|(sixths, reflected)| Self { sixths, reflected })
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..12).map(|number| Self {
            sixths: number / 2,
            reflected: number % 2 == 1,
        })
    }

    fn image(self, (x, y): (i32, i32)) -> (i32, i32) {
        let (mut u, mut v) = (x - 4, y - 4);
        if self.reflected {
            (u, v) = (v, u);
        }
        for _ in 0..self.sixths {
            (u, v) = (u - v, u);
        }
        (u + 4, v + 4)
    }

    pub(crate) fn of_position(self, text: &str) -> String {
        let mut image = Reference::read(text);
        image.units = image
            .units
            .into_iter()
            .map(|(place, unit)| (self.image(place), unit))
            .collect();
        image.text()
    }

    pub(crate) fn of_action(self, text: &str) -> String {
        let places = places();
        let mut image = text.to_owned();
        for (place, name) in &places {
            let target = self.image(*place);
            let renamed = &places.iter().find(|(place, _)| *place == target).unwrap().1;
            image = image.replace(name, &renamed.to_ascii_uppercase());
        }
        image.to_ascii_lowercase()
    }
}

/// The same units with the sides swapped.
pub(crate) fn colours_changed(text: &str) -> String {
    let mut image = Reference::read(text);
    for (letter, _) in image.units.values_mut() {
        *letter = if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        };
    }
    image.side = other(image.side);
    image.text()
}
