//! The shares of few contenders in the encounters, with one that loses to all others.

use std::collections::BTreeMap;

use dragontooth_games::Seat;
use dragontooth_runner_tournament::arena::{
    ArenaEntry, ArenaRules, ArenaState, Contender, LegResult, PresentContender, Proposal,
};
use dragontooth_runner_tournament::statistics::score_of_elo;
use dragontooth_runner_tournament::{Ending, Leg, Name};
use dragontooth_service_vocabulary::{BuildText, Termination};

/// The true ratings of the players beside the anchor, which has 0. The first loses nearly all its matches.
const TRUTH: [f64; 7] = [-500.0, 500.0, 520.0, 560.0, 700.0, 900.0, 950.0];
const ENCOUNTERS: u64 = 2000;

struct Simulation {
    state: ArenaState,
    lot: u64,
    /// The encounters that are played.
    running: BTreeMap<u64, [Contender; 2]>,
    played: BTreeMap<String, u64>,
}

fn contenders() -> Vec<(Contender, f64)> {
    let players = (1..).zip(TRUTH).map(|(number, elo): (u8, f64)| {
        let player = format!("{number:032x}").parse().unwrap();
        let build = BuildText::default();
        (Contender::Build { player, build }, elo)
    });
    let anchor = Contender::Anchor(Name::new("zero").unwrap());
    players.chain([(anchor, 0.0)]).collect()
}

impl Simulation {
    fn draw(&mut self) -> f64 {
        // Knuth's MMIX constants.
        self.lot = self
            .lot
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.lot >> 32).unwrap()) / f64::from(u32::MAX)
    }

    fn begin(&mut self, at_once: u32, most: usize) {
        let present = contenders().into_iter().map(|(contender, _)| {
            let busy = self.running.values().flatten();
            let busy = busy.filter(|one| **one == contender).count();
            PresentContender {
                contender,
                free: at_once.saturating_sub(u32::try_from(busy).unwrap()),
            }
        });
        let present: Vec<PresentContender> = present.collect();
        let running = self.running.keys().copied().collect();
        let free = most - self.running.len();
        for proposal in self.state.pair(&present, &running, free) {
            let Proposal::Begin(contenders) = proposal else {
                panic!("nothing is interrupted");
            };
            for contender in &contenders {
                *self.played.entry(contender.to_string()).or_default() += 1;
            }
            let encounter = self.state.counts().encounters + 1;
            self.running.insert(encounter, contenders.clone());
            self.apply(&ArenaEntry::Paired {
                encounter,
                contenders,
                names: [String::new(), String::new()],
            });
        }
    }

    /// Ends one of the encounters that are played.
    fn end_one(&mut self) {
        let running: Vec<u64> = self.running.keys().copied().collect();
        let mut ended = running.iter().filter(|_| self.draw() < 0.5);
        let encounter = *ended.next().unwrap_or(&running[0]);
        let pair = self.running.remove(&encounter).unwrap();
        let truth: Vec<f64> = pair
            .iter()
            .map(|one| {
                let mut all = contenders().into_iter();
                all.find(|(contender, _)| contender == one).unwrap().1
            })
            .collect();
        for leg in Leg::BOTH {
            let is_win = self.draw() < score_of_elo(truth[0] - truth[1]);
            let winner = if is_win == (leg == Leg::One) {
                Seat::First
            } else {
                Seat::Second
            };
            self.apply(&ArenaEntry::Ended {
                encounter,
                leg,
                result: LegResult {
                    winner: Some(winner),
                    termination: Ending::By(Termination::Normal),
                    moves: None,
                    faults: Vec::new(),
                },
            });
        }
    }

    fn apply(&mut self, entry: &ArenaEntry) {
        self.state.apply(entry).unwrap();
    }
}

#[test]
fn who_loses_to_all_does_not_play_all_the_time() {
    for (at_once, most) in [(1, 1), (1, 2), (1, 3), (64, 2), (64, 4), (64, 8)] {
        let mut simulation = Simulation {
            state: ArenaState::new(ArenaRules {
                seed: 3,
                anchors: vec![(Name::new("zero").unwrap(), 0.0)],
                pair_cap: 5,
                park_after: 5,
            }),
            lot: 7,
            running: BTreeMap::new(),
            played: BTreeMap::new(),
        };
        while simulation.state.counts().encounters < ENCOUNTERS {
            simulation.begin(at_once, most);
            simulation.end_one();
        }
        let total = simulation.state.counts().encounters;
        let shares: Vec<u64> = contenders()
            .iter()
            .map(|(one, _)| 1000 * simulation.played[&one.to_string()] / total)
            .collect();
        println!("{at_once} at once, {most} encounters: {shares:?} permille");
        // Of eight contenders two play in an encounter: each has half to one and a half of a fair share.
        let fair = 125..=375;
        assert!(
            shares.iter().all(|share| fair.contains(share)),
            "{shares:?}"
        );
    }
}
