//! The bots on TZAAR.

use dragontooth_bots_builtin::search::{Evaluation as _, RealTime, SearchLimits, TreeSearch};
use dragontooth_bots_builtin::tzaar::TzaarEvaluation;
use dragontooth_games::tzaar::{Action, BURIED_KIND, Due, LOST_KIND, Position};
use dragontooth_games::{GameOutcome, Position as _, Turn};

use crate::engines::{make_for, untimed};
use crate::positions;

/// Positions of random games after the placements.
fn games(count: u64) -> Vec<Position> {
    positions::of_games("tzaar", "random", count)
}

fn outcome_of(position: &Position, action: Action) -> Option<GameOutcome> {
    let mut end = *position;
    end.play_unchecked(action);
    match end.turn() {
        Turn::Chance => panic!("nothing is rolled in this game"),
        Turn::Over(outcome) => Some(outcome),
        Turn::Decide(_) | Turn::Pass(_) => None,
    }
}

#[test]
fn no_last_unit_of_a_kind_is_buried() {
    let mut positions = games(150);
    positions.retain(|position| {
        let mut actions = position.legal_actions().into_iter();
        actions.any(|action| outcome_of(position, action).is_some_and(|o| o.reason == BURIED_KIND))
    });
    assert!(positions.len() > 20, "{} positions", positions.len());
    for spec in ["greedy", "alphabeta:nodes=200", "alphabeta:depth=2"] {
        let mut bot = make_for("tzaar", spec);
        for position in &positions {
            let choice = bot.choose(&position.to_string(), &untimed(1)).unwrap();
            let outcome = outcome_of(position, choice.parse().unwrap());
            assert!(
                outcome.is_none_or(|outcome| outcome.reason != BURIED_KIND),
                "{spec}: {choice} at {position}"
            );
        }
    }
}

#[test]
fn wins_at_hand_are_captures_of_a_last_unit() {
    let mut seen = 0;
    for position in games(100) {
        let seat = position.to_move();
        let mut actions = position.legal_actions().into_iter();
        let is_there = actions.any(|action| {
            outcome_of(&position, action)
                .is_some_and(|o| o.reason == LOST_KIND && o.winner == Some(seat))
        });
        let found = TzaarEvaluation::new().win_at_hand(&position, seat);
        assert_eq!(found, is_there.then_some(1), "{position}");
        seen += u32::from(is_there);
    }
    assert!(seen > 20, "{seen} wins at hand");
}

/// The same position with the colours swapped, and so with the other side to move; `None` if it cannot occur,
/// because White has captured once more.
fn changed_colours(position: &Position) -> Option<Position> {
    let text = position.to_string();
    let [board, side, due] = text.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let board: String = board.chars().map(changed_case).collect();
    let side = if side == "w" { "b" } else { "w" };
    format!("{board} {side} {due}").parse().ok()
}

#[test]
fn colours_change_no_value() {
    let value = |position: &Position| TzaarEvaluation::new().evaluate(position, position.to_move());
    let mut seen = 0;
    for position in games(30) {
        if let Some(changed) = changed_colours(&position) {
            assert_eq!(value(&position), value(&changed), "{position}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} positions");
}

fn changed_case(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

#[test]
fn placements_are_made_at_once() {
    let decisions = positions::of_match("tzaar", "tournament", 1, 1);
    for decision in &decisions[..60] {
        let position: Position = decision.position.parse().unwrap();
        assert_eq!(position.due(), Due::Placement);
        let mut search = TreeSearch::new(TzaarEvaluation::new(), 0, None);
        let found = search.find(&position, &SearchLimits::NONE, 1, &RealTime::start());
        let found = found.unwrap();
        // One check of the clock at each, and none at a single one.
        let count = decision.legal.len() as u64;
        let nodes = if count == 1 { 0 } else { count };
        assert_eq!((found.nodes, found.depth), (nodes, u8::from(count > 1)));
    }
}
