//! Scripted matches: the cube, the Crawford game, resignations and the score.

use dragontooth_games::backgammon::{CubeLimit, Position};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};
use dragontooth_games::{Position as _, Turn};

use crate::play::rows;

/// Every row is a script of one match and the state after it.
#[test]
fn scripts_lead_to_what_the_rules_say() {
    let mut rows_read = 0;
    let mut faults = Vec::new();
    for [variant, target, script, score, last] in rows(include_str!("data/matches.txt"), " | ") {
        let game = catalogue::find("backgammon").unwrap();
        let mut play = game
            .new_match(Some(variant), target.parse().unwrap())
            .unwrap();
        for word in script.split(", ") {
            act(&mut *play, word);
        }
        let found = match play.step() {
            Step::Over { winner } => format!("{} wins", winner.unwrap()),
            Step::Deal => play.deal(&mut Draws::from_text("").deal(1)),
            Step::Decide(_) | Step::Pass(_) | Step::Chance | Step::Score(_) => {
                play.position().unwrap()
            }
        };
        let found = (play.score().to_string(), found);
        if (&*found.0, &*found.1) != (score, last) {
            faults.push(format!(
                "{variant} | {target} | {script} | {} | {}",
                found.0, found.1
            ));
        }
        rows_read += 1;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(rows_read > 12, "only {rows_read} rows");
}

/// A word of a script: a roll, an action, `!` before an action that is refused, or `at X` to start a
/// game from X. Games are dealt and scored automatically.
fn act(play: &mut dyn Match, word: &str) {
    if let Some(start) = word.strip_prefix("at ") {
        play.begin_game(start).unwrap();
        return;
    }
    if play.step() == Step::Deal {
        let opening = play.deal(&mut Draws::from_text("").deal(1));
        play.begin_game(&opening).unwrap();
    }
    if let Some(action) = word.strip_prefix('!') {
        assert!(
            play.play(action).is_err(),
            "{word} in {:?}",
            play.position()
        );
        return;
    }
    match play.step() {
        Step::Chance => drop(play.roll(word).unwrap()),
        Step::Pass(_) if word == "--" => play.pass().unwrap(),
        Step::Deal | Step::Decide(_) | Step::Pass(_) | Step::Score(_) | Step::Over { .. } => {
            play.play(word)
                .unwrap_or_else(|error| panic!("{word} in {:?}: {error}", play.position()));
        }
    }
    if matches!(play.step(), Step::Score(_)) {
        play.score_game().unwrap();
    }
}

/// A tie in the opening changes nothing and is rolled again. The higher die plays both dice first.
#[test]
fn the_higher_die_begins() {
    for (rolls, expected) in [("11 66 31", "first"), ("22 25", "second"), ("65", "first")] {
        let mut position = Position::match_start(7).unwrap();
        for roll in rolls.split(' ') {
            assert_eq!(position.turn(), Turn::Chance);
            let before = position;
            position.roll(roll.parse().unwrap());
            if position.turn() == Turn::Chance {
                assert_eq!(position, before);
            }
        }
        let Turn::Decide(seat) = position.turn() else {
            panic!("{position}")
        };
        assert_eq!(seat.to_string(), expected);
        assert_eq!(
            position.rolled().unwrap().to_string(),
            rolls[rolls.len() - 2..]
        );
    }
}

/// The variants with a highest cube are not listed, but known by name.
#[test]
fn the_cube_of_a_money_game_can_be_capped() {
    let game = catalogue::find("backgammon").unwrap();
    for (name, start) in [
        ("money", ":0:0:0:00:0:0:0:0:10"),
        ("money_1024", ":0:0:0:00:0:0:0:0:10 capped"),
        ("money_64", ":0:0:0:00:0:0:0:0:6 capped"),
        ("money_jacoby_1", ":0:0:0:00:0:0:1:0:0 capped"),
        ("money_jacoby", ":0:0:0:00:0:0:1:0:10"),
    ] {
        let mut play = game.new_match(Some(name), 1).unwrap();
        assert_eq!(play.variant(), name);
        let dealt = play.deal(&mut Draws::from_text("any").deal(1));
        assert!(dealt.ends_with(start), "{dealt}");
        play.begin_game(&dealt).unwrap();
        assert!(game.new_match(Some(name), 3).is_err(), "{name}");
    }
    for name in [
        "money_3",
        "money_32768",
        "money_",
        "money_01",
        "money_jacoby_0",
    ] {
        let Err(error) = game.new_match(Some(name), 1) else {
            panic!("{name} is no variant");
        };
        let expected =
            format!("unknown variant {name:?}; expected one of standard, money, money_jacoby");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    for value in 0..=70_000 {
        let limit = CubeLimit::of_value(value);
        let is_known = value.is_power_of_two() && value <= 32_768;
        assert_eq!(limit.map(CubeLimit::value), is_known.then_some(value));
    }
}
