//! The figures of the search: positions a second on one core, counted as by the node limit, with and without a table.
//!
//! `cargo bench -p dragontooth-bots-builtin --bench figures` prints them; `BENCH_SCALE=0.1` is a quick look.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "../../../service/benches/figures/figure.rs"]
mod figure;
#[path = "../../../service/benches/figures/machine.rs"]
mod machine;
#[path = "../../../service/benches/figures/scale.rs"]
mod scale;

use std::time::Instant;

use dragontooth_bots_builtin::kamisado::KamisadoEvaluation;
use dragontooth_bots_builtin::linja::LinjaEvaluation;
use dragontooth_bots_builtin::search::{
    Evaluation, RealTime, SearchLimits, SplitMix64, TreeSearch,
};
use dragontooth_bots_builtin::tzaar::TzaarEvaluation;
use dragontooth_games::chance::Chance;
use dragontooth_games::{Position, catalogue, kamisado, linja, tzaar};
use figure::figure;
use scale::Scale;

/// Positions searched for a figure.
const POSITIONS: usize = 64;
/// Largest number of random actions before each position.
const ACTIONS_BEFORE_MAX: usize = 6;
/// The node limit of a decision.
const NODES: u64 = 100_000;
/// Size of the table in bytes: the bot's default.
const TABLE_BYTES: usize = 16 << 20;

fn main() {
    machine::print();
    println!("  positions a second of searches of 100,000, with a table and without one");
    print::<kamisado::Position, _>("kamisado", KamisadoEvaluation::new(3));
    print::<linja::Position, _>("linja", LinjaEvaluation::new());
    print::<tzaar::Position, _>("tzaar", TzaarEvaluation::new());
}

fn print<P: Position, E: Evaluation<P> + Copy>(game: &str, evaluation: E) {
    let positions: Vec<P> = positions(game, Scale::from_env().count(POSITIONS));
    let [with, without] = [TABLE_BYTES, 0].map(|table_bytes| {
        let mut search = TreeSearch::new(evaluation, table_bytes, Some(NODES));
        rate(&mut search, &positions)
    });
    println!("  {game:<12} {with:>12.0} {without:>12.0}");
    figure(&format!("search/{game}/table"), with, "1/s");
    figure(&format!("search/{game}/no_table"), without, "1/s");
}

#[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
fn rate<P: Position, E: Evaluation<P>>(search: &mut TreeSearch<P, E>, positions: &[P]) -> f64 {
    let limits = SearchLimits {
        nodes: Some(NODES),
        ..SearchLimits::NONE
    };
    let begun = Instant::now();
    let mut nodes = 0;
    for position in positions {
        let found = search.find(position, &limits, 1, &RealTime::start());
        nodes += found.expect("a seat decides").nodes;
    }
    nodes as f64 / begun.elapsed().as_secs_f64()
}

/// Positions with a choice, a few random actions from random starts.
fn positions<P: Position>(game: &str, count: usize) -> Vec<P> {
    let mut chance = SplitMix64::new(1);
    let game = catalogue::find(game).expect("the catalogue has the game");
    let mut positions = Vec::new();
    while positions.len() < count {
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
