//! The numbers of the rules page.

use dragontooth_games::linja::Position;
use dragontooth_games::perft::{divide, perft};
use dragontooth_games::{Position as _, Seat};

use crate::play::{legal, read};

const FROM_START: [u64; 7] = [1, 7, 43, 301, 1_849, 10_361, 54_706];

#[test]
fn perft_from_the_start_gives_the_published_numbers() {
    for opener in Seat::BOTH {
        for (depth, lines) in (0..).zip(FROM_START) {
            let start = Position::start(opener);
            assert_eq!(perft(start, depth), lines, "{opener} opens, depth {depth}");
        }
    }
}

#[test]
fn the_parts_of_a_division_add_up() {
    let start = Position::start(Seat::First);
    for (depth, lines) in (1..).zip(&FROM_START[1..]) {
        let parts = divide(start, depth);
        assert_eq!(parts.len(), 7);
        let sum: u64 = parts.iter().map(|(_, lines)| lines).sum();
        assert_eq!(sum, *lines, "depth {depth}");
    }
}

#[test]
fn a_forced_pass_is_a_step() {
    let stuck: Position = read("0,0,0,0,0,6,0,6/0,0,0,0,0,0,6,6 r 1");
    assert_eq!(perft(stuck, 0), 1);
    assert_eq!(perft(stuck, 1), 0, "neither side can move");
    let waiting: Position = read("0,0,0,0,0,0,0,12/0,0,0,0,0,0,5,7 r 1");
    assert_eq!(perft(waiting, 1), 1, "Red passes");
    assert_eq!(perft(waiting, 2), 2, "7>6 and 6>5");
    assert!(divide(waiting, 2).is_empty());
}

#[test]
fn the_test_position_of_the_rules_page() {
    let mut position: Position = read("5,0,1,2,2,1,1,0/0,1,2,2,2,0,0,5 r 1");
    assert_eq!(legal(&position), "0>1 2>3 3>4 4>5 5>6 6>7");
    position.play("2>3".parse().unwrap()).unwrap();
    assert_eq!(
        position.to_string(),
        "5,0,0,3,2,1,1,0/0,1,2,2,2,0,0,5 r 2:4"
    );
    assert_eq!(legal(&position), "0>4 3>7 4>7 5>7 6>7");
}
