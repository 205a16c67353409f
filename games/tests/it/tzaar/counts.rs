//! The numbers of the rules page.

use dragontooth_games::perft::{divide, perft};
use dragontooth_games::tzaar::Position;

use crate::play::read;

const FIXED: &str = "ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o";
const FROM_FIXED: [u64; 4] = [1, 42, 1_797, 260_556];

#[test]
fn perft_from_the_fixed_start_gives_the_published_numbers() {
    assert_eq!(Position::fixed(), read(FIXED));
    for (depth, lines) in (0..).zip(FROM_FIXED) {
        assert_eq!(perft(Position::fixed(), depth), lines, "depth {depth}");
    }
}

#[test]
fn the_parts_of_a_division_add_up() {
    for (depth, lines) in (1..).zip(&FROM_FIXED[1..]) {
        let parts = divide(Position::fixed(), depth);
        assert_eq!(parts.len(), 42);
        let sum: u64 = parts.iter().map(|(_, lines)| lines).sum();
        assert_eq!(sum, *lines, "depth {depth}");
    }
}
