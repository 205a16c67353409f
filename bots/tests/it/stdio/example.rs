use std::path::Path;
use std::process::Command;
use std::time::Instant;

use dragontooth_bots::Choice;
use dragontooth_bots_engines::stdio::{AnswerDeadline, EngineFault, EngineMatch, Engines};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;

use super::{LONG, asked, launch, terms};
use crate::direct_match::play_match;

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
        let mut terms = terms(game.name);
        terms.game = game.name.to_owned();
        terms.variant = game.new_match(None, 1).unwrap().variant().to_owned();
        let mut playing = EngineMatch::begin(&engines, terms).unwrap();
        let mut decisions = 0;
        play_match(
            game,
            None,
            1,
            &Draws::from_text("example"),
            |position, _| {
                decisions += 1;
                let mut asked = asked(decisions);
                asked.position = position;
                asked.seed = decisions << 30;
                let patience = AnswerDeadline {
                    until: Some(Instant::now() + LONG),
                    fault: &EngineFault::Late,
                    is_over: &|| false,
                };
                let Ok(Choice::Action(action)) = playing.ask(&asked, patience) else {
                    panic!("{}: {:?}", game.name, notes.lock().unwrap());
                };
                action
            },
        );
        assert!(decisions > 1, "{}", game.name);
    }
    assert!(notes.lock().unwrap().is_empty(), "{notes:?}");
}
