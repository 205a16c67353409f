//! Counts of our own, so that a change is seen. A roll is a step, and the order of two dice makes
//! no difference after the opening.

use dragontooth_games::backgammon::Position;
use dragontooth_games::perft::perft;

use crate::play::{read, rows};

#[test]
fn lines_are_as_many_as_before() {
    for [start, counts] in rows(include_str!("data/counts.txt"), " | ") {
        let position: Position = read(start);
        for (depth, lines) in (1..).zip(counts.split(' ')) {
            assert_eq!(perft(position, depth).to_string(), lines, "{start} {depth}");
        }
    }
}
