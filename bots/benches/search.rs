//! How fast the search is at Kamisado on one core: positions visited, counted as its node limit
//! counts them.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_bots::kamisado::KamisadoEvaluation;
use dragontooth_bots::search::{Limits, RealTime, SplitMix64, TreeSearch};
use dragontooth_games::chance::Chance;
use dragontooth_games::kamisado::{Position, Variant};
use dragontooth_games::{MatchPlay as _, Position as _};

/// Positions that are searched in one measurement.
const POSITIONS: usize = 16;
/// Random actions before each of them at most.
const ACTIONS_BEFORE_MAX: usize = 6;
/// The node limit of a decision.
const NODES: u64 = 100_000;
/// The bytes of the table, as the bot has them if nothing is set.
const TABLE_BYTES: usize = 16 << 20;

fn search(criterion: &mut Criterion) {
    let positions = positions();
    let mut group = criterion.benchmark_group("search of 16 positions, 100,000 nodes each");
    group.sample_size(10);
    for (name, table_bytes) in [("with a table", TABLE_BYTES), ("without a table", 0)] {
        let evaluation = KamisadoEvaluation::new(3);
        let mut search = TreeSearch::new(evaluation, table_bytes, Some(NODES));
        let mut visit = || -> u64 { positions.iter().map(|p| nodes(&mut search, p)).sum() };
        group.throughput(Throughput::Elements(visit()));
        group.bench_function(name, |bencher| bencher.iter(&mut visit));
    }
    group.finish();
}

fn nodes(search: &mut TreeSearch<Position, KamisadoEvaluation>, position: &Position) -> u64 {
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::NONE
    };
    let found = search.find(position, &limits, 1, &RealTime::start());
    found.expect("a seat decides").nodes
}

/// Positions with something to choose, a few random actions from random starts.
fn positions() -> Vec<Position> {
    let mut chance = SplitMix64::new(1);
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let mut position = Position::first_game(Variant::Random, &mut chance);
        for _ in 0..positions.len() % ACTIONS_BEFORE_MAX {
            let actions = position.legal_actions();
            let count = u32::try_from(actions.len()).expect("there are few actions");
            if count > 0 {
                position.play_unchecked(actions[chance.below(count) as usize]);
                position.settle();
            }
        }
        if position.count_legal() > 1 {
            positions.push(position);
        }
    }
    positions
}

criterion_group!(benches, search);
criterion_main!(benches);
