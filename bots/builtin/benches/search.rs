//! Speed of the search in each game on one core: positions visited, counted as by the node limit; and decisions
//! of the bots for Backgammon.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use dragontooth_bots_builtin::Budget;
use dragontooth_bots_builtin::PositionBot;
use dragontooth_bots_builtin::backgammon::{Expectimax, GreedyBackgammon};
use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
use dragontooth_bots_builtin::linja::LinjaEvaluation;
use dragontooth_bots_builtin::search::{
    Evaluation, RealTime, SearchLimits, SplitMix64, TreeSearch,
};
use dragontooth_bots_builtin::tzaar::TzaarEvaluation;
use dragontooth_games::chance::Chance;
use dragontooth_games::{Position, Roll, Turn, backgammon, catalogue, kamisado, linja, tzaar};

/// Positions searched in a measurement.
const POSITIONS: usize = 16;
/// Largest number of random actions before each position.
const ACTIONS_BEFORE_MAX: usize = 6;
/// The node limit of a decision.
const NODES: u64 = 100_000;
/// Size of the table in bytes: the bot's default.
const TABLE_BYTES: usize = 16 << 20;

fn search(criterion: &mut Criterion) {
    measure::<kamisado::Position, _>(criterion, "kamisado", KamisadoEvaluation::new(3));
    measure::<linja::Position, _>(criterion, "linja", LinjaEvaluation::new());
    measure::<tzaar::Position, _>(criterion, "tzaar", TzaarEvaluation::new());
}

fn measure<P: Position, E: Evaluation<P> + Copy>(
    criterion: &mut Criterion,
    game: &str,
    evaluation: E,
) {
    let positions: Vec<P> = positions(game);
    let name = format!("{game}: search of 16 positions, 100,000 nodes each");
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for (name, table_bytes) in [("with a table", TABLE_BYTES), ("without a table", 0)] {
        let mut search = TreeSearch::new(evaluation, table_bytes, Some(NODES));
        let mut visit = || -> u64 { positions.iter().map(|p| nodes(&mut search, p)).sum() };
        group.throughput(Throughput::Elements(visit()));
        group.bench_function(name, |bencher| bencher.iter(&mut visit));
    }
    group.finish();
}

fn nodes<P: Position, E: Evaluation<P>>(search: &mut TreeSearch<P, E>, position: &P) -> u64 {
    let limits = SearchLimits {
        nodes: Some(NODES),
        ..SearchLimits::NONE
    };
    let found = search.find(position, &limits, 1, &RealTime::start());
    found.expect("a seat decides").nodes
}

/// Positions with a choice, a few random actions from random starts.
fn positions<P: Position>(game: &str) -> Vec<P> {
    let mut chance = SplitMix64::new(1);
    let game = catalogue::find(game).expect("the catalogue has the game");
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let played = game.new_match(Some("random"), 1);
        let opening = played.expect("the game has such a match").deal(&mut chance);
        let Ok(mut position) = opening.parse::<P>() else {
            unreachable!("the game reads its own notation")
        };
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

/// Decisions of games of Backgammon that the simple bot plays, about plays and the cube.
const DECISIONS: usize = 64;

fn decisions(criterion: &mut Criterion) {
    let positions = backgammon_positions();
    let mut group = criterion.benchmark_group("backgammon: decisions");
    group.sample_size(10);
    group.throughput(Throughput::Elements(DECISIONS as u64));
    decide(&mut group, "greedy", GreedyBackgammon, &positions);
    decide(
        &mut group,
        "expectimax",
        Expectimax::new(8, None),
        &positions,
    );
    group.finish();
}

fn decide(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    mut engine: impl PositionBot<backgammon::Position>,
    positions: &[backgammon::Position],
) {
    let budget = Budget {
        time: None,
        seed: 1,
    };
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            let decided = positions.iter().filter_map(|p| engine.choose(p, &budget));
            decided.count()
        });
    });
}

fn backgammon_positions() -> Vec<backgammon::Position> {
    let mut chance = SplitMix64::new(1);
    let mut positions = Vec::new();
    let mut position = backgammon::Position::money(false, backgammon::CubeLimit::HIGHEST);
    while positions.len() < DECISIONS {
        match position.turn() {
            Turn::Chance => {
                if let Some(roll) = Roll::draw(&mut chance) {
                    position.roll(roll);
                }
            }
            Turn::Pass(_) => position.pass(),
            Turn::Over(_) => {
                position = backgammon::Position::money(false, backgammon::CubeLimit::HIGHEST);
            }
            Turn::Decide(_) => {
                positions.push(position);
                let best = GreedyBackgammon.choose(
                    &position,
                    &Budget {
                        time: None,
                        seed: 1,
                    },
                );
                position.play_unchecked(best.expect("a seat decides"));
            }
        }
    }
    positions
}

criterion_group!(benches, search, decisions);
criterion_main!(benches);
