//! A second, slow implementation of the rules, from the rules page alone: units on named points,
//! every pair of points tried. Random games compare it with the real implementation.

use std::collections::BTreeMap;

use dragontooth_games::tzaar::Position;
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use super::strategies::{positions, shuffled_starts};
use crate::play::{legal, read};
use crate::strategies::Choices;

const RANKS: [i32; 9] = [5, 6, 7, 8, 9, 8, 7, 6, 5];
const FIXED: &str = "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o";
const EMPTY: &str = "...../....../......./......../......../......../......./....../..... w p";

/// A point by its coordinates on the lattice.
type Place = (i32, i32);

/// All points in the order of the notation, with their names.
pub(crate) fn places() -> Vec<(Place, String)> {
    let mut places = Vec::new();
    for (x, (file, ranks)) in (0..).zip(('a'..='i').zip(RANKS)) {
        for rank in 1..=ranks {
            if (file, rank) != ('e', 5) {
                let y = (x - 4).max(0) + rank - 1;
                places.push(((x, y), format!("{file}{rank}")));
            }
        }
    }
    places
}

/// A position as units on points.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Each unit: its letter and its height.
    pub(crate) units: BTreeMap<Place, (char, u32)>,
    pub(crate) side: char,
    pub(crate) due: char,
}

impl Reference {
    pub(crate) fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut letters = fields[0].chars().filter(|c| *c != '/').peekable();
        let mut units = BTreeMap::new();
        for (place, _) in places() {
            let letter = letters.next().unwrap();
            let mut height = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                height.push(digit);
            }
            if letter != '.' {
                units.insert(place, (letter, height.parse().unwrap_or(1)));
            }
        }
        Self {
            units,
            side: fields[1].chars().next().unwrap(),
            due: fields[2].chars().next().unwrap(),
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (place, name) in places() {
            if name.ends_with('1') && name != "a1" {
                text.push('/');
            }
            match self.units.get(&place) {
                None => text.push('.'),
                Some((letter, 1)) => text.push(*letter),
                Some((letter, height)) => text.extend([letter.to_string(), height.to_string()]),
            }
        }
        format!("{text} {} {}", self.side, self.due)
    }

    fn legal(&self) -> Vec<String> {
        let places = places();
        let mut actions = Vec::new();
        if self.due == 'p' {
            for (kind, pieces) in [('z', 6), ('r', 9), ('t', 15)] {
                let own = letter_of(self.side, kind);
                let used = self.units.values().filter(|unit| unit.0 == own).count();
                let free = places.iter().filter(|(at, _)| !self.units.contains_key(at));
                actions.extend(
                    free.filter(|_| used < pieces)
                        .map(|(_, name)| format!("{kind}@{name}")),
                );
            }
            return actions;
        }
        for (from, from_name) in &places {
            for (to, to_name) in &places {
                let Some(mark) = self.mark(*from, *to) else {
                    continue;
                };
                if mark == 'x' || self.due == '2' {
                    actions.push(format!("{from_name}{mark}{to_name}"));
                }
            }
        }
        if self.due == '2' {
            actions.push("-".to_owned());
        }
        actions
    }

    /// The action of the side to move from one point to another, if any: a capture or a stacking.
    fn mark(&self, from: Place, to: Place) -> Option<char> {
        let (unit, other) = (self.units.get(&from)?, self.units.get(&to)?);
        if side_of(unit.0) != self.side || !self.is_open(from, to) {
            return None;
        }
        if side_of(other.0) == self.side {
            Some('+')
        } else {
            (other.1 <= unit.1).then_some('x')
        }
    }

    /// Returns true if a walk over empty points in one of the six directions joins the points.
    fn is_open(&self, from: Place, to: Place) -> bool {
        let directions = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)];
        directions.into_iter().any(|(dx, dy)| {
            let mut at = (from.0 + dx, from.1 + dy);
            while at != to && !self.units.contains_key(&at) && at != (4, 4) && on_board(at) {
                at = (at.0 + dx, at.1 + dy);
            }
            at == to
        })
    }

    fn has_capture(&self) -> bool {
        let mut first = self.clone();
        first.due = '1';
        !first.legal().is_empty()
    }

    fn shows(&self, side: char, kind: char) -> bool {
        let letter = letter_of(side, kind);
        self.units.values().any(|unit| unit.0 == letter)
    }

    fn lacks(&self, side: char) -> bool {
        !['z', 'r', 't']
            .into_iter()
            .all(|kind| self.shows(side, kind))
    }

    /// The next step, if `actor` acted last.
    fn next(&self, actor: char) -> String {
        if "12".contains(self.due) {
            if self.lacks(other(actor)) {
                return format!("{actor} wins by lost_kind");
            }
            if self.lacks(actor) {
                return format!("{} wins by buried_kind", other(actor));
            }
            if self.side != actor && !self.has_capture() {
                return format!("{actor} wins by no_capture");
            }
        }
        format!("{} acts", self.side)
    }

    fn play(&mut self, action: &str) {
        let place = |name: &str| {
            let places = places();
            let found = places.iter().find(|(_, other)| other == name);
            found.unwrap().0
        };
        if let Some((kind, at)) = action.split_once('@') {
            let kind = kind.chars().next().unwrap();
            let letter = letter_of(self.side, kind);
            assert_eq!(self.units.insert(place(at), (letter, 1)), None);
        } else if let Some((from, to)) = action.split_once(['x', '+']) {
            let (letter, height) = self.units.remove(&place(from)).unwrap();
            let (_, met) = self.units.remove(&place(to)).unwrap();
            let height = if action.contains('+') {
                height + met
            } else {
                height
            };
            self.units.insert(place(to), (letter, height));
        }
        if self.due == '1' {
            self.due = '2';
            return;
        }
        self.side = other(self.side);
        match self.due {
            'p' if self.units.len() < 60 => {}
            'p' => self.due = 'o',
            _ => self.due = '1',
        }
    }
}

