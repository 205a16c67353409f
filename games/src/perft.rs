//! Counting lines of play: the standard test of a move generator.
//!
//! ```
//! use dragontooth_games::kamisado::Position;
//! use dragontooth_games::perft::{divide, perft};
//!
//! // Each of Black's eight towers can move straight ahead or along its diagonals.
//! assert_eq!(perft(Position::standard(), 1), 102);
//! let parts = divide(Position::standard(), 2);
//! let sum: u64 = parts.iter().map(|(_, lines)| lines).sum();
//! assert_eq!(sum, perft(Position::standard(), 2));
//! ```

use crate::{MatchPlay, Turn};

/// Counts the lines of play of exactly `depth` steps from `position`.
///
/// A step is an action, a roll (rolls that lead to the same position count once) or, where
/// [`MatchPlay::PASS_IS_A_STEP`] is set, a forced pass. Other passes are not counted. A game that
/// ends before `depth` contributes nothing.
#[must_use]
pub fn perft<P: MatchPlay>(mut position: P, depth: u32) -> u64 {
    count_lines(&mut position, depth)
}

/// Counts the lines of play of exactly `depth` steps for each legal action of `position`, after any
/// uncounted passes that are due. Empty at depth 0, and where the next step is not a decision: a
/// counted pass, a roll, or the end of the game.
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

/// Counts the lines from `position` and plays on it the passes that are due.
///
/// It takes a reference because copying a position right after changing it stalls until the change
/// has been written.
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
