//! Laws that hold in every position.

use std::hash::{DefaultHasher, Hash, Hasher};

use dragontooth_games::kamisado::{Action, Position, Rank, Refill, Square};
use dragontooth_games::{Position as _, Seat, Turn};
use proptest::prelude::*;

use crate::play::{legal, position, settle};
use crate::strategies::{
    Choices, half_turn, half_turn_action, mirror, mirror_action, positions, pushes,
};

const START: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";

/// The positions of a random game and the actions played in them.
fn game(start: &str, choices: &mut Choices) -> Vec<(Position, Option<Action>)> {
    let mut positions = Vec::new();
    let mut current = position(start);
    loop {
        settle(&mut current);
        let actions = current.legal_actions();
        if actions.is_empty() {
            positions.push((current, None));
            return positions;
        }
        let action = actions[choices.below(actions.len())];
        positions.push((current, Some(action)));
        current.play_unchecked(action);
    }
}

fn starts() -> impl Strategy<Value = String> {
    prop_oneof![Just(START.to_owned()), positions(), pushes()]
}

proptest! {
    #[test]
    fn exactly_the_legal_actions_pass_the_check(start in starts(), mut choices in Choices::any()) {
        for (current, _) in game(&start, &mut choices) {
            let legal = current.legal_actions();
            prop_assert_eq!(current.count_legal(), legal.len());
            prop_assert_eq!(legal.is_empty(), !matches!(current.turn(), Turn::Decide(_)));
            let mut allowed = Vec::new();
            for from in Square::all() {
                for to in Square::all() {
                    let action = Action::Move { from, to };
                    let mut next = current;
                    if next.play(action).is_ok() {
                        allowed.push(action);
                    } else {
                        prop_assert_eq!(next, current);
                    }
                }
            }
            prop_assert_eq!(&allowed, &legal, "the order is by squares too");
            for refill in Refill::BOTH {
                prop_assert!(current.check(Action::Refill(refill)).is_err());
            }
        }
    }

    #[test]
    fn the_mirror_keeps_the_rules(start in starts(), mut choices in Choices::any()) {
        follows(&game(&start, &mut choices), &mirror, &mirror_action, |seat| seat)?;
    }

    #[test]
    fn the_images_are_the_position_and_its_mirror(start in starts(), mut choices in Choices::any()) {
        for (current, _) in game(&start, &mut choices) {
            let images: Vec<String> = current.images().iter().map(ToString::to_string).collect();
            prop_assert_eq!(images, [current.to_string(), mirror(&current.to_string())]);
        }
    }

    #[test]
    fn half_a_turn_keeps_the_rules(start in starts(), mut choices in Choices::any()) {
        follows(&game(&start, &mut choices), &half_turn, &half_turn_action, Seat::other)?;
    }

    #[test]
    fn notation_reads_back(start in starts(), mut choices in Choices::any()) {
        for (current, action) in game(&start, &mut choices) {
            let read = position(&current.to_string());
            prop_assert_eq!(read, current);
            prop_assert_eq!(hash(&read), hash(&current));
            let mut settled = read;
            settle(&mut settled);
            prop_assert_eq!(settled.turn(), current.turn());
            prop_assert_eq!(settled, current);
            if let Some(action) = action {
                prop_assert_eq!(read.turn(), current.turn());
                prop_assert_eq!(action.to_string().parse(), Ok(action));
            }
        }
    }

    /// See the rules page: every action lowers the sum of weight × rows to go by at least one.
    #[test]
    fn games_are_finite(start in starts(), mut choices in Choices::any()) {
        let game = game(&start, &mut choices);
        for pair in game.windows(2) {
            let goes_on = pair[1].1.is_some();
            prop_assert!(!goes_on || rows_to_go(&pair[1].0) < rows_to_go(&pair[0].0));
        }
        let actions = u32::try_from(game.len()).unwrap() - 1;
        prop_assert!(actions <= rows_to_go(&game[0].0) + 1);
    }

    #[test]
    fn targets_are_the_moves_of_the_seat_to_move(start in positions()) {
        let current = position(&start);
        for tower in current.towers() {
            let side = if tower.seat == Seat::First { 'b' } else { 'w' };
            let fields: Vec<&str> = start.split(' ').collect();
            let asked = format!("{} {side} {}", fields[0], tower.colour.letter());
            let targets: Vec<String> = current
                .targets(tower.seat, tower.colour)
                .into_iter()
                .map(|to| format!("{}{to}", tower.square))
                .collect();
            prop_assert_eq!(targets.join(" "), legal(&position(&asked)));
            prop_assert_eq!(current.tower_on(tower.square), Some(tower));
            prop_assert!(current.occupied().contains(tower.square));
        }
        prop_assert_eq!(current.occupied().len(), 16);
    }
}

/// Checks that a game and its image under a symmetry take the same course.
fn follows(
    game: &[(Position, Option<Action>)],
    image: &dyn Fn(&str) -> String,
    image_of_action: &dyn Fn(&str) -> String,
    image_of_seat: fn(Seat) -> Seat,
) -> Result<(), TestCaseError> {
    let mut other = position(&image(&game[0].0.to_string()));
    for (current, action) in game {
        settle(&mut other);
        prop_assert_eq!(other.to_string(), image(&current.to_string()));
        let mut expected: Vec<String> = legal(current)
            .split_whitespace()
            .map(image_of_action)
            .collect();
        let mut actions: Vec<String> = other
            .legal_actions()
            .iter()
            .map(ToString::to_string)
            .collect();
        expected.sort();
        actions.sort();
        prop_assert_eq!(actions, expected);
        match (current.turn(), other.turn()) {
            (Turn::Decide(seat), Turn::Decide(image)) => {
                prop_assert_eq!(image, image_of_seat(seat));
            }
            (Turn::Over(outcome), Turn::Over(image)) => {
                prop_assert_eq!(image.winner, outcome.winner.map(image_of_seat));
                prop_assert_eq!(
                    (image.points, image.reason),
                    (outcome.points, outcome.reason)
                );
            }
            (turn, image) => prop_assert!(false, "{turn:?} and {image:?}"),
        }
        if let Some(action) = action {
            let action: Action = image_of_action(&action.to_string()).parse().unwrap();
            prop_assert_eq!(other.play(action), Ok(action));
        }
    }
    Ok(())
}

fn rows_to_go(position: &Position) -> u32 {
    let of_tower = |tower: dragontooth_games::kamisado::Tower| {
        let weight = match tower.rank {
            Rank::Plain => 1,
            Rank::Sumo => 2,
            Rank::Double => 5,
            Rank::Triple => 16,
        };
        let rank = u32::from(tower.square.rank());
        let row = match tower.seat {
            Seat::First => rank,
            Seat::Second => 7 - rank,
        };
        weight * (6 - row.min(6))
    };
    position.towers().map(of_tower).sum()
}

fn hash(position: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    position.hash(&mut hasher);
    hasher.finish()
}