pub(crate) fn on_board((x, y): Place) -> bool {
    (0..9).contains(&x) && (0..9).contains(&y) && (x - y).abs() <= 4
}

fn side_of(letter: char) -> char {
    if letter.is_ascii_uppercase() {
        'w'
    } else {
        'b'
    }
}

fn letter_of(side: char, kind: char) -> char {
    if side == 'w' {
        kind.to_ascii_uppercase()
    } else {
        kind
    }
}

pub(crate) fn other(side: char) -> char {
    if side == 'w' { 'b' } else { 'w' }
}

fn next(turn: Turn) -> String {
    let letter = |seat| match seat {
        Seat::First => 'w',
        Seat::Second => 'b',
    };
    match turn {
        Turn::Decide(seat) => format!("{} acts", letter(seat)),
        Turn::Pass(seat) => panic!("{seat} passes"),
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Over(outcome) => {
            assert_eq!(outcome.points, 1);
            let winner = letter(outcome.winner.unwrap());
            format!("{winner} wins by {}", outcome.reason)
        }
    }
}

/// Plays one game with both implementations and compares them after every step.
fn compare(start: &str, mut choices: Choices) {
    let mut fast: Position = read(start);
    let mut slow = Reference::read(start);
    let mut actor = match slow.due {
        '2' => slow.side,
        _ => other(slow.side),
    };
    loop {
        assert_eq!(fast.to_string(), slow.text());
        let expected = slow.next(actor);
        assert_eq!(next(fast.turn()), expected, "{fast}");
        if !expected.ends_with("acts") {
            assert_eq!(fast.count_legal(), 0);
            return;
        }
        let actions = slow.legal();
        assert_eq!(legal(&fast), actions.join(" "), "{fast}");
        assert_eq!(fast.count_legal(), actions.len());
        let action = &actions[choices.below(actions.len())];
        actor = slow.side;
        fast.play(action.parse().unwrap()).unwrap();
        slow.play(action);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn games_from_the_fixed_start_are_the_same(choices in Choices::any()) {
        compare(FIXED, choices);
    }

    #[test]
    fn games_from_the_empty_board_are_the_same(choices in Choices::any()) {
        compare(EMPTY, choices);
    }

    #[test]
    fn games_from_shuffled_starts_are_the_same(
        start in shuffled_starts(),
        choices in Choices::any(),
    ) {
        compare(&start, choices);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn games_from_anywhere_are_the_same(start in positions(), choices in Choices::any()) {
        compare(&start, choices);
    }
}
