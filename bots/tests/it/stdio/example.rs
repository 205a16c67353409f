use std::path::Path;
use std::process::Command;
use std::time::Instant;

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{AnswerDeadline, EngineFault, EngineMatch, Engines};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::Step;

use super::{LONG, asked, launch, terms};

/// The example of the page plays every game to the end by the rules.
#[test]
fn the_example_in_python_plays_every_game() {
    if Command::new("python3").arg("--version").output().is_err() {
        assert!(std::env::var("CI").is_err(), "python3 is missing");
        return;
    }
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/random_engine.py");
    let (mut launch, notes) = launch(program);
    launch.processes_max = 1;
    let engines = Engines::new(launch);
    for game in catalogue::GAMES {
        let mut play = game.new_match(None, 1).unwrap();
        let mut terms = terms(game.name);
        terms.game = game.name.to_owned();
        terms.variant = play.variant().to_owned();
        let mut playing = EngineMatch::begin(&engines, terms).unwrap();
        let mut decisions = 0;
        let draws = Draws::from_text("example");
        loop {
            match play.step() {
                Step::Deal => {
                    let position = play.deal(&mut draws.deal(play.game_number() + 1));
                    play.begin_game(&position).unwrap();
                }
                Step::Pass(_) => play.pass().unwrap(),
                Step::Chance => {
                    let mut chance = draws.roll(play.game_number(), play.rolls() + 1);
                    let roll = play.draw(&mut chance);
                    play.roll(&roll).unwrap();
                }
                Step::Score(_) => play.score_game().unwrap(),
                Step::Over { .. } => break,
                Step::Decide(_) => {
                    decisions += 1;
                    let position = play.position().unwrap();
                    let mut asked = asked(decisions);
                    asked.position = &position;
                    asked.seed = decisions << 30;
                    let patience = AnswerDeadline {
                        until: Some(Instant::now() + LONG),
                        fault: &EngineFault::Late,
                        is_over: &|| false,
                    };
                    let Ok(Choice::Action(action)) = playing.ask(&asked, patience) else {
                        panic!("{}: {:?}", game.name, notes.lock().unwrap());
                    };
                    play.play(&action).unwrap();
                }
            }
        }
        assert!(decisions > 1, "{}", game.name);
    }
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}
