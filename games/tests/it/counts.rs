//! The numbers of positions from the rules page. Depth 8 and the games that end there
//! are counted by `benches/kamisado_census.rs`.

use dragontooth_games::kamisado::Position;
use dragontooth_games::perft::{divide, perft};

use crate::play::{play, position};

const FROM_START: [u64; 7] = [1, 102, 1_150, 11_332, 107_068, 928_716, 7_690_460];

#[test]
fn perft_from_the_start_gives_the_published_numbers() {
    for (depth, lines) in (0..).zip(FROM_START) {
        assert_eq!(perft(Position::standard(), depth), lines, "depth {depth}");
    }
}

#[test]
fn the_parts_of_a_division_add_up() {
    for (depth, lines) in (1..).zip(&FROM_START[1..6]) {
        let parts = divide(Position::standard(), depth);
        assert_eq!(parts.len(), 102);
        assert_eq!(
            parts.iter().map(|(_, lines)| lines).sum::<u64>(),
            *lines,
            "depth {depth}"
        );
    }
    assert!(divide(Position::standard(), 0).is_empty());
}

#[test]
fn a_refill_is_a_step_with_two_choices() {
    let refill = position("l+7/o7/8/8/OLMPYRGB/8/ypm5/bgr5 b *");
    assert_eq!(perft(refill, 1), 2);
    assert!(
        perft(refill, 2) > 102,
        "two openings with more than fifty moves each"
    );
}

#[test]
fn a_game_that_is_over_has_no_lines() {
    let (over, _) = play(Position::standard(), "d1d7 g8b3 b3d1");
    assert_eq!(perft(over, 0), 1);
    assert_eq!(perft(over, 1), 0);
    assert!(divide(over, 3).is_empty());
}
