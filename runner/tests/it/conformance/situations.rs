//! The ways into the situations are what they claim to be.

use dragontooth_games::catalogue;
use dragontooth_runner::conformance::{CHECKS, Kind};

#[test]
fn every_situation_is_found_in_every_game_that_has_it() {
    let mut found = 0;
    for check in CHECKS {
        let Kind::Situation(situation, _) = check.kind else {
            continue;
        };
        for game in catalogue::GAMES {
            if !check.applies_to(game.name) {
                continue;
            }
            let began = std::time::Instant::now();
            let line = situation.line(game);
            println!(
                "{} {}: {:?} {:?}",
                check.name,
                game.name,
                began.elapsed(),
                line.as_ref()
                    .map(|l| (&l.seed, l.actions.len(), &l.live, &l.position))
            );
            assert!(line.is_some(), "{} in {}", check.name, game.name);
            found += 1;
        }
    }
    assert!(found > 15, "{found}");
}
