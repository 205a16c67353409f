//! Proves which first moves win, with a search that continues where the least is left to prove.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use dragontooth_games::kamisado::Position;
use dragontooth_games::{Position as _, Seat, Turn};

/// The winning first moves of the left half. Those of the right half are their mirror images.
const WINNING: [&str; 8] = [
    "a1a2", "a1a5", "b1b6", "b1b7", "c1c4", "c1c7", "d1d5", "d1d6",
];

#[test]
fn eight_first_moves_of_the_left_half_win() {
    let start = Position::standard();
    let mut prover = Prover {
        attacker: Seat::First,
        known: HashMap::default(),
    };
    let mut winning = Vec::new();
    for action in start.legal_actions() {
        let name = action.to_string();
        let mut after = start;
        after.play_unchecked(action);
        after.settle();
        if name.starts_with(['a', 'b', 'c', 'd']) && prover.attacker_wins(after) {
            winning.push(name);
        }
    }
    assert_eq!(winning, WINNING);
}

/// Lower bounds of the number of positions to decide to prove that the attacker wins, and to prove
/// that it does not (depth-first proof-number search).
#[derive(Clone, Copy)]
struct Effort {
    proof: u32,
    disproof: u32,
}

const NEVER: u32 = 1_000_000_000;
const PROVED: Effort = Effort {
    proof: 0,
    disproof: NEVER,
};
const DISPROVED: Effort = Effort {
    proof: NEVER,
    disproof: 0,
};

impl Effort {
    const fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The same from the view of the seat that decides, which wants the first number small.
    const fn for_decider(self, attacks: bool) -> (u32, u32) {
        if attacks {
            (self.proof, self.disproof)
        } else {
            (self.disproof, self.proof)
        }
    }

    const fn from_decider((own, other): (u32, u32), attacks: bool) -> Self {
        if attacks {
            Self {
                proof: own,
                disproof: other,
            }
        } else {
            Self {
                proof: other,
                disproof: own,
            }
        }
    }
}

struct Prover {
    attacker: Seat,
    known: HashMap<u64, Effort, BuildHasherDefault<Mixer>>,
}

impl Prover {
    fn attacker_wins(&mut self, position: Position) -> bool {
        let mut effort = self.effort(&position);
        while !effort.is_settled() {
            effort = self.search(position, (NEVER, NEVER));
        }
        effort.proof == 0
    }

    fn effort(&self, position: &Position) -> Effort {
        match position.turn() {
            Turn::Chance => panic!("nothing is rolled in this game"),
            Turn::Over(outcome) if outcome.winner == Some(self.attacker) => PROVED,
            Turn::Over(_) => DISPROVED,
            Turn::Decide(seat) => self.known.get(&key(position)).copied().unwrap_or_else(|| {
                let choices = u32::try_from(position.count_legal()).unwrap();
                Effort::from_decider((1, choices), seat == self.attacker)
            }),
            Turn::Pass(_) => panic!("{position} is settled"),
        }
    }

    /// Searches below `position` until it takes as much effort as the limits, for the seat that
    /// decides and against it.
    fn search(&mut self, position: Position, limits: (u32, u32)) -> Effort {
        let attacks = position.turn() == Turn::Decide(self.attacker);
        let mut next: Vec<(Position, (u32, u32))> = Vec::new();
        position.for_each_legal(|action| {
            let mut after = position;
            after.play_unchecked(action);
            after.settle();
            next.push((after, self.effort(&after).for_decider(attacks)));
        });
        loop {
            let (mut best, mut second, mut sum) = (0, NEVER, 0);
            for (index, (_, (own, other))) in next.iter().enumerate() {
                sum = (sum + other).min(NEVER);
                if *own < next[best].1.0 {
                    second = next[best].1.0;
                    best = index;
                } else if index != best {
                    second = second.min(*own);
                }
            }
            let (after, (least, against)) = next[best];
            if least >= limits.0 || sum >= limits.1 || least == 0 || sum == 0 {
                let effort = Effort::from_decider((least, sum), attacks);
                self.known.insert(key(&position), effort);
                return effort;
            }
            // A little more than the second best leaves, so that searches are not resumed too often.
            let own = limits.0.min(second.saturating_add(second / 4 + 1));
            let other = (limits.1 - sum).saturating_add(against).min(NEVER);
            let replies = after.turn() == Turn::Decide(self.attacker);
            let swapped = if replies == attacks {
                (own, other)
            } else {
                (other, own)
            };
            next[best].1 = self.search(after, swapped).for_decider(attacks);
        }
    }
}

fn key(position: &Position) -> u64 {
    let mut mixer = Mixer::default();
    position.hash(&mut mixer);
    mixer.finish()
}

/// A quick hash of words. For its own results it is the identity.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0.rotate_left(23) ^ word) * 0x9E37_79B9_7F4A_7C15;
        let half = |part: u128| u64::try_from(part & u128::from(u64::MAX)).unwrap();
        self.0 = half(product) ^ half(product >> 64);
    }
}
