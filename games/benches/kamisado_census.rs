//! Counts the numbers of the rules page that take too long for the tests: the won and the deadlocked
//! positions after eight moves. Every position is created one by one, so the time is also that of a
//! search that cannot count in bulk.

use std::time::Instant;

use dragontooth_games::kamisado::{DEADLOCK, HOME_ROW, Position};
use dragontooth_games::{Position as _, Turn};

const DEPTH: u32 = 8;
const EXPECTED: Census = Census {
    positions: 434_946_528,
    won: 17_302_836,
    deadlocked: 57_970,
};

#[derive(Debug, Default, PartialEq)]
struct Census {
    positions: u64,
    won: u64,
    deadlocked: u64,
}

#[expect(
    clippy::print_stdout,
    reason = "the measurement is the program's output"
)]
fn main() {
    let start = Instant::now();
    let mut census = Census::default();
    count(&mut Position::standard(), DEPTH, &mut census);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(census, EXPECTED);
    println!(
        "depth {DEPTH}: {} positions, {} won, {} deadlocked, made one by one in {seconds:.1} s",
        census.positions, census.won, census.deadlocked
    );
}

fn count(position: &mut Position, depth: u32, census: &mut Census) {
    position.settle();
    if depth > 0 {
        position.for_each_legal(|action| {
            let mut next = *position;
            next.play_unchecked(action);
            count(&mut next, depth - 1, census);
        });
        return;
    }
    census.positions += 1;
    match position.turn() {
        Turn::Over(outcome) if outcome.reason == HOME_ROW => census.won += 1,
        Turn::Over(outcome) if outcome.reason == DEADLOCK => census.deadlocked += 1,
        Turn::Over(_) | Turn::Decide(_) | Turn::Pass(_) | Turn::Chance => {}
    }
}
