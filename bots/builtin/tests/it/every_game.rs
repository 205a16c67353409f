//! Laws of the built-in bots for every game of the catalogue.

use std::time::Duration;

use dragontooth_bots_builtin::BotSpec;
use dragontooth_bots_builtin::{Bot, Budget};
use dragontooth_games::{Position, Turn, catalogue, kamisado, linja, tzaar};

use crate::engines::{SPECS, info, make_for, untimed};
use crate::positions::{self, Decision};

/// Targets of the matches, if the variant allows them.
const TARGET: u32 = 3;

/// Calls `visit` with each bot of a game and the decisions of a random match of each variant.
fn for_each_match(seed: u64, visit: impl Fn(&dyn Fn() -> Box<dyn Bot>, &[Decision])) {
    for game in catalogue::GAMES {
        for variant in game.variants() {
            let target = if variant.targets.allow(TARGET) {
                TARGET
            } else {
                variant.targets.usual[0]
            };
            let decisions = positions::of_match(game.name, variant.name, target, seed);
            for spec in SPECS {
                let spec: BotSpec = spec.parse().unwrap();
                let info = info(game.name);
                if spec.make(&info).is_ok() {
                    visit(&|| spec.make(&info).unwrap(), &decisions);
                }
            }
        }
    }
}

#[test]
fn every_choice_is_legal() {
    for_each_match(1, |make, decisions| {
        let mut bot = make();
        for (seed, Decision { position, legal }) in (0..).zip(decisions) {
            let action = bot.choose(position, &untimed(seed)).unwrap();
            assert!(legal.contains(&action), "{action} at {position}");
        }
    });
}

#[test]
fn the_same_decision_gets_the_same_answer() {
    for_each_match(2, |make, decisions| {
        let mut bot = make();
        for (seed, Decision { position, .. }) in (0..).zip(decisions.iter().step_by(5)) {
            let choice = bot.choose(position, &untimed(seed)).unwrap();
            let again = make().choose(position, &untimed(seed)).unwrap();
            assert_eq!(choice, again, "{position}");
        }
    });
}

#[test]
fn no_time_is_enough() {
    for_each_match(3, |make, decisions| {
        let Decision { position, legal } = &decisions[decisions.len() / 2];
        for time in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_millis(1),
        ] {
            let budget = Budget {
                time: Some(time),
                seed: 1,
            };
            let action = make().choose(position, &budget).unwrap();
            assert!(legal.contains(&action), "{action} at {position}");
        }
    });
}

#[test]
fn wins_at_hand_are_taken() {
    take_wins::<kamisado::Position>("kamisado", "random");
    take_wins::<linja::Position>("linja", "random");
    take_wins::<tzaar::Position>("tzaar", "random");
}

fn take_wins<P: Position>(game: &str, variant: &str) {
    let wins = |position: &P, action: &P::Action| {
        let mut end = *position;
        end.play_unchecked(*action);
        match (position.turn(), end.turn()) {
            (Turn::Decide(seat), Turn::Over(outcome)) => outcome.winner == Some(seat),
            _ => false,
        }
    };
    let mut positions: Vec<P> = positions::of_games(game, variant, 40);
    positions.retain(|position| position.legal_actions().iter().any(|a| wins(position, a)));
    assert!(!positions.is_empty(), "no win at hand at {game}");
    for spec in ["greedy", "alphabeta:nodes=200", "alphabeta:depth=2"] {
        let mut bot = make_for(game, spec);
        for position in &positions {
            let choice = bot.choose(&position.to_string(), &untimed(1)).unwrap();
            let action = choice.parse().unwrap();
            assert!(
                wins(position, &action),
                "{game}: {spec}: {choice} at {position}"
            );
        }
    }
}
