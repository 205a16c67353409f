//! The setups, the sides, and the targets of a match.

use std::collections::HashSet;

use dragontooth_games::Seat;
use dragontooth_games::analysis::{Question, Start};
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step, Targets};
use dragontooth_games::tzaar::Position;

use crate::play::read;
use crate::strategies::Choices;

const FIXED: &str = "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o";
const EMPTY: &str = "...../....../......./......../......../......../......./....../..... w p";
/// Games that are over when they start: won by White, won by Black.
const WHITE_WINS: &str = "Z..../....../......./......../T......R/......../r....../....../....z w 2";
const BLACK_WINS: &str = "Z..../....../......t/......../T......./......../r....../....../....z w 1";

fn new_match(variant: Option<&str>, points: u32) -> Box<dyn Match> {
    let tzaar = catalogue::find("tzaar").unwrap();
    tzaar.new_match(variant, points).unwrap()
}

fn deal(tzaar: &dyn Match, seed: &str) -> String {
    let number = tzaar.game_number() + 1;
    tzaar.deal(&mut Draws::from_text(seed).deal(number))
}

/// Plays random actions to the end of the game and returns the winner.
fn play_game(tzaar: &mut dyn Match, choices: &mut Choices) -> Seat {
    loop {
        match tzaar.step() {
            Step::Decide(_) => {
                let legal = tzaar.legal_actions();
                tzaar.play(&legal[choices.below(legal.len())]).unwrap();
            }
            Step::Score(outcome) => {
                tzaar.score_game().unwrap();
                return outcome.winner.unwrap();
            }
            step @ (Step::Deal | Step::Chance | Step::Pass(_) | Step::Over { .. }) => {
                panic!("{step:?}")
            }
        }
    }
}

#[test]
fn the_variants_and_targets_are_those_of_the_rules_page() {
    let tzaar = catalogue::find("tzaar").unwrap();
    let variants: Vec<&str> = tzaar.variants().iter().map(|v| v.name).collect();
    assert_eq!(variants, ["random", "fixed", "tournament"]);
    assert!(
        tzaar
            .variants()
            .iter()
            .all(|v| v.targets == Targets::STANDARD)
    );
    assert_eq!(new_match(None, 1).variant(), "random");
    for points in [0, 2, 5, 16] {
        assert!(tzaar.new_match(None, points).is_err(), "{points}");
    }
}

#[test]
fn fixed_and_empty_starts_are_the_same_in_every_game() {
    for (variant, start) in [("fixed", FIXED), ("tournament", EMPTY)] {
        let mut tzaar = new_match(Some(variant), 7);
        let mut choices = Choices::new(1);
        for _ in 0..5 {
            let opening = deal(&*tzaar, "any");
            assert_eq!(opening, start);
            tzaar.begin_game(&opening).unwrap();
            play_game(&mut *tzaar, &mut choices);
        }
    }
}

#[test]
fn every_shuffled_game_has_its_own_shuffle() {
    let mut tzaar = new_match(Some("random"), 15);
    let mut choices = Choices::new(2);
    let mut starts = HashSet::new();
    for _ in 0..10 {
        let opening = deal(&*tzaar, "seed");
        assert_eq!(opening, deal(&*tzaar, "seed"));
        assert_ne!(opening, deal(&*tzaar, "another seed"));
        let position: Position = read(&opening);
        assert!(position.free().is_empty() && opening.ends_with(" w o"));
        assert!(starts.insert(opening.clone()), "{opening} again");
        tzaar.begin_game(&opening).unwrap();
        play_game(&mut *tzaar, &mut choices);
    }
}

