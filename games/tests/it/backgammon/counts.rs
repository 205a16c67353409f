//! Our own counts, to detect changes. A roll is a step, and the order of two dice makes
//! no difference after the opening.

use dragontooth_games::backgammon::Position;
use dragontooth_games::perft::perft;

use crate::play::{read, rows};

#[test]
fn line_counts_do_not_change() {
    for [start, counts] in rows(include_str!("data/counts.txt"), " | ") {
        let position: Position = read(start);
        for (depth, lines) in (1..).zip(counts.split(' ')) {
            assert_eq!(perft(position, depth).to_string(), lines, "{start} {depth}");
        }
    }
}
