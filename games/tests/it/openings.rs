//! Openings: the first game begins where actions lead from its start.

use dragontooth_games::Seat;
use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::{Draws, Seed};
use dragontooth_games::match_play::{InvalidOpening, MAX_OPENING_ACTIONS, Match, Step};
use dragontooth_games::record::{
    GameRecord, Headers, MatchRecord, RecordStep, SeedHeaders, read_text, write_text,
};
use dragontooth_games::verify::{DrawFault, verify_draws};
use proptest::prelude::*;

use crate::strategies::Choices;

/// The games without dice and their variants with one first position.
const OPENED: [(&str, &str); 4] = [
    ("kamisado", "standard"),
    ("linja", "standard"),
    ("tzaar", "fixed"),
    ("tzaar", "tournament"),
];

fn start(game: &str, variant: &str) -> Box<dyn Match> {
    let game: &Game = catalogue::find(game).unwrap();
    game.new_match(Some(variant), 3).unwrap()
}

fn texts(actions: &[&str]) -> Vec<String> {
    actions.iter().map(|action| (*action).to_owned()).collect()
}

/// Plays random actions from the start, at most this many, but not the end of a game.
fn random_actions(play: &mut dyn Match, seed: u64, count: usize) -> Vec<String> {
    let mut choices = Choices::new(seed);
    let mut actions = Vec::new();
    while actions.len() < count {
        match play.step() {
            Step::Deal => {
                let position = play.deal(&mut Draws::from_text("none").deal(1));
                play.begin_game(&position).unwrap();
            }
            Step::Decide(_) => {
                let legal = play.legal_actions();
                actions.push(play.play(&legal[choices.below(legal.len())]).unwrap());
            }
            Step::Pass(_) => play.pass().unwrap(),
            Step::Score(_) => break,
            Step::Chance | Step::Over { .. } => unreachable!("a game without dice goes on"),
        }
    }
    actions
}

proptest! {
    #[test]
    fn the_first_game_begins_after_the_opening(
        (game, variant) in prop::sample::select(OPENED.to_vec()),
        seed in any::<u64>(),
        count in 1_usize..60,
    ) {
        let mut played = start(game, variant);
        let actions = random_actions(&mut *played, seed, count);
        prop_assert!(actions.iter().all(|action| !action.contains(char::is_whitespace)));
        while let Step::Pass(_) = played.step() {
            played.pass().unwrap();
        }
        let mut opened = start(game, variant);
        let result = opened.open_with(&actions);
        if let Step::Score(_) = played.step() {
            prop_assert_eq!(result, Err(InvalidOpening::Over { number: actions.len() }));
            return Ok(());
        }
        prop_assert_eq!(result, Ok(actions));
        let position = opened.deal(&mut Draws::from_text("any").deal(1));
        opened.begin_game(&position).unwrap();
        prop_assert_eq!(opened.position(), played.position());
        prop_assert_eq!(opened.step(), played.step());
        prop_assert_eq!(opened.legal_actions(), played.legal_actions());
        prop_assert_eq!((opened.game_number(), opened.score()), (1, played.score()));
        // What follows is the same, to the start of the next game: who opened the first one counts there.
        for play in [&mut opened, &mut played] {
            random_actions(&mut **play, seed, usize::MAX);
            play.score_game().unwrap();
        }
        prop_assert_eq!(opened.step(), played.step());
        if opened.step() == Step::Deal {
            let deal = |play: &dyn Match| play.deal(&mut Draws::from_text("any").deal(2));
            prop_assert_eq!(deal(&*opened), deal(&*played));
        }
    }
}

#[test]
fn an_opening_is_refused_where_it_cannot_be_played() {
    let refused = |game: &str, variant: &str, actions: &[&str]| {
        let mut play = start(game, variant);
        let error = play.open_with(&texts(actions)).unwrap_err();
        let usual = start(game, variant);
        if game == "kamisado" && variant == "standard" {
            // Nothing of it is left.
            let deal = |play: &dyn Match| play.deal(&mut Draws::from_text("any").deal(1));
            assert_eq!(deal(&*play), deal(&*usual));
        }
        error.to_string()
    };
    let kamisado = |actions: &[&str]| refused("kamisado", "standard", actions);
    assert_eq!(
        kamisado(&["a1a7", "f8f4", "a8a7"]),
        "action 3, \"a8a7\": Black must move the blue tower on g1, not White's orange tower on a8 (rule T2)"
    );
    assert!(kamisado(&["a1a7", "b9"]).starts_with("action 2, \"b9\": invalid action: "));
    assert_eq!(
        refused("kamisado", "random", &["a1a7"]),
        "the variant random draws the first position"
    );
    assert_eq!(
        refused("tzaar", "random", &["e1e2"]),
        "the variant random draws the first position"
    );
    let mut money = catalogue::find("backgammon")
        .unwrap()
        .new_match(Some("standard"), 3)
        .unwrap();
    assert_eq!(
        money.open_with(&texts(&["24/18"])),
        Err(InvalidOpening::Chance { number: 1 })
    );
    let long = vec!["a1a7"; MAX_OPENING_ACTIONS + 1];
    assert_eq!(
        kamisado(&long),
        "an opening has at most 200 actions, not 201"
    );
    assert_eq!(start("kamisado", "random").open_with(&[]), Ok(Vec::new()));
}

/// A record of the first action after an opening.
fn opened_record() -> (MatchRecord, Headers) {
    let server_seed = *Seed::from_text("seed").bytes();
    let headers = Headers {
        seeds: SeedHeaders {
            server_seed: Some(server_seed),
            ..SeedHeaders::default()
        },
        ..Headers::default()
    };
    let mut play = start("kamisado", "standard");
    let opening = play.open_with(&texts(&["a1a7", "f8f4"])).unwrap();
    let start = play.deal(&mut headers.draws().unwrap().deal(1));
    play.begin_game(&start).unwrap();
    let action = play.legal_actions().swap_remove(0);
    let step = RecordStep::Action {
        seat: Seat::First,
        action,
    };
    let record = MatchRecord {
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        target: 3,
        opening,
        games: vec![GameRecord {
            start,
            steps: vec![step],
            outcome: None,
        }],
        ..MatchRecord::default()
    };
    (record, headers)
}

#[test]
fn a_record_has_its_opening_and_is_verified_with_it() {
    let (record, headers) = opened_record();
    let draws = headers.draws().unwrap();
    let text = write_text(&record, &headers);
    assert!(text.contains("[Opening \"a1a7 f8f4\"]\n"), "{text}");
    assert_eq!(read_text(&text), Ok((record.clone(), headers)));
    assert!(verify_draws(&record, &draws).is_ok());

    let with = |opening: &[&str]| {
        let opening = texts(opening);
        let changed = MatchRecord {
            opening,
            ..record.clone()
        };
        verify_draws(&changed, &draws).unwrap_err()
    };
    assert!(matches!(with(&[]), DrawFault::Deal { game: 1, .. }));
    assert!(matches!(with(&["a1a7"]), DrawFault::Deal { game: 1, .. }));
    assert!(matches!(with(&["a1a9"]), DrawFault::Rules { game: 0, .. }));
}
