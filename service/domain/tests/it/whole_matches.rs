use dragontooth_games::chance::{Chance, Draws};
use dragontooth_games::{Seat, catalogue};
use dragontooth_service_domain::{Misfit, replay};
use dragontooth_service_vocabulary::{MatchEvent, NewMatch, SeedText, Termination};

use crate::origin::{Origin, origin};
use crate::people::new_match;
use crate::snapshot::Snapshot;
use crate::table::{Table, events};

/// Plays a match to its end with actions drawn from `choices`.
pub(crate) fn play_out(new: &NewMatch, choices: &str) -> Table {
    let mut table = Table::started(new);
    let mut chance = Draws::from_text(choices).deal(0);
    while table.state.due().is_some() {
        let mut actions = table.state.play().legal_actions();
        let count = u32::try_from(actions.len()).unwrap();
        table.play(&actions.swap_remove(chance.below(count) as usize));
    }
    table
}

fn of(variant: &str, target: u32, seed: &str) -> NewMatch {
    NewMatch {
        variant: Some(variant.to_owned()),
        target,
        seed: Some(SeedText::new(seed).unwrap().into()),
        ..new_match()
    }
}

#[test]
fn matches_to_every_target_end_by_the_rules() {
    for variant in ["standard", "random"] {
        for target in [1, 3, 7, 15] {
            let table = play_out(&of(variant, target, "seed"), &format!("{variant} {target}"));
            let result = table.state.result().unwrap();
            assert_eq!(result.termination, Termination::Normal);
            let winner = result.winner.unwrap();
            let score = table.state.play().score();
            assert!(score.of(winner) >= target, "{variant} to {target}: {score}");
            assert!(
                score.of(winner.other()) < target,
                "{variant} to {target}: {score}"
            );
            check_games(&table);

            let replayed = replay(&table.log).unwrap().unwrap();
            assert_eq!(Snapshot::of(&replayed), Snapshot::of(&table.state));
            assert_eq!(origin(&table.log), Ok(Origin::Whole));
        }
    }
}

/// Games follow each other, the points are in order, and the winner of each chooses the refill.
fn check_games(table: &Table) {
    let mut points = [0; 2];
    let mut last_winner = None;
    let mut games = 0;
    for (at, event) in events(&table.log).iter().enumerate() {
        match event {
            MatchEvent::GameStarted { number, position } => {
                games += 1;
                assert_eq!(*number, games);
                assert_eq!(position.ends_with('*'), games > 1);
                let MatchEvent::ActionPlayed { seat, action, .. } = &table.log[at + 1].event else {
                    panic!("a game begins with an action");
                };
                assert_eq!(games > 1, action == "left" || action == "right");
                assert_eq!(Some(*seat), last_winner.or(Some(Seat::First)));
            }
            MatchEvent::GameEnded {
                winner,
                points: worth,
                reason,
            } => {
                assert!([1, 2, 4, 8].contains(worth));
                assert!(["home_row", "deadlock"].contains(&reason.as_str()));
                points[winner.unwrap().index()] += worth;
                last_winner = *winner;
            }
            MatchEvent::Created(_)
            | MatchEvent::SeatJoined { .. }
            | MatchEvent::ActionPlayed { .. }
            | MatchEvent::ActionRefused { .. }
            | MatchEvent::TurnPassed { .. }
            | MatchEvent::Rolled { .. }
            | MatchEvent::MatchEnded { .. } => {}
        }
    }
    let score = table.state.play().score();
    assert_eq!(points, Seat::BOTH.map(|seat| score.of(seat)));
    assert_eq!(table.state.play().game_number(), games);
    assert_eq!(last_winner, table.state.result().unwrap().winner);
}

#[test]
fn the_same_seed_and_the_same_choices_give_the_same_log() {
    for variant in ["standard", "random"] {
        let new = of(variant, 7, "a seed");
        let (one, other) = (play_out(&new, "choices"), play_out(&new, "choices"));
        assert_eq!(one.log, other.log);
        assert_ne!(one.log, play_out(&new, "other choices").log);
    }
}

#[test]
fn the_seed_says_how_a_random_match_begins() {
    let opening = |seed: &str| {
        let table = Table::started(&of("random", 1, seed));
        table.state.play().position().unwrap()
    };
    let openings: Vec<String> = (0..20).map(|seed| opening(&seed.to_string())).collect();
    let mut distinct = openings.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 20);
    assert_eq!(opening("0"), openings[0]);

    let standard = |seed: &str| {
        let table = Table::started(&of("standard", 1, seed));
        table.state.play().position()
    };
    assert_eq!(standard("0"), standard("1"));
}

/// The same laws hold with dice, unused offers, drawn games and changing sides.
#[test]
fn matches_of_every_game_replay() {
    for game in catalogue::GAMES {
        for variant in game.variants() {
            for target in variant.targets.usual.iter().take(2) {
                let new = NewMatch {
                    game: game.name.to_owned(),
                    seed: None,
                    ..of(variant.name, *target, "")
                };
                let table = play_out(&new, variant.name);
                let result = table.state.result().unwrap();
                assert_eq!(result.termination, Termination::Normal);
                assert_eq!(result.winner, table.state.play().score().leader());
                let replayed = replay(&table.log).unwrap().unwrap();
                assert_eq!(Snapshot::of(&replayed), Snapshot::of(&table.state));
                assert_eq!(origin(&table.log), Ok(Origin::Whole), "{}", game.name);
            }
        }
    }
}

/// A roll stands where chance is due, in canonical notation, and nowhere else.
#[test]
fn rolls_are_checked_for_their_place_and_their_notation() {
    let new = NewMatch {
        game: "backgammon".to_owned(),
        ..of("standard", 1, "dice")
    };
    let log = play_out(&new, "choices").log;
    let mut rolls = 0;
    for at in 0..log.len() {
        let MatchEvent::Rolled { roll } = &log[at].event else {
            continue;
        };
        rolls += 1;
        for (other, fits) in [("66", true), ("6-6", false), ("70", false), ("", false)] {
            let mut changed = log[..=at].to_vec();
            changed[at].event = MatchEvent::Rolled {
                roll: other.to_owned(),
            };
            assert_eq!(replay(&changed).is_ok(), fits, "{other} for {roll}");
        }
        let mut later = log[..=at].to_vec();
        later[at].event = MatchEvent::TurnPassed { seat: Seat::First };
        assert_eq!(replay(&later).unwrap_err().why, Misfit::Pass);
    }
    assert!(rolls > 10);
    let mut early = log[..3].to_vec();
    early[2].event = MatchEvent::Rolled {
        roll: "31".to_owned(),
    };
    assert_eq!(replay(&early).unwrap_err().why, Misfit::Roll);
}
