//! The search on Linja.

use dragontooth_bots_builtin::linja::LinjaEvaluation;
use dragontooth_bots_builtin::search::{
    Evaluation as _, RealTime, SearchLimits, SearchResult, TreeSearch, Value,
};
use dragontooth_games::linja::{Action, Position};
use dragontooth_games::{Position as _, Seat, Turn};

use super::plain::minimax;
use crate::positions;

/// Largest size of the game trees searched by plain minimax, in positions.
const TREE_MAX: u32 = 5_000;

/// Random games in which seats act twice in a row, have extra turns and pass.
fn games() -> Vec<Position> {
    positions::of_games("linja", "random", 40)
}

/// The positions with a choice whose game trees are not too large.
fn late_positions() -> Vec<Position> {
    let mut late = games();
    late.retain(|position| {
        let mut left = TREE_MAX;
        position.count_legal() > 1 && fits(position, &mut left)
    });
    late
}

fn fits(position: &Position, left: &mut u32) -> bool {
    let Some(less) = left.checked_sub(1) else {
        return false;
    };
    *left = less;
    let mut position = *position;
    position.settle();
    position.legal_actions().into_iter().all(|action| {
        let mut next = position;
        next.play_unchecked(action);
        fits(&next, left)
    })
}

fn find(position: &Position, limits: SearchLimits, table_bytes: usize) -> SearchResult<Action> {
    let mut search = TreeSearch::new(LinjaEvaluation::new(), table_bytes, None);
    let found = search.find(position, &limits, 1, &RealTime::start());
    found.unwrap()
}

#[test]
fn late_positions_are_searched_to_the_end() {
    let positions = late_positions();
    let mut values = Vec::new();
    for position in &positions {
        let Turn::Decide(seat) = position.turn() else {
            unreachable!("a seat decides")
        };
        let exact = minimax(position, seat, &LinjaEvaluation::new(), 0, u8::MAX);
        for table_bytes in [0, 128, 1 << 20] {
            let found = find(position, SearchLimits::NONE, table_bytes);
            assert_eq!(
                found.value,
                Some(exact),
                "{position} with {table_bytes} bytes"
            );
            let mut next = *position;
            next.play(found.action).unwrap();
            let of_action = minimax(&next, seat, &LinjaEvaluation::new(), 1, u8::MAX);
            assert_eq!(of_action, exact, "{position}: {}", found.action);
        }
        values.push(exact);
    }
    assert!(values.len() > 200, "{} positions", values.len());
    let drawn = values.iter().filter(|value| **value == Value::DRAW).count();
    assert!(drawn > 5, "{drawn} positions are drawn");
    assert!(values.iter().any(|value| value.won_gain().is_some()));
    assert!(values.iter().any(|value| (-*value).won_gain().is_some()));
}

/// There are at most as many actions to come as steps to go, so a search must not look further ahead than
/// that.
#[test]
fn a_search_that_has_seen_everything_ends() {
    for position in late_positions() {
        let steps = Seat::BOTH.map(|seat| {
            let rows = (0..8).zip(position.advance(seat));
            rows.map(|(row, count)| (7 - row) * count).sum::<u8>()
        });
        let found = find(&position, SearchLimits::NONE, 1 << 20);
        assert!(
            found.depth <= steps[0] + steps[1],
            "depth {} at {position}",
            found.depth
        );
    }
}

#[test]
fn wins_at_hand_are_wins() {
    let mut seen = 0;
    for position in games() {
        let Turn::Decide(seat) = position.turn() else {
            unreachable!("a seat decides")
        };
        let found = LinjaEvaluation::new().win_at_hand(&position, seat);
        let ends = position.legal_actions().into_iter().filter_map(|action| {
            let mut end = position;
            end.play_unchecked(action);
            match end.turn() {
                Turn::Chance => panic!("nothing is rolled in this game"),
                Turn::Over(outcome) if outcome.winner == Some(seat) => Some(outcome.points),
                Turn::Over(_) | Turn::Decide(_) | Turn::Pass(_) => None,
            }
        });
        assert_eq!(found, ends.max(), "{position}");
        seen += u32::from(found.is_some());
    }
    assert!(seen > 20, "{seen} wins at hand");
}

#[test]
fn the_evaluation_favours_the_side_that_is_ahead() {
    // Two stragglers less, and two pieces more on the target row.
    for (position, is_ahead) in [
        ("0,0,0,1,1,1,0,9/11,0,0,0,1,0,0,0 r 1", false),
        ("0,0,0,1,0,0,0,11/9,0,1,1,1,0,0,0 r 1", true),
    ] {
        let position: Position = position.parse().unwrap();
        let value = LinjaEvaluation::new().evaluate(&position, position.to_move());
        assert_eq!(value > 0, is_ahead, "{value} at {position}");
    }
}
