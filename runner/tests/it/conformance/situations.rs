//! The lines of play into the situations lead where they claim, by the rules and by the positions.

use dragontooth_games::analysis::{Analysis, Question, Start};
use dragontooth_games::catalogue::{self, Game};
use dragontooth_runner_conformance::{CHECKS, CheckKind, Line, Situation};

use super::scripted::ends_on_a_tower;

/// The analysis of the last position of a line after these actions.
fn analyze(game: &Game, line: &Line, actions: &[String]) -> Analysis {
    let start = Start {
        variant: Some(line.variant),
        position: Some(&line.position),
        ..Start::default()
    };
    let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    game.analyze(&Question {
        start,
        actions: &actions,
        results: false,
    })
    .unwrap()
}

#[test]
fn every_situation_is_found_in_every_game_that_has_it() {
    let mut found = 0;
    for check in CHECKS {
        let CheckKind::Situation(situation, _) = check.kind else {
            continue;
        };
        for game in catalogue::GAMES {
            if check.applies_to(game.name) {
                let line = situation.line(game);
                let line = line.unwrap_or_else(|| panic!("{} in {}", check.name, game.name));
                assert_eq!(situation.line(game), Some(line), "it is always the same");
                found += 1;
            }
        }
    }
    assert_eq!(found, 21);
}

#[test]
fn positions_fit_the_names_of_the_situations() {
    for game in catalogue::GAMES {
        for check in CHECKS.iter().filter(|check| check.applies_to(game.name)) {
            let CheckKind::Situation(situation, _) = check.kind else {
                continue;
            };
            let line = situation.line(game).unwrap();
            let legal = analyze(game, &line, &[]).legal;
            let told = format!(
                "{} in {}: {} {legal:?}",
                check.name, game.name, line.position
            );
            let all = |what: &str| legal.iter().all(|action| action.contains(what));
            let any = |what: &str| legal.iter().any(|action| action.contains(what));
            let is_it = match situation {
                Situation::OwnPass | Situation::TakeOrDrop | Situation::Resignation => {
                    line.live.len() == 1
                }
                Situation::OpponentPass => legal.iter().all(|action| {
                    let action = std::slice::from_ref(action);
                    analyze(game, &line, action).passes.len() == 1
                }),
                Situation::OnlyPush => {
                    legal.len() == 1 && ends_on_a_tower(&legal[0], &line.position)
                }
                Situation::Refill => legal == ["left", "right"],
                Situation::NextGame => legal.len() > 2,
                Situation::SecondMove => line.position.contains(" 2:"),
                Situation::ExtraTurn => line.position.ends_with(" 1x"),
                Situation::Opening => all("x"),
                Situation::SecondAction => any("x") && any("+") && any("-"),
                Situation::OnlyPass => legal == ["-"],
                Situation::Doublet => {
                    let dice = line.position.split(':').nth(4).unwrap();
                    dice.as_bytes()[0] == dice.as_bytes()[1] && any("/")
                }
                Situation::Bar => all("bar/"),
                Situation::BearingOff => any("/off"),
                Situation::RollOrDouble => legal == ["roll", "double"],
            };
            assert!(is_it, "{told}");
        }
    }
}

#[test]
fn live_actions_lead_to_the_bots_decision() {
    for (situation, name, expected) in [
        (Situation::TakeOrDrop, "backgammon", ["take", "drop"]),
        (Situation::Resignation, "backgammon", ["accept", "decline"]),
    ] {
        let game = catalogue::find(name).unwrap();
        let line = situation.line(game).unwrap();
        assert_eq!(analyze(game, &line, &line.live).legal, expected);
    }
    for name in ["kamisado", "linja"] {
        let game = catalogue::find(name).unwrap();
        let line = Situation::OwnPass.line(game).unwrap();
        let before = analyze(game, &line, &[]);
        let after = analyze(game, &line, &line.live);
        assert_eq!(after.passes.len(), 1, "{name}");
        assert_ne!(before.seat, None);
        assert_eq!(before.seat, after.seat, "{name}");
        assert_ne!(after.passes[0], after.seat.unwrap());
    }
}
