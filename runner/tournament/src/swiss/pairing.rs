use std::cmp::Reverse;

use super::bracket::Bracket;
use super::{Entrant, Float};

/// The pairings of a round, by entrant number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwissRound {
    /// The pairs, the highest entrant's first; in each the higher entrant is first.
    pub pairs: Vec<(usize, usize)>,
    /// The entrant without an opponent.
    pub byes: Vec<usize>,
}

/// Pairs a round by FIDE's Dutch system (Handbook C.04.3, in force from February 2026) without its
/// colour rules. `entrants` are in seed order; their indices, from 0, are the pairing numbers.
///
/// No two meet again. With an odd number of entrants one has a bye, and no entrant has a second
/// one. Both are always possible while there are at most half as many rounds as entrants; beyond
/// that, byes may be repeated.
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

/// Returns true for an entrant without a previous round.
fn is_fresh(entrant: &Entrant) -> bool {
    entrant.met.is_empty() && !entrant.had_bye && entrant.floats == [Float::None; 2]
}

/// Returns the first round: the upper half meets the lower half in order, and with an odd number
/// the last has a bye. No other criterion applies yet, so it needs no search.
fn first_round(entrants: usize) -> SwissRound {
    let half = entrants / 2;
    SwissRound {
        pairs: (0..half).map(|upper| (upper, half + upper)).collect(),
        byes: (2 * half..entrants).collect(),
    }
}
