//! What the search finds at Kamisado.

use dragontooth_bots::kamisado::KamisadoEvaluation;
use dragontooth_bots::search::{Found, Limits, RealTime, TreeSearch, Value};
use dragontooth_games::Position as _;
use dragontooth_games::kamisado::{Action, Position};

fn find(position: &str, target: u32, limits: Limits, seed: u64) -> Found<Action> {
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
    let limits = Limits {
        nodes: Some(100_000),
        ..Limits::NONE
    };
    for seed in 0..4 {
        let action = find(START, 1, limits, seed).action.to_string();
        assert!(
            WINNING.contains(&action.as_str()),
            "{action} with seed {seed}"
        );
    }
}

/// The three-move deadlocks of the rules page: whoever plays the third move loses.
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
            Limits {
                depth: 1,
                ..Limits::NONE
            },
            1,
        );
        assert_ne!(found.action.to_string(), third);
    }
}

/// Figure 9: the double sumo pushes and moves again, and its own win is worth four points, that of
/// the tower that it could ask for instead only two.
#[test]
fn pushes_and_points_are_seen() {
    let limits = Limits {
        depth: 3,
        ..Limits::NONE
    };
    let asked = "1RG3MO/8/3Y+4/3LBp+2/2Pg++4/8/8/b1ry1mlo b g";
    let found = find(asked, 15, limits, 1);
    assert_eq!(found.action.to_string(), "d4d5");
    assert!(found.value.unwrap().won_gain().is_some());
    let pushed = "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b g";
    let found = find(pushed, 15, limits, 1);
    assert_eq!(found.action.to_string(), "d5a8");
}

/// Where four points are more than the match needs, any win is as good and the soonest is played.
#[test]
fn points_beyond_the_target_count_for_nothing() {
    let pushed = "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b g";
    let gain = |target| {
        let found = find(
            pushed,
            target,
            Limits {
                depth: 3,
                ..Limits::NONE
            },
            1,
        );
        found.value.unwrap().won_gain().unwrap()
    };
    assert_eq!(gain(7), Value::GAIN_MAX);
    assert!(gain(15) < Value::GAIN_MAX);
}

#[test]
fn the_loser_of_a_game_is_made_to_open_from_the_worse_refill() {
    let refill = "1RG3MO/3Y+4/3L4/3g++Bp+2/2P5/8/8/b1ry1mlo b *";
    let limits = Limits {
        nodes: Some(30_000),
        ..Limits::NONE
    };
    let found = find(refill, 15, limits, 1);
    let value = |word: &str| {
        let mut position: Position = refill.parse().unwrap();
        position.play(word.parse().unwrap()).unwrap();
        let limits = Limits {
            depth: found.depth - 1,
            ..Limits::NONE
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
