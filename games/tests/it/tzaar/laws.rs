//! Laws of TZAAR alone. Those of every game are elsewhere.

use dragontooth_games::tzaar::{Action, Kind, Point, PointSet, Position};
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use super::strategies::{Symmetry, colours_changed, positions, shuffled_starts};
use crate::play::{legal, read};
use crate::strategies::Choices;

/// The legal actions as a set.
fn sorted(position: &Position, map: impl Fn(&str) -> String) -> Vec<String> {
    let mut actions: Vec<String> = legal(position).split_whitespace().map(map).collect();
    actions.sort_unstable();
    actions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_symmetries_of_the_board_keep_the_rules(
        start in prop_oneof![shuffled_starts(), positions()],
        symmetry in Symmetry::any(),
        mut choices in Choices::any(),
    ) {
        let mut position: Position = read(&start);
        let mut image: Position = read(&symmetry.of_position(&start));
        loop {
            prop_assert_eq!(image.to_string(), symmetry.of_position(&position.to_string()));
            prop_assert_eq!(image.turn(), position.turn());
            let expected = sorted(&position, |action| symmetry.of_action(action));
            prop_assert_eq!(sorted(&image, str::to_owned), expected);
            let Turn::Decide(_) = position.turn() else { break };
            let actions = position.legal_actions();
            let action = actions[choices.below(actions.len())];
            position.play_unchecked(action);
            let action = symmetry.of_action(&action.to_string()).parse().unwrap();
            prop_assert_eq!(image.play(action), Ok(action));
        }
    }

    #[test]
    fn the_images_are_those_of_the_symmetries(
        start in prop_oneof![shuffled_starts(), positions()],
    ) {
        let position: Position = read(&start);
        let mut images: Vec<String> = position.images().iter().map(ToString::to_string).collect();
        prop_assert_eq!(&images[0], &position.to_string());
        let mut expected: Vec<String> = Symmetry::all().map(|each| each.of_position(&start)).collect();
        images.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(images, expected);
    }

    #[test]
    fn the_sides_have_the_same_rules(start in positions(), mut choices in Choices::any()) {
        let mut position: Position = read(&start);
        let mut image: Position = read(&colours_changed(&start));
        loop {
            prop_assert_eq!(image.to_string(), colours_changed(&position.to_string()));
            prop_assert_eq!(legal(&image), legal(&position));
            match (position.turn(), image.turn()) {
                (Turn::Decide(seat), Turn::Decide(other)) => prop_assert_eq!(other, seat.other()),
                (Turn::Over(outcome), Turn::Over(other)) => {
                    prop_assert_eq!(other.winner, outcome.winner.map(Seat::other));
                    prop_assert_eq!(other.reason, outcome.reason);
                    break;
                }
                (turn, image) => prop_assert!(false, "{turn:?} and {image:?}"),
            }
            let actions = position.legal_actions();
            let action = actions[choices.below(actions.len())];
            position.play_unchecked(action);
            prop_assert_eq!(image.play(action), Ok(action));
        }
    }

    /// A capture or a stacking empties a point for good, and no piece appears.
    #[test]
    fn every_action_uses_something_up(start in shuffled_starts(), mut choices in Choices::any()) {
        let mut position: Position = read(&start);
        while let Turn::Decide(seat) = position.turn() {
            let before = position;
            let actions = position.legal_actions();
            let action = actions[choices.below(actions.len())];
            position.play_unchecked(action);
            let pieces = |position: &Position, seat| position.pieces(seat);
            prop_assert_eq!(pieces(&position, seat), pieces(&before, seat));
            let (enemy, emptied) = match action {
                Action::Capture { from, to } => {
                    let lost = u32::from(before.height(to));
                    (pieces(&before, seat.other()) - lost, Some(from))
                }
                Action::Stack { from, .. } => (pieces(&before, seat.other()), Some(from)),
                Action::Pass => (pieces(&before, seat.other()), None),
                Action::Place { .. } => unreachable!("the board is full"),
            };
            prop_assert_eq!(pieces(&position, seat.other()), enemy);
            let expected = before.free().bits() | emptied.map_or(0, |at| 1 << at.index());
            prop_assert_eq!(position.free().bits(), expected);
        }
    }

    /// The numbers that an evaluation uses, counted unit by unit.
    #[test]
    fn the_accessors_agree_with_the_units(text in positions()) {
        let position: Position = read(&text);
        let units = || Point::all().filter_map(|at| Some((at, position.unit(at)?)));
        for seat in Seat::BOTH {
            let own = || units().filter(|(_, unit)| unit.seat == seat);
            let points = |set: PointSet| set.into_iter().collect::<Vec<Point>>();
            prop_assert!(own().map(|(at, _)| at).eq(position.units(seat)));
            for kind in Kind::ALL {
                let of_kind = own().filter(|(_, unit)| unit.kind == kind).map(|(at, _)| at);
                prop_assert_eq!(of_kind.collect::<Vec<_>>(), points(position.units_of(seat, kind)));
            }
            let stacks = own().filter(|(_, unit)| unit.height > 1).map(|(at, _)| at);
            prop_assert_eq!(stacks.collect::<Vec<_>>(), points(position.stacks(seat)));
            let pieces: u32 = own().map(|(_, unit)| u32::from(unit.height)).sum();
            prop_assert_eq!(position.pieces(seat), pieces);
            prop_assert!(own().all(|(at, unit)| position.height(at) == unit.height));
            let kinds = Kind::ALL.into_iter();
            let shown = kinds.filter(|kind| own().any(|(_, unit)| unit.kind == *kind));
            prop_assert_eq!(position.shows_every_kind(seat), shown.count() == 3);
            let mut captures = 0;
            for at in Point::all() {
                let captured = position.captures_from(seat, at);
                prop_assert!(captured.is_empty() || position.units(seat).contains(at));
                for to in captured {
                    prop_assert!(position.neighbours(at).contains(to));
                    prop_assert!(position.height(to) <= position.height(at));
                    prop_assert_eq!(position.unit(to).unwrap().seat, seat.other());
                }
                captures += captured.len();
            }
            prop_assert_eq!(position.has_capture(seat), captures > 0);
        }
        let on = position.units(Seat::First).len() + position.units(Seat::Second).len();
        prop_assert_eq!(position.free().len(), 60 - on);
    }
}
