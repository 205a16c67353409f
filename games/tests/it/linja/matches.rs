//! The opener of each game, and the end of a match with drawn games.

use dragontooth_games::Seat;
use dragontooth_games::catalogue;
use dragontooth_games::chance::Draws;
use dragontooth_games::match_play::{Match, Step};

use crate::strategies::Choices;

/// Games that are over when they start: drawn, won by Red, won by Black.
const DRAWN: &str = "0,0,0,0,6,0,0,6/6,0,0,6,0,0,0,0 r 1";
const RED_WINS: &str = "0,0,0,0,5,1,0,6/6,0,0,6,0,0,0,0 b 1";
const BLACK_WINS: &str = "0,0,0,0,6,0,0,6/6,0,1,5,0,0,0,0 b 1";

fn new_match(variant: &str, points: u32) -> Box<dyn Match> {
    let linja = catalogue::find("linja").unwrap();
    linja.new_match(Some(variant), points).unwrap()
}

fn play_games(points: u32, games: &[&str]) -> Box<dyn Match> {
    let mut linja = new_match("standard", points);
    for game in games {
        linja.begin_game(game).unwrap();
        linja.score_game().unwrap();
    }
    linja
}

fn deal(linja: &dyn Match, seed: &str) -> String {
    let number = linja.game_number() + 1;
    linja.deal(&mut Draws::from_text(seed).deal(number))
}

#[test]
fn a_drawn_game_is_worth_nothing() {
    let linja = play_games(1, &[DRAWN]);
    assert_eq!(linja.score().to_string(), "0-0");
    assert_eq!(linja.step(), Step::Deal);
    let linja = play_games(1, &[DRAWN, BLACK_WINS]);
    assert_eq!(linja.score().to_string(), "0-1");
    assert!(matches!(
        linja.step(),
        Step::Over {
            winner: Some(Seat::Second)
        }
    ));
}

#[test]
fn a_match_is_over_after_four_times_its_target_in_games() {
    for points in [1, 3, 7, 15] {
        let games = 4 * points as usize;
        let almost = play_games(points, &vec![DRAWN; games - 1]);
        assert_eq!(almost.step(), Step::Deal, "{points}");
        let drawn = play_games(points, &vec![DRAWN; games]);
        assert!(matches!(drawn.step(), Step::Over { winner: None }));
        assert!(drawn.clone().begin_game(DRAWN).is_err());

        let mut won = vec![DRAWN; games];
        won[0] = RED_WINS;
        let won = play_games(if points == 1 { 3 } else { points }, &won);
        if points > 1 {
            assert!(matches!(
                won.step(),
                Step::Over {
                    winner: Some(Seat::First)
                }
            ));
        }
        let mut even = vec![DRAWN; games];
        even[games - 1] = BLACK_WINS;
        if points > 1 {
            even[0] = RED_WINS;
            let even = play_games(points, &even);
            assert_eq!(even.score().to_string(), "1-1");
            assert!(matches!(even.step(), Step::Over { winner: None }));
        }
    }
}

/// A point in the last game can still reach the target.
#[test]
fn the_last_game_may_decide() {
    let games = [DRAWN, DRAWN, DRAWN, BLACK_WINS];
    let linja = play_games(1, &games);
    assert!(matches!(
        linja.step(),
        Step::Over {
            winner: Some(Seat::Second)
        }
    ));
}

#[test]
fn seat_first_opens_the_first_game_and_is_red_in_all() {
    let mut linja = new_match("standard", 3);
    let start = deal(&*linja, "");
    assert_eq!(start, "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1");
    linja.begin_game(&start).unwrap();
    assert_eq!(linja.step(), Step::Decide(Seat::First));
    for _ in 0..3 {
        assert_eq!(Seat::BOTH.map(|seat| linja.side(seat)), Seat::BOTH);
        linja = play_games(3, &[RED_WINS, DRAWN]);
    }
}

#[test]
fn the_random_variant_draws_the_opener() {
    let linja = new_match("random", 1);
    let openers: Vec<bool> = (0..200)
        .map(|number| deal(&*linja, &format!("seed {number}")).ends_with(" r 1"))
        .collect();
    let red = openers.iter().filter(|red| **red).count();
    assert!((60..140).contains(&red), "{red} of 200");
    assert_eq!(deal(&*linja, "seed 7"), deal(&*linja, "seed 7"));
}

/// In whole matches the loser opens the next game, and after a draw the opener changes.
#[test]
fn openers_follow_from_the_last_game() {
    let mut seen = [0; 3];
    for number in 0..150 {
        let variant = if number % 2 == 0 {
            "standard"
        } else {
            "random"
        };
        let mut choices = Choices::new(number);
        let mut linja = new_match(variant, 7);
        let mut last: Option<(Seat, Option<Seat>)> = None;
        let mut opener = Seat::First;
        loop {
            match linja.step() {
                Step::Chance => panic!("nothing is rolled in this game"),
                Step::Deal => {
                    let opening = deal(&*linja, &format!("{number}"));
                    linja.begin_game(&opening).unwrap();
                    let Step::Decide(seat) = linja.step() else {
                        panic!("{opening}")
                    };
                    opener = seat;
                    match last {
                        Some((_, Some(winner))) => assert_eq!(opener, winner.other()),
                        Some((before, None)) => assert_eq!(opener, before.other()),
                        None if variant == "standard" => assert_eq!(opener, Seat::First),
                        None => {}
                    }
                }
                Step::Decide(_) => {
                    let legal = linja.legal_actions();
                    linja.play(&legal[choices.below(legal.len())]).unwrap();
                }
                Step::Pass(_) => linja.pass().unwrap(),
                Step::Score(outcome) => {
                    last = Some((opener, outcome.winner));
                    seen[outcome.winner.map_or(2, Seat::index)] += 1;
                    linja.score_game().unwrap();
                }
                Step::Over { .. } => break,
            }
        }
    }
    assert!(seen.iter().all(|games| *games > 10), "{seen:?}");
}
