//! Whole matches of every game through the type-erased interface.

use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue::{self, Game};
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, PlayError, Step};
use dragontooth_games::{GameOutcome, Seat};

use crate::strategies::Choices;

/// The events of a match, as a log would have them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    Deal(String),
    Action(Seat, String),
    Pass(Seat),
    Roll(String),
    Score(GameOutcome),
}

/// Plays a match with random actions to its end.
pub(crate) fn play_match(mut play: Box<dyn Match>, seed: u64) -> (Box<dyn Match>, Vec<Entry>) {
    let mut choices = Choices::new(seed);
    let draws = Draws::from_text(&seed.to_string());
    let mut log = Vec::new();
    loop {
        match play.step() {
            Step::Deal => {
                let number = play.game_number() + 1;
                let opening = play.deal(&mut draws.deal(number));
                assert_eq!(opening, play.deal(&mut draws.deal(number)));
                play.begin_game(&opening).unwrap();
                assert_eq!(
                    (play.game_number(), play.position()),
                    (number, Some(opening.clone()))
                );
                assert!(!matches!(play.step(), Step::Score(_)), "{opening} is over");
                log.push(Entry::Deal(opening));
            }
            Step::Decide(seat) => {
                let legal = play.legal_actions();
                let action = &legal[choices.below(legal.len())];
                assert_eq!(play.play(action).as_ref(), Ok(action));
                log.push(Entry::Action(seat, action.clone()));
            }
            Step::Pass(seat) => {
                assert!(play.legal_actions().is_empty());
                assert_eq!(play.play("--").unwrap_err(), PlayError::OutOfStep);
                play.pass().unwrap();
                log.push(Entry::Pass(seat));
            }
            Step::Chance => {
                assert!(play.legal_actions().is_empty() && play.offers().is_empty());
                assert_eq!(play.play("--").unwrap_err(), PlayError::OutOfStep);
                let number = play.rolls() + 1;
                let draw = || play.draw(&mut draws.roll(play.game_number(), number));
                let roll = draw();
                assert_eq!(draw(), roll);
                assert_eq!(play.roll(&roll).as_ref(), Ok(&roll));
                assert_eq!(play.rolls(), number);
                log.push(Entry::Roll(roll));
            }
            Step::Score(outcome) => {
                let before = play.score();
                play.score_game().unwrap();
                for seat in Seat::BOTH {
                    let won = u32::from(outcome.winner == Some(seat)) * outcome.points;
                    assert_eq!(play.score().of(seat), before.of(seat) + won);
                }
                log.push(Entry::Score(outcome));
            }
            Step::Over { .. } => return (play, log),
        }
    }
}

/// Plays a log, seat by seat.
pub(crate) fn replay(mut play: Box<dyn Match>, log: &[Entry]) -> Box<dyn Match> {
    for entry in log {
        match entry {
            Entry::Deal(opening) => play.begin_game(opening).unwrap(),
            Entry::Action(seat, action) => {
                assert_eq!(play.step(), Step::Decide(*seat));
                assert_eq!(play.pass(), Err(PlayError::OutOfStep));
                assert_eq!(play.score_game(), Err(PlayError::OutOfStep));
                play.play(action).unwrap();
            }
            Entry::Pass(seat) => {
                assert_eq!(play.step(), Step::Pass(*seat));
                play.pass().unwrap();
            }
            Entry::Roll(roll) => {
                assert_eq!(play.step(), Step::Chance);
                assert_eq!(play.pass(), Err(PlayError::OutOfStep));
                play.roll(roll).unwrap();
            }
            Entry::Score(outcome) => {
                assert_eq!(play.step(), Step::Score(*outcome));
                play.score_game().unwrap();
            }
        }
    }
    play
}

/// Runs `law` with every variant and target of every game, with a few seeds each.
fn in_every_match(law: impl Fn(&'static Game, &'static str, u32, u64)) {
    for game in catalogue::GAMES {
        for variant in game.variants() {
            for (seed, points) in (1..).zip(variant.targets.usual) {
                for repetition in 0..3 {
                    law(game, variant.name, *points, 100 * repetition + seed);
                }
            }
        }
    }
}

