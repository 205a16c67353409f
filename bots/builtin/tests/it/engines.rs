//! The built-in bots as a match sees them: notation in and out.

use std::collections::BTreeMap;

use dragontooth_bots_builtin::{BOTS, BotSpec, SpecError};
use dragontooth_bots_builtin::{Bot, BotError, Budget, MatchInfo};
use dragontooth_games::kamisado::{Action, Demand, Position, Rank};
use dragontooth_games::{Position as _, Seat};

use crate::positions;

const START: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";
/// Every bot, with options that need few resources.
pub(crate) const SPECS: [&str; 5] = [
    "random",
    "greedy",
    "alphabeta:nodes=200",
    "alphabeta:depth=2,table_mib=0",
    "expectimax:candidates=3",
];

pub(crate) fn info(game: &str) -> MatchInfo {
    MatchInfo {
        id: "0193".to_owned(),
        title: "demo".to_owned(),
        game: game.to_owned(),
        variant: "random".to_owned(),
        target: 15,
        seat: Seat::First,
        time_controls: [None; 2],
    }
}

/// A bot for a game.
pub(crate) fn make_for(game: &str, spec: &str) -> Box<dyn Bot> {
    let spec: BotSpec = spec.parse().unwrap();
    spec.make(&info(game)).unwrap()
}

fn make(spec: &str) -> Box<dyn Bot> {
    make_for("kamisado", spec)
}

pub(crate) fn untimed(seed: u64) -> Budget {
    Budget { time: None, seed }
}

#[test]
fn positions_of_every_phase_are_tried() {
    let positions = positions::of_matches(4);
    let is_asked = |demand| positions.iter().any(|position| position.demand() == demand);
    assert!(is_asked(Demand::Any) && is_asked(Demand::Refill));
    let is_push = |position: &Position, action: &Action| match action {
        Action::Move { to, .. } => position.tower_on(*to).is_some(),
        Action::Refill(_) => false,
    };
    assert!(
        positions
            .iter()
            .any(|p| p.legal_actions().iter().any(|action| is_push(p, action)))
    );
    assert!(
        positions
            .iter()
            .any(|p| p.towers().any(|tower| tower.rank == Rank::Double))
    );
}

#[test]
fn random_plays_every_action_alike() {
    let mut bot = make("random");
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..10_200 {
        *counts
            .entry(bot.choose(START, &untimed(seed)).unwrap())
            .or_default() += 1;
    }
    assert_eq!(counts.len(), 102);
    // A hundred are expected of each; five standard deviations are fifty.
    assert!(
        counts.values().all(|count| (50..=150).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn a_win_at_hand_is_taken() {
    let mut position = Position::standard();
    for action in ["d1d7", "g8b3"] {
        position.play(action.parse().unwrap()).unwrap();
    }
    assert_eq!(position.settle(), 1);
    for spec in ["greedy", "alphabeta:nodes=200", "alphabeta:depth=2"] {
        let choice = make(spec).choose(&position.to_string(), &untimed(1));
        assert_eq!(choice.unwrap(), "b3d1", "{spec}");
    }
}

#[test]
fn unreadable_and_undecided_positions_are_errors() {
    let over = "8/5Gl1/L7/rYOP1R2/bg2pBm1/2M5/3y3o/8 w r";
    for spec in SPECS
        .into_iter()
        .filter(|spec| !spec.starts_with("expectimax"))
    {
        let mut bot = make(spec);
        let error = bot.choose("nonsense", &untimed(1)).unwrap_err();
        assert!(
            matches!(error, BotError::UnreadablePosition { .. }),
            "{error}"
        );
        let error = bot.choose(over, &untimed(1)).unwrap_err();
        assert!(matches!(error, BotError::NothingToDecide(_)), "{error}");
    }
}

#[test]
fn specs_are_read_as_they_are_written() {
    for text in SPECS {
        assert_eq!(text.parse::<BotSpec>().unwrap().to_string(), text);
    }
    let options = [("seed", "7"), ("nodes", "20000")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let spec = BotSpec::new("alphabeta", &options).unwrap();
    assert_eq!(spec, "alphabeta:seed=7,nodes=20000".parse().unwrap());
    assert_eq!(spec.to_string(), "alphabeta:nodes=20000,seed=7");
    assert_eq!((spec.info().name, spec.seed()), ("alphabeta", 7));
    assert_eq!("random".parse::<BotSpec>().unwrap().seed(), 0);
}

#[test]
fn refusals_name_what_there_is() {
    for (text, refusal) in [
        (
            "deep",
            "unknown bot \"deep\"; expected one of random, greedy, alphabeta, expectimax",
        ),
        (
            "greedy:nodes=5",
            "the bot greedy has no option \"nodes\"; it has seed",
        ),
        (
            "alphabeta:depth=101",
            "depth is a number from 1 to 100, not \"101\"",
        ),
        (
            "alphabeta:depth=two",
            "depth is a number from 1 to 100, not \"two\"",
        ),
        (
            "alphabeta:nodes=0",
            "nodes is a number from 1 to 18446744073709551615, not \"0\"",
        ),
        ("alphabeta:nodes=1,nodes=2", "the option nodes is set twice"),
        (
            "alphabeta:nodes",
            "an option has the form NAME=NUMBER, not \"nodes\"",
        ),
        ("alphabeta:", "an option has the form NAME=NUMBER, not \"\""),
        (
            "",
            "unknown bot \"\"; expected one of random, greedy, alphabeta, expectimax",
        ),
    ] {
        let error: SpecError = text.parse::<BotSpec>().unwrap_err();
        assert_eq!(error.to_string(), refusal);
    }
}

#[test]
fn there_is_no_bot_for_an_unknown_game() {
    for bot in BOTS {
        let spec = BotSpec::new(bot.name, &BTreeMap::new()).unwrap();
        let Err(error) = spec.make(&info("chess")) else {
            panic!("{} plays chess", bot.name)
        };
        assert_eq!(
            error.to_string(),
            format!("there is no bot {} for the game \"chess\"", bot.name)
        );
    }
}
