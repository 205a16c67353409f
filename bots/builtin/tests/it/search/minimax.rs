//! The search returns the values of plain minimax, with a table of any size and without one.

use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
use dragontooth_bots_builtin::linja::LinjaEvaluation;
use dragontooth_bots_builtin::search::{Evaluation, RealTime, SearchLimits, TreeSearch, Value};
use dragontooth_bots_builtin::tzaar::TzaarEvaluation;
use dragontooth_games::{Position, linja, tzaar};

use super::plain::minimax;
use super::sticks::{Lead, Sticks};
use crate::positions;

/// No table, one of a few buckets, where entries are always replaced, and one with room for all.
const TABLE_BYTES: [usize; 3] = [0, 128, 1 << 20];

#[test]
fn values_are_those_of_plain_minimax() {
    for heap in 2..=24 {
        let position = Sticks::new(heap);
        for depth in 1..=9 {
            compare(&position, Lead, depth);
        }
    }
}

#[test]
fn values_are_those_of_plain_minimax_at_kamisado() {
    for position in positions::of_matches(6) {
        let depth = if position.count_legal() > 20 { 1 } else { 3 };
        for depth in 1..=depth {
            compare(&position, KamisadoEvaluation::new(15), depth);
        }
    }
}

#[test]
fn values_are_those_of_plain_minimax_at_linja() {
    let positions: Vec<linja::Position> = positions::of_games("linja", "random", 6);
    for position in positions {
        for depth in 1..=4 {
            compare(&position, LinjaEvaluation::new(), depth);
        }
    }
}

#[test]
fn values_are_those_of_plain_minimax_at_tzaar() {
    let positions: Vec<tzaar::Position> = positions::of_games("tzaar", "random", 3);
    for position in positions {
        let depth = if position.count_legal() > 20 { 2 } else { 3 };
        for depth in 1..=depth {
            compare(&position, TzaarEvaluation::new(), depth);
        }
    }
}

#[test]
fn tables_change_no_value() {
    for position in positions::of_matches(4) {
        let value = |bytes| {
            let mut search = TreeSearch::new(KamisadoEvaluation::new(15), bytes, None);
            value(&mut search, &position, 5)
        };
        let [without, small, large] = TABLE_BYTES.map(value);
        assert_eq!(without, small, "{position}");
        assert_eq!(without, large, "{position}");
    }
}

fn compare<P: Position, E: Evaluation<P> + Copy>(position: &P, evaluation: E, depth: u8) {
    let mut settled = *position;
    settled.settle();
    let dragontooth_games::Turn::Decide(seat) = settled.turn() else {
        return;
    };
    if settled.count_legal() == 1 {
        return;
    }
    for bytes in TABLE_BYTES {
        let mut search = TreeSearch::new(evaluation, bytes, None);
        let Some(found) = search.find(
            &settled,
            &SearchLimits {
                depth,
                ..SearchLimits::NONE
            },
            u64::from(depth),
            &RealTime::start(),
        ) else {
            panic!("no action at {settled}")
        };
        // A search that has found a decision does not search deeper.
        let plain = minimax(&settled, seat, &evaluation, 0, found.depth);
        assert_eq!(
            found.value,
            Some(plain),
            "{settled} at depth {depth} with {bytes} bytes"
        );
        assert_eq!(found.line[0], found.action);
        assert!(found.line.len() <= usize::from(found.depth), "{settled}");
        let mut next = settled;
        for (played, action) in (1..).zip(&found.line) {
            next.settle();
            next.play(*action).unwrap();
            let of_line = minimax(&next, seat, &evaluation, played, found.depth - played);
            assert_eq!(
                of_line, plain,
                "{settled}: {action} in {:?} at depth {depth} with {bytes} bytes",
                found.line
            );
        }
    }
}

fn value<P: Position, E: Evaluation<P>>(
    search: &mut TreeSearch<P, E>,
    position: &P,
    depth: u8,
) -> Option<Value> {
    search
        .find(
            position,
            &SearchLimits {
                depth,
                ..SearchLimits::NONE
            },
            1,
            &RealTime::start(),
        )?
        .value
}
