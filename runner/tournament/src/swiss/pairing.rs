use std::cmp::Reverse;

use super::bracket::Bracket;
use super::{Entrant, Float};

/// A round of a Swiss system: numbers of those who are paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwissRound {
    /// The pairs, that of the highest entrant first; in each the higher one stands first.
    pub pairs: Vec<(usize, usize)>,
    /// Who has no opponent.
    pub byes: Vec<usize>,
}

/// Pairs a round by the Dutch system of FIDE (Handbook C.04.3, in force from February 2026) without
/// its rules about colours. `entrants` are in the order of their seeds, which are their pairing
/// numbers, and are numbered from 0.
///
/// No two meet again. If the number of entrants is odd, one has a bye, and nobody has a second one.
/// Both is always possible as long as the rounds are at most half as many as the entrants; beyond
/// that there may be more byes.
#[must_use]
pub fn swiss_round(entrants: &[Entrant]) -> SwissRound {
    if entrants.windows(2).all(|two| two[0] == two[1]) && entrants.iter().all(is_fresh) {
        return first_round(entrants.len());
    }
    let mut waiting: Vec<usize> = (0..entrants.len()).collect();
    waiting.sort_by_key(|entrant| Reverse(entrants[*entrant].score));
    let order = waiting.clone();
    let mut moved_down: Vec<usize> = Vec::new();
    let mut pairs = Vec::new();
    while !waiting.is_empty() {
        let score = entrants[waiting[0]].score;
        let paired = Bracket::new(entrants, &moved_down, &waiting).pairs();
        let residents = waiting.partition_point(|entrant| entrants[*entrant].score == score);
        let rest = waiting.split_off(residents);
        moved_down.extend(waiting);
        moved_down.retain(|entrant| {
            let is_in = |(higher, lower): &(usize, usize)| higher == entrant || lower == entrant;
            !paired.iter().any(is_in)
        });
        pairs.extend(paired);
        waiting = rest;
    }
    let place = |entrant: usize| order.iter().position(|each| *each == entrant);
    pairs.sort_by_key(|(higher, _)| place(*higher));
    SwissRound {
        pairs,
        byes: moved_down,
    }
}

/// Whether nothing is known of an entrant.
fn is_fresh(entrant: &Entrant) -> bool {
    entrant.met.is_empty() && !entrant.had_bye && entrant.floats == [Float::None; 2]
}

/// The first round: the upper half meets the lower half in order, and the last one of an odd number
/// has a bye. The criteria ask for nothing else then, so that it needs no search.
fn first_round(entrants: usize) -> SwissRound {
    let half = entrants / 2;
    SwissRound {
        pairs: (0..half).map(|upper| (upper, half + upper)).collect(),
        byes: (2 * half..entrants).collect(),
    }
}
