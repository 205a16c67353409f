//! Whole matches through the type-erased interface.

use dragontooth_games::Seat;
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::kamisado::Position;
use dragontooth_games::match_play::{Match, PlayError, Step};
use proptest::prelude::*;

use crate::every_game::matches::{self as every_match, Entry};
use crate::play::position;

/// A round between sides with at most 14 points each: see the rules page.
const ACTIONS_IN_A_GAME_MAX: u32 = 457;

fn new_match(variant: &str, points: u32) -> Box<dyn Match> {
    catalogue::find("kamisado")
        .unwrap()
        .new_match(Some(variant), points)
        .unwrap()
}

/// Plays a match with random actions to its end, and again from its log.
fn play_match(variant: &str, points: u32, seed: u64) -> Vec<Entry> {
    let (end, log) = every_match::play_match(new_match(variant, points), seed);
    assert!(end.game_number() < 2 * points);
    let again = every_match::replay(new_match(variant, points), &log);
    assert_eq!(
        (again.step(), again.position(), again.score()),
        (end.step(), end.position(), end.score())
    );
    let (mut score, mut actions) = ([0; 2], 0);
    for entry in &log {
        match entry {
            Entry::Deal(opening) => {
                assert_score_is_in_the_teeth(opening, score);
                actions = 0;
            }
            Entry::Action(..) => {
                actions += 1;
                assert!(
                    actions <= ACTIONS_IN_A_GAME_MAX + 1,
                    "the choice of the refill is one more"
                );
            }
            Entry::Score(outcome) => score[outcome.winner.unwrap().index()] += outcome.points,
            Entry::Pass(_) => {}
            Entry::Roll(_) => panic!("nothing is rolled in this game"),
        }
    }
    log
}

/// A side's score is the sum of 2^teeth - 1 over its towers.
fn assert_score_is_in_the_teeth(opening: &str, score: [u32; 2]) {
    let board: Position = position(opening);
    for seat in Seat::BOTH {
        let points: u32 = board
            .towers()
            .filter(|t| t.seat == seat)
            .map(|t| t.rank.points() - 1)
            .sum();
        assert_eq!(points, score[seat.index()], "{seat} in {opening}");
    }
}

proptest! {
    /// The loser opens the next game after the winner has chosen the refill.
    #[test]
    fn the_loser_opens(seed in any::<u64>()) {
        let log = play_match("random", 15, seed);
        for part in log.windows(4) {
            let [Entry::Score(outcome), Entry::Deal(deal), second, third] = part else { continue };
            let winner = outcome.winner.unwrap();
            prop_assert!(deal.ends_with(" *"));
            prop_assert!(matches!(second, Entry::Action(seat, word)
                if *seat == winner && (word == "left" || word == "right")));
            prop_assert!(matches!(third, Entry::Action(seat, _) if *seat == winner.other()));
        }
    }
}

#[test]
fn long_matches_end_and_use_every_rank() {
    let mut seen = [false; 3];
    for seed in 0..300 {
        let log = play_match("standard", 15, seed);
        for entry in log {
            let Entry::Deal(opening) = entry else {
                continue;
            };
            seen[0] |= opening.contains('+');
            seen[1] |= opening.contains("++");
            seen[2] |= opening.contains("+++");
        }
    }
    assert_eq!(seen, [true; 3]);
}

#[test]
fn a_triple_that_wins_ends_a_marathon() {
    let mut game = new_match("standard", 15);
    game.begin_game("OLMP1RGB/8/8/8/8/8/Y+++7/1grypmlo w y")
        .unwrap_err();
    game.begin_game("OLMP1RGB/8/8/8/8/b7/Y+++7/1grypmlo w y")
        .unwrap();
    game.play("a2a1").unwrap();
    game.score_game().unwrap();
    assert_eq!(
        (game.score().of(Seat::Second), game.step()),
        (8, Step::Deal)
    );
    let next = game.deal(&mut Draws::from_text("").deal(2));
    assert_eq!(
        next, "OLMP1RGB/8/8/8/8/b7/8/Y+++grypmlo w *",
        "there is no fourth rank"
    );
}

#[test]
fn steps_out_of_turn_are_refused() {
    let mut game = new_match("standard", 1);
    assert_eq!(game.play("a1a2"), Err(PlayError::OutOfStep));
    assert_eq!(game.pass(), Err(PlayError::OutOfStep));
    assert_eq!(game.score_game(), Err(PlayError::OutOfStep));
    assert!(matches!(
        game.begin_game("nonsense"),
        Err(PlayError::UnreadablePosition(_))
    ));
    assert_eq!((game.step(), game.game_number()), (Step::Deal, 0));

    let start = game.deal(&mut Draws::from_text("").deal(1));
    game.begin_game(&start).unwrap();
    assert_eq!(game.begin_game(&start), Err(PlayError::OutOfStep));
    assert_eq!(game.pass(), Err(PlayError::OutOfStep));
    assert_eq!(game.score_game(), Err(PlayError::OutOfStep));
    assert!(matches!(
        game.play("a1"),
        Err(PlayError::UnreadableAction(_))
    ));
    let error = game.play("a1a8").unwrap_err();
    assert_eq!(error.to_string(), "a8 is occupied (rule M3)");
    assert_eq!(game.position().as_ref(), Some(&start));

    game.play("d1d7").unwrap();
    game.play("g8b3").unwrap();
    assert_eq!(game.step(), Step::Pass(Seat::First));
    assert_eq!(game.play("d7d8"), Err(PlayError::OutOfStep));
    let before = game.clone();
    game.pass().unwrap();
    assert_eq!(
        before.step(),
        Step::Pass(Seat::First),
        "a copy goes its own way"
    );
    game.play("b3d1").unwrap();
    assert_eq!(game.play("d7d8"), Err(PlayError::OutOfStep));
    game.score_game().unwrap();
    assert!(matches!(
        game.step(),
        Step::Over {
            winner: Some(Seat::Second)
        }
    ));
    assert_eq!(game.begin_game(&start), Err(PlayError::OutOfStep));
}