/// Every piece appears on every point, and every start has a capture.
#[test]
fn shuffles_are_fair() {
    let mut tally: Vec<[u32; 6]> = vec![[0; 6]; 60];
    for number in 0..6_000 {
        let draws = Draws::from_text(&format!("fair {number}"));
        let start = Position::random(&mut draws.deal(1));
        assert!(start.has_capture(Seat::First), "{start}");
        let letters = start.to_string();
        let letters = letters.split(' ').next().unwrap().replace('/', "");
        for (point, letter) in letters.chars().enumerate() {
            tally[point]["zrtZRT".find(letter).unwrap()] += 1;
        }
    }
    let expected = [600.0, 900.0, 1_500.0, 600.0, 900.0, 1_500.0];
    for (point, counts) in tally.into_iter().enumerate() {
        let deviation =
            |(count, expected): (u32, f64)| (f64::from(count) - expected).powi(2) / expected;
        let chi_squared: f64 = counts.into_iter().zip(expected).map(deviation).sum();
        // Five degrees of freedom: above 30 for one point in 70,000.
        assert!(chi_squared < 30.0, "point {point}: {counts:?}");
    }
}

#[test]
fn white_begins_every_game_and_changes_sides() {
    for variant in ["random", "fixed", "tournament"] {
        let mut tzaar = new_match(Some(variant), 15);
        let mut choices = Choices::new(3);
        assert_eq!(Seat::BOTH.map(|seat| tzaar.side(seat)), Seat::BOTH);
        for game in 1..=12 {
            let opening = deal(&*tzaar, "sides");
            assert!(opening.contains(" w "), "{opening}");
            tzaar.begin_game(&opening).unwrap();
            let white = if game % 2 == 1 {
                Seat::First
            } else {
                Seat::Second
            };
            assert_eq!(tzaar.step(), Step::Decide(white), "game {game}");
            assert_eq!(tzaar.side(white), Seat::First);
            assert_eq!(tzaar.side(white.other()), Seat::Second);
            let before = tzaar.score();
            let winner = play_game(&mut *tzaar, &mut choices);
            assert_eq!(tzaar.score().of(winner), before.of(winner) + 1);
            assert_eq!(tzaar.score().of(winner.other()), before.of(winner.other()));
        }
    }
}

/// The same position is won by the same side, which is a different seat in the second game.
#[test]
fn the_point_goes_to_the_seat_that_has_the_side() {
    let mut tzaar = new_match(Some("fixed"), 3);
    for (position, score) in [
        (WHITE_WINS, "1-0"),
        (WHITE_WINS, "1-1"),
        (BLACK_WINS, "1-2"),
        (BLACK_WINS, "2-2"),
        (WHITE_WINS, "3-2"),
    ] {
        assert_eq!(tzaar.step(), Step::Deal);
        tzaar.begin_game(position).unwrap();
        tzaar.score_game().unwrap();
        assert_eq!(tzaar.score().to_string(), score);
    }
    assert!(matches!(
        tzaar.step(),
        Step::Over {
            winner: Some(Seat::First)
        }
    ));
}

/// Both actions of a turn are decisions of the same seat, also in swapped games.
#[test]
fn a_seat_decides_twice_in_a_turn() {
    let mut tzaar = new_match(Some("fixed"), 3);
    tzaar.begin_game(BLACK_WINS).unwrap();
    tzaar.score_game().unwrap();
    tzaar.begin_game(FIXED).unwrap();
    assert_eq!(tzaar.step(), Step::Decide(Seat::Second), "White");
    tzaar.play("d3xc3").unwrap();
    assert_eq!(tzaar.step(), Step::Decide(Seat::First), "Black");
    let first = tzaar.legal_actions()[0].clone();
    tzaar.play(&first).unwrap();
    assert_eq!(tzaar.step(), Step::Decide(Seat::First), "Black again");
    tzaar.play("-").unwrap();
    assert_eq!(tzaar.step(), Step::Decide(Seat::Second), "White");
}

#[test]
fn an_analysis_starts_from_each_setup() {
    let tzaar = catalogue::find("tzaar").unwrap();
    for (variant, legal) in [(Some("fixed"), 42), (Some("tournament"), 180)] {
        let start = Start {
            variant,
            ..Start::default()
        };
        let answer = tzaar.analyze(&Question {
            start,
            ..Question::default()
        });
        assert_eq!(answer.unwrap().legal.len(), legal);
    }
}
