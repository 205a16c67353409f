//! Searches end at their limits, and their results depend on these alone.

use std::cell::Cell;
use std::time::Duration;

use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
use dragontooth_bots_builtin::search::{RealTime, SearchLimits, Stopwatch, TreeSearch};
use dragontooth_games::Position as _;
use dragontooth_games::kamisado::Position;

use crate::positions;

fn search() -> TreeSearch<Position, KamisadoEvaluation> {
    TreeSearch::new(KamisadoEvaluation::new(15), 1 << 20, None)
}

/// A stopwatch on which a millisecond passes between two looks.
#[derive(Default)]
struct Looks(Cell<u32>);

impl Stopwatch for Looks {
    fn elapsed(&self) -> Duration {
        self.0.set(self.0.get() + 1);
        Duration::from_millis(u64::from(self.0.get()))
    }
}

#[test]
fn no_time_is_enough_for_a_legal_action() {
    let limits = SearchLimits {
        time: Some(Duration::ZERO),
        ..SearchLimits::NONE
    };
    for position in positions::of_matches(4) {
        let found = search()
            .find(&position, &limits, 1, &RealTime::start())
            .unwrap();
        position.check(found.action).unwrap();
        assert_eq!((found.value, found.depth, found.nodes), (None, 0, 0));
    }
}

#[test]
fn looks_at_the_stopwatch_end_a_search() {
    let limits = SearchLimits {
        time: Some(Duration::from_millis(10)),
        ..SearchLimits::NONE
    };
    let looks = Looks::default();
    let found = search()
        .find(&Position::standard(), &limits, 1, &looks)
        .unwrap();
    assert_eq!(looks.0.get(), 10);
    // There is a look every 256 positions, the first before the first of them.
    assert_eq!(found.nodes, 9 * 256);
}

#[test]
fn node_limits_are_kept() {
    for nodes in [1, 2, 101, 102, 103, 5000] {
        let limits = SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::NONE
        };
        let found = search()
            .find(&Position::standard(), &limits, 1, &RealTime::start())
            .unwrap();
        assert_eq!(found.nodes, nodes);
    }
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let limits = SearchLimits {
        nodes: Some(2000),
        ..SearchLimits::NONE
    };
    let mut used = search();
    for (seed, position) in (0..).zip(positions::of_matches(3)) {
        let first = used.find(&position, &limits, seed, &RealTime::start());
        let again = used.find(&position, &limits, seed, &RealTime::start());
        let fresh = search().find(&position, &limits, seed, &RealTime::start());
        assert_eq!(first, again, "{position}");
        assert_eq!(first, fresh, "{position}");
    }
}

#[test]
fn seeds_choose_among_equals() {
    let limits = SearchLimits {
        nodes: Some(20_000),
        ..SearchLimits::NONE
    };
    let mut search = search();
    let actions: Vec<String> = (0..8)
        .map(|seed| {
            search
                .find(&Position::standard(), &limits, seed, &RealTime::start())
                .unwrap()
        })
        .map(|found| found.action.to_string())
        .collect();
    assert!(
        actions.iter().any(|action| *action != actions[0]),
        "{actions:?}"
    );
}

#[test]
fn nothing_is_found_where_nothing_is_to_be_decided() {
    let over: Position = "8/5Gl1/L7/rYOP1R2/bg2pBm1/2M5/3y3o/8 w r".parse().unwrap();
    let due_to_pass: Position = {
        let mut position = Position::standard();
        position.play("d1d7".parse().unwrap()).unwrap();
        position.play("g8b3".parse().unwrap()).unwrap();
        position
    };
    for position in [over, due_to_pass] {
        assert_eq!(
            search().find(&position, &SearchLimits::NONE, 1, &RealTime::start()),
            None
        );
    }
}
