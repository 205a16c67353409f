//! Figures of an arena: a pairing round, the table, and the fold over a journal in memory.
//!
//! `cargo bench -p dragontooth-runner-tournament --bench arena` prints them in some seconds.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[path = "../../../service/benches/figures/figure.rs"]
mod figure;
#[path = "../../../service/benches/figures/scale.rs"]
mod scale;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{
    ArenaEntry, ArenaRules, ArenaState, Contender, LegResult, PresentContender, Proposal,
};
use dragontooth_runner_tournament::{Ending, Leg, Name};
use dragontooth_service_vocabulary::{BuildText, Termination};
use figure::figure;
use scale::Scale;

/// The number of measurements of each figure.
const TIMES: usize = 9;

fn main() {
    let scale = Scale::from_env();
    let encounters = |usual: usize| scale.count(usual) as u64;
    for (name, entrants) in [("100", 100), ("1000", 1000)] {
        let (state, present) = arena(entrants, encounters(25_000));
        let time = median(|| {
            black_box(state.pair(&present, &BTreeSet::new(), 500));
        });
        println!("a pairing round of {entrants} entrants: {time:?}");
        figure(&format!("arena/pairing/{name}"), micros(time), "µs");
    }
    for (name, results) in [("10000", 5_000), ("100000", 50_000)] {
        let (state, _) = arena(100, encounters(results));
        let time = median(|| {
            black_box(state.ranking());
        });
        println!("the table of 100 contenders over {name} results: {time:?}");
        figure(&format!("arena/table/{name}"), micros(time), "µs");
    }
    for contenders in [40, 256] {
        let (state, _) = arena(contenders, encounters(50_000));
        let time = median(|| {
            black_box(state.ranking());
        });
        println!("the table of {contenders} contenders over 100,000 results: {time:?}");
    }
    let (state, _) = arena(1000, encounters(50_000));
    let (table, ratings) = (
        median(|| {
            black_box(state.ranking());
        }),
        median(|| {
            black_box(state.ratings());
        }),
    );
    println!(
        "the table of 1,000 contenders over 100,000 results, {} pairs: {table:?}; without errors: {ratings:?}",
        state.head_to_head().len()
    );
    let begun = Instant::now();
    let (state, _) = arena(100, encounters(500_000));
    let took = begun.elapsed();
    println!(
        "the fold over {} results of 100 contenders, pairing included: {took:?}",
        state.counts().matches
    );
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// An arena after this many encounters, and its contenders.
fn arena(contenders: usize, encounters: u64) -> (ArenaState, Vec<PresentContender>) {
    let zero = Name::new("zero").expect("it has letters alone");
    let mut state = ArenaState::new(ArenaRules {
        seed: 1,
        anchors: vec![(zero.clone(), 0.0)],
        pair_cap: 5,
        park_after: 5,
    });
    let players = (1..contenders).map(|number| Contender::Build {
        player: format!("{number:032x}")
            .parse()
            .expect("32 digits are a player"),
        build: BuildText::default(),
    });
    let players = players.chain([Contender::Anchor(zero)]);
    let present: Vec<PresentContender> = players
        .map(|contender| PresentContender { contender, free: 1 })
        .collect();
    let mut lot = 1_u64;
    while state.counts().encounters < encounters {
        for proposal in state.pair(&present, &BTreeSet::new(), contenders) {
            let Proposal::Begin(contenders) = proposal else {
                continue;
            };
            let encounter = state.counts().encounters + 1;
            apply(
                &mut state,
                &ArenaEntry::Paired {
                    encounter,
                    contenders,
                    names: [String::new(), String::new()],
                },
            );
            for leg in Leg::BOTH {
                lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let winner = if lot >> 63 == 0 {
                    Seat::First
                } else {
                    Seat::Second
                };
                let result = LegResult {
                    winner: Some(winner),
                    termination: Ending::By(Termination::Normal),
                    moves: None,
                    faults: Vec::new(),
                };
                apply(
                    &mut state,
                    &ArenaEntry::Ended {
                        encounter,
                        leg,
                        result,
                    },
                );
            }
        }
    }
    (state, present)
}

fn apply(state: &mut ArenaState, entry: &ArenaEntry) {
    state.apply(entry).expect("the entries follow each other");
}

fn median(mut run: impl FnMut()) -> Duration {
    let times = (0..TIMES).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    });
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times[TIMES / 2]
}
