//! Counting the lines of play: the standard test of a move generator.

use crate::{MatchPlay, Turn};

/// The number of lines of exactly `depth` steps from `position`.
///
/// A step is an action, a roll of chance (each that makes a difference once), and a forced pass where [`MatchPlay::PASS_IS_A_STEP`]; other passes are
/// silent. A game that has ended contributes nothing at a greater depth.
#[must_use]
pub fn perft<P: MatchPlay>(mut position: P, depth: u32) -> u64 {
    count_lines(&mut position, depth)
}

/// The number of lines of exactly `depth` steps for each legal action of `position`, after the
/// silent passes that are due. Empty at depth 0, where no seat decides, and where the step that is
/// due is a pass or a roll.
#[must_use]
pub fn divide<P: MatchPlay>(mut position: P, depth: u32) -> Vec<(P::Action, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    if !P::PASS_IS_A_STEP {
        position.settle();
    }
    let mut parts = Vec::new();
    position.for_each_legal(|action| {
        let mut next = position;
        next.play_unchecked(action);
        parts.push((action, count_lines(&mut next, depth - 1)));
    });
    parts
}

/// Counts from `position`, which it leaves with the passes played that were due. It is handed on
/// by reference because a copy right after a change waits for the change to be written.
fn count_lines<P: MatchPlay>(position: &mut P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    loop {
        match position.turn() {
            Turn::Decide(_) => break,
            Turn::Over(_) => return 0,
            Turn::Chance => {
                let mut lines = 0;
                position.for_each_roll(|roll, _| {
                    let mut next = *position;
                    next.roll(roll);
                    lines += count_lines(&mut next, depth - 1);
                });
                return lines;
            }
            Turn::Pass(_) => {
                position.pass();
                if P::PASS_IS_A_STEP {
                    return count_lines(position, depth - 1);
                }
            }
        }
    }
    if depth == 1 {
        return position.count_legal() as u64;
    }
    let mut lines = 0;
    position.for_each_legal(|action| {
        let mut next = *position;
        next.play_unchecked(action);
        lines += count_lines(&mut next, depth - 1);
    });
    lines
}