#[test]
fn matches_end_with_the_points_of_their_games_and_replay() {
    in_every_match(|game, variant, points, seed| {
        let fresh = || game.new_match(Some(variant), points).unwrap();
        let (end, log) = play_match(fresh(), seed);
        let Step::Over { winner } = end.step() else {
            panic!("{} is not over", game.name)
        };
        assert_eq!(winner, end.score().leader(), "{}", end.score());
        let won = |seat: Seat| end.score().of(seat) >= points;
        match winner {
            Some(winner) => assert!(!won(winner.other())),
            None => assert!(!Seat::BOTH.into_iter().any(won)),
        }
        for seat in Seat::BOTH {
            assert_eq!(points_of(seat, &log), end.score().of(seat));
        }
        assert!(end.legal_actions().is_empty());
        let again = replay(fresh(), &log);
        assert_eq!(again.step(), end.step());
        assert_eq!(
            (again.position(), again.score()),
            (end.position(), end.score())
        );
        assert_eq!(again.game_number(), end.game_number());
    });
}

/// The points that a seat won in the games of a log.
fn points_of(seat: Seat, log: &[Entry]) -> u32 {
    let of_entry = |entry: &Entry| match entry {
        Entry::Score(outcome) if outcome.winner == Some(seat) => outcome.points,
        Entry::Deal(_) | Entry::Action(..) | Entry::Pass(_) | Entry::Roll(_) | Entry::Score(_) => 0,
    };
    log.iter().map(of_entry).sum()
}

/// An analysis of a position agrees with the match, by the sides of that game.
#[test]
fn analysis_agrees_with_the_match() {
    in_every_match(|game, variant, points, seed| {
        let fresh = || game.new_match(Some(variant), points).unwrap();
        let (_, log) = play_match(fresh(), seed);
        let mut play = fresh();
        for (number, entry) in log.iter().enumerate() {
            play = replay(play, &log[number..=number]);
            let position = play.position().unwrap();
            if number % 5 != 0 {
                continue;
            }
            let start = Start {
                variant: Some(variant),
                position: Some(&position),
                seed: "",
            };
            let answer = game.analyze(&Question {
                start,
                ..Question::default()
            });
            let answer = answer.unwrap_or_else(|error| panic!("{entry:?}: {error}"));
            match play.step() {
                Step::Decide(seat) => {
                    assert_eq!(
                        (&answer.position, answer.seat),
                        (&position, Some(play.side(seat)))
                    );
                    assert_eq!(answer.legal, play.legal_actions());
                    assert_eq!(
                        (answer.offers, answer.rolled),
                        (play.offers(), play.rolled())
                    );
                }
                Step::Pass(seat) => assert_eq!(answer.passes[0], play.side(seat)),
                Step::Chance => assert!(!answer.rolls.is_empty()),
                Step::Score(outcome) => {
                    let answered = answer.outcome.unwrap();
                    assert_eq!(answered.winner, outcome.winner.map(|seat| play.side(seat)));
                    assert_eq!(
                        (answered.points, answered.reason),
                        (outcome.points, outcome.reason)
                    );
                }
                Step::Deal | Step::Over { .. } => {}
            }
        }
    });
}

#[test]
fn steps_out_of_turn_and_odd_texts_are_refused() {
    for game in catalogue::GAMES {
        let least = game.variants()[0].targets.usual[0];
        let mut play = game.new_match(None, least).unwrap();
        assert_eq!(play.play("a1a2"), Err(PlayError::OutOfStep));
        assert_eq!(play.pass(), Err(PlayError::OutOfStep));
        assert_eq!(play.roll("3-1"), Err(PlayError::OutOfStep));
        assert_eq!(play.score_game(), Err(PlayError::OutOfStep));
        assert!(matches!(
            play.begin_game("?"),
            Err(PlayError::UnreadablePosition(_))
        ));
        let opening = play.deal(&mut Draws::from_text("").deal(1));
        play.begin_game(&opening).unwrap();
        assert_eq!(play.begin_game(&opening), Err(PlayError::OutOfStep));
        while play.step() == Step::Chance {
            let number = play.rolls() + 1;
            let roll = play.draw(&mut Draws::from_text("").roll(1, number));
            play.roll(&roll).unwrap();
        }
        let before = play.position();
        assert!(matches!(
            play.play("?"),
            Err(PlayError::UnreadableAction(_))
        ));
        assert_eq!(play.position(), before);
    }
}
