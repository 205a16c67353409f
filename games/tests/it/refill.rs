use dragontooth_games::chance::{Draws, SeededChance, shuffle};
use dragontooth_games::kamisado::{Colour, Position, Variant};
use dragontooth_games::match_play::{FinishedGame, Score, Target};
use dragontooth_games::{MatchPlay, Position as _, Seat, Turn};

use crate::play::{legal, outcome, play, position};
use crate::strategies::half_turn;

/// The rules page's example: brown (1,1), green (1,2), red (1,3), yellow (2,1), pink (2,2), purple
/// (2,3), orange (7,1), blue (8,1).
const EXAMPLE: &str = "l+7/o7/8/8/OLMPYRGB/8/ypm5/bgr5 b *";
const LEFT: &str = "OLMPYRGB/8/8/8/8/8/8/bgrypmol+ w -";
const RIGHT: &str = "OLMPYRGB/8/8/8/8/8/8/l+oypmbgr w -";

#[test]
fn both_ways_for_both_sides() {
    for (refill, expected) in [("left", LEFT), ("right", RIGHT)] {
        let (next, _) = play(position(EXAMPLE), refill);
        assert_eq!(next.to_string(), expected);
        let (next, _) = play(position(&half_turn(EXAMPLE)), refill);
        assert_eq!(next.to_string(), half_turn(expected));
    }
}

#[test]
fn the_winner_chooses_and_the_loser_opens() {
    let refill = position(EXAMPLE);
    assert_eq!(refill.turn(), Turn::Decide(Seat::First));
    assert_eq!(legal(&refill), "left right");
    let (next, _) = play(refill, "left");
    assert_eq!(next.turn(), Turn::Decide(Seat::Second));
}

/// Figure 7: a win, the tooth, the choice, the next game.
#[test]
fn a_win_is_followed_by_a_choice() {
    let (end, _) = play(Position::standard(), "d1d7 g8b3 b3d1");
    let refill = next_game(&end);
    assert_eq!(refill.to_string(), "OLMPYR1B/3y4/8/8/8/8/8/bgrG+pmlo w *");
    let (next, _) = play(refill, "left");
    // White's order: brown, red, yellow, pink, purple, blue, orange on row 1, green on row 8.
    assert_eq!(next.to_string(), "G+OLMPYRB/8/8/8/8/8/8/bgrpmloy b -");
    let (next, _) = play(refill, "right");
    assert_eq!(next.to_string(), "OLMPYRBG+/8/8/8/8/8/8/ybgrpmlo b -");
}

#[test]
fn a_deadlock_is_followed_by_a_choice() {
    let (end, _) = play(
        position("8/L4Gl1/8/rYOP1R2/b3pBm1/g1M5/3y3o/8 w l"),
        "a7a6 a3b4",
    );
    assert_eq!(
        next_game(&end).to_string(),
        "8/5Gl1/L7/rYOP1R+2/bg2pBm1/2M5/3y3o/8 w *"
    );
}

#[test]
fn after_a_push_the_tooth_follows_the_pushing_tower() {
    let start = position("8/G+1y+4L/5o+g+++l/R++2B+P+3/mrM5/4O1b+1/5Y2/6p++1 w r");
    let (end, _) = play(start, "a5a4");
    let expected = "8/G+1y++4L/5o+g+++l/3B+P+3/R++rM5/m3O1b+1/5Y2/6p++1 b *";
    assert_eq!(next_game(&end).to_string(), expected);
}

#[test]
fn the_standard_variant_draws_nothing() {
    assert_eq!(first(Variant::Standard, "a"), Position::standard());
    assert_eq!(
        Position::standard().to_string(),
        "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -"
    );
}

#[test]
fn the_random_variant_is_point_symmetric_and_follows_the_seed() {
    let mut different = Vec::new();
    for number in 0..40 {
        let seed = number.to_string();
        let start = first(Variant::Random, &seed);
        assert_eq!(start, first(Variant::Random, &seed));
        let turned = half_turn(&start.to_string());
        let by_turning = turned.split(' ').next().unwrap();
        let text = start.to_string();
        assert_eq!(text.split(' ').next().unwrap(), by_turning);
        assert!(text.ends_with(" b -"));
        if !different.contains(&text) {
            different.push(text);
        }
    }
    assert!(
        different.len() > 35,
        "40 seeds give {} starts",
        different.len()
    );
}

/// The shuffled towers are on Black's home row, starting from a1.
#[test]
fn the_random_variant_shuffles_the_colours_in_order() {
    let mut order = Colour::ALL;
    shuffle(&mut order, &mut chance("a seed"));
    let row: String = order.iter().map(|colour| colour.letter()).collect();
    let start = Position::first_game(Variant::Random, target(), &mut chance("a seed")).to_string();
    assert!(start.ends_with(&format!("/{row} b -")), "{start}");
}

fn first(variant: Variant, seed: &str) -> Position {
    Position::first_game(variant, target(), &mut chance(seed))
}

fn target() -> Target {
    Target::least::<Position>(Variant::Standard)
}

fn chance(seed: &str) -> SeededChance {
    Draws::from_text(seed).deal(1)
}

fn next_game(end: &Position) -> Position {
    let finished = FinishedGame {
        outcome: outcome(end),
        opener: Seat::First,
        game_number: 1,
        variant: Variant::Standard,
        target: target(),
        score: Score::ZERO,
    };
    end.next_game(&finished, &mut chance("unused"))
}
