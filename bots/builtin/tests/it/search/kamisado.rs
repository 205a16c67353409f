//! The search on Kamisado.

use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
use dragontooth_bots_builtin::search::{
    Evaluation as _, RealTime, SearchLimits, SearchResult, TreeSearch, Value,
};
use dragontooth_games::kamisado::{Action, Position};
use dragontooth_games::{Position as _, Seat};

fn find(position: &str, target: u32, limits: SearchLimits, seed: u64) -> SearchResult<Action> {
    let position: Position = position.parse().unwrap();
    let mut search = TreeSearch::new(KamisadoEvaluation::new(target), 1 << 22, None);
    search
        .find(&position, &limits, seed, &RealTime::start())
        .unwrap()
}

fn after(actions: &[&str]) -> String {
    let mut position = Position::standard();
    for action in actions {
        position.play(action.parse().unwrap()).unwrap();
        position.settle();
    }
    position.to_string()
}

const START: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
/// The first moves with which the opener of a single round wins, of 102.
const WINNING: [&str; 16] = [
    "a1a2", "a1a5", "b1b6", "b1b7", "c1c4", "c1c7", "d1d5", "d1d6", "h1h2", "h1h5", "g1g6", "g1g7",
    "f1f4", "f1f7", "e1e5", "e1e6",
];

#[test]
fn a_winning_first_move_is_chosen() {
    let limits = SearchLimits {
        nodes: Some(100_000),
        ..SearchLimits::NONE
    };
    for seed in 0..4 {
        let action = find(START, 1, limits, seed).action.to_string();
        assert!(
            WINNING.contains(&action.as_str()),
            "{action} with seed {seed}"
        );
    }
}

/// The three-move deadlocks of the rules page: the seat that plays the third move loses.
#[test]
fn deadlocks_are_not_walked_into() {
    for line in [
        ["c1a3", "b8h2", "a3e7"],
        ["c1c5", "b8h2", "c5e7"],
        ["f1f5", "g8a2", "f5d7"],
        ["f1h3", "g8a2", "h3d7"],
        ["b1h7", "c8a6", "a6e2"],
        ["b1h7", "c8c4", "c4e2"],
        ["g1a7", "f8f4", "f4d2"],
        ["g1a7", "f8h6", "h6d2"],
    ] {
        let [first, second, third] = line;
        let found = find(
            &after(&[first, second]),
            1,
            SearchLimits {
                depth: 1,
                ..SearchLimits::NONE
            },
            1,
        );
        assert_ne!(found.action.to_string(), third);
    }
}

/// Figure 9: Black's double sumo pushes and moves again, and then wins four points.
const BEFORE_PUSH: &str = "1RG3MO/8/3Y+4/3LBp+2/2Pg++4/8/8/b1ry1mlo b g";
const AFTER_PUSH: &str = "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b g";

#[test]
fn a_push_is_followed_by_another_move() {
    let limits = SearchLimits {
        depth: 3,
        ..SearchLimits::NONE
    };
    let found = find(BEFORE_PUSH, 7, limits, 1);
    assert_eq!(found.action.to_string(), "d4d5");
    assert_eq!(found.value.unwrap().won_gain(), Some(Value::GAIN_MAX));
    assert_eq!(find(AFTER_PUSH, 7, limits, 1).action.to_string(), "d5a8");
}

/// Black has four points in figure 9, three of them with the double. Four more win a match to
/// seven, but in a longer one the triple will be slow for the rest of it.
#[test]
fn a_win_is_worth_what_it_brings_to_the_match() {
    let position: Position = AFTER_PUSH.parse().unwrap();
    let gains = |target| {
        [1, 2, 4].map(|points| KamisadoEvaluation::new(target).gain(&position, Seat::First, points))
    };
    for target in [1, 3] {
        assert_eq!(gains(target), [Value::GAIN_MAX; 3]);
    }
    let [one, two, four] = gains(7);
    assert!(one < two && two < four && four == Value::GAIN_MAX);
    let [_, two, four] = gains(15);
    assert!(four < two);
}

/// After an opening with teeth the loser may have those of a match that is won, and yet has not won it.
#[test]
fn a_win_is_worth_something_against_the_teeth_of_an_opening() {
    let position: Position = AFTER_PUSH.parse().unwrap();
    let evaluation = KamisadoEvaluation::new(3);
    let [one, two] = [1, 2].map(|points| evaluation.gain(&position, Seat::Second, points));
    assert!(
        0 < one && one < two && two == Value::GAIN_MAX,
        "{one}, {two}"
    );
}

#[test]
fn the_loser_of_a_game_is_made_to_open_from_the_worse_refill() {
    let refill = "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b *";
    let limits = SearchLimits {
        nodes: Some(30_000),
        ..SearchLimits::NONE
    };
    let found = find(refill, 15, limits, 1);
    let value = |word: &str| {
        let mut position: Position = refill.parse().unwrap();
        position.play(word.parse().unwrap()).unwrap();
        let limits = SearchLimits {
            depth: found.depth - 1,
            ..SearchLimits::NONE
        };
        -find(&position.to_string(), 15, limits, 1).value.unwrap()
    };
    let other = if found.action.to_string() == "left" {
        "right"
    } else {
        "left"
    };
    assert!(value(&found.action.to_string()) >= value(other));
}
