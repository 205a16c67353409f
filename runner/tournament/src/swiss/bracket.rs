use std::cmp::Reverse;

use super::matching::heaviest_matching;
use super::weights::Weights;
use super::{Entrant, Float};

/// The bracket being paired, and all entrants after it.
///
/// The pairing is the first in the order of C.04.3, D, among those that best meet its criteria C.5
/// to C.9 and C.14 to C.21. Each criterion is a sum over the pairs. The best pairings are therefore
/// the heaviest matchings of a graph of all unpaired entrants, whose weights list one number per
/// criterion in order; the ordering rules become weights in the same way. A pair of entrants after
/// the bracket means that they can be paired later.
pub(super) struct Bracket<'e> {
    entrants: &'e [Entrant],
    /// The unpaired entrants, by score, then by number: those moved down, the residents of the
    /// bracket, those of the next bracket, and the others.
    vertices: Vec<usize>,
    moved_down: usize,
    residents_end: usize,
    next_end: usize,
    /// The scores in this bracket and in the next one, from high to low.
    levels: Vec<u32>,
}

/// A pair of indices into the unpaired entrants, the higher entrant first.
type Pair = (usize, usize);

impl<'e> Bracket<'e> {
    /// Creates the bracket of those moved down and of the highest score in `rest`. Both lists are
    /// in order.
    pub(super) fn new(entrants: &'e [Entrant], moved_down: &[usize], rest: &[usize]) -> Self {
        let score = |place: usize| entrants[rest[place]].score;
        let group_end = |start: usize| {
            (start..rest.len())
                .find(|place| score(*place) != score(start))
                .unwrap_or(rest.len())
        };
        let residents = group_end(0);
        let next = group_end(residents);
        let vertices: Vec<usize> = moved_down.iter().chain(rest).copied().collect();
        let next_end = moved_down.len() + next;
        let mut levels: Vec<u32> = vertices[..next_end]
            .iter()
            .map(|vertex| entrants[*vertex].score)
            .collect();
        levels.sort_unstable_by_key(|score| Reverse(*score));
        levels.dedup();
        Self {
            entrants,
            moved_down: moved_down.len(),
            residents_end: moved_down.len() + residents,
            next_end,
            vertices,
            levels,
        }
    }

    /// Returns the pairs of the bracket. Entrants without a pair move down.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs = self.pairs_of_moved_down();
        let remainder: Vec<usize> = (self.moved_down..self.residents_end)
            .filter(|place| pairs.iter().all(|(_, lower)| lower != place))
            .collect();
        pairs.extend(self.pairs_of_remainder(&pairs, &remainder));
        let vertex = |(higher, lower): Pair| (self.vertices[higher], self.vertices[lower]);
        pairs.into_iter().map(vertex).collect()
    }

    /// Pairs those moved down with residents: as many as possible, preferring the highest, the
    /// first one with the highest possible resident, and so on.
    fn pairs_of_moved_down(&self) -> Vec<Pair> {
        if self.moved_down == 0 {
            return Vec::new();
        }
        let all = |_: Pair| true;
        let places = self.moved_down;
        let order = |(higher, lower): Pair, numbers: &mut [i32]| {
            if higher < places {
                numbers[higher] = 1;
                numbers[places + higher] = count(self.residents_end - lower);
            }
        };
        let mates = self.matching(&[], 2 * places, all, order);
        let paired = (0..places).filter_map(|higher| Some((higher, mates[higher]?)));
        paired.filter(|pair| self.is_here(*pair)).collect()
    }

    /// Pairs the remaining residents: the upper half with the lower half in order, with the fewest
    /// and nearest exchanges between the halves, and then the first possible transposition of the
    /// lower half (C.04.3, D.1 and D.2).
    fn pairs_of_remainder(&self, paired: &[Pair], remainder: &[usize]) -> Vec<Pair> {
        let rank = |place: usize| remainder.binary_search(&place).ok();
        let only_residents = |(higher, _): Pair| higher >= self.moved_down;
        let here = |mates: &[Option<usize>]| -> Vec<Pair> {
            let upper = remainder.iter().copied();
            upper
                .filter_map(|place| Some((place, mates[place]?)))
                .filter(|pair| pair.0 < pair.1 && self.is_here(*pair))
                .collect()
        };
        let nothing = |_: Pair, _: &mut [i32]| {};
        let count_pairs = here(&self.matching(paired, 0, only_residents, nothing)).len();
        if count_pairs == 0 {
            return Vec::new();
        }
        let exchanges = |(higher, _): Pair, numbers: &mut [i32]| {
            if let Some(rank) = rank(higher) {
                numbers[0] = -i32::from(rank >= count_pairs);
                numbers[1] = -count(rank);
                // The lowest of the upper half are exchanged first, for the highest of the lower.
                if rank < count_pairs {
                    numbers[2 + count_pairs - 1 - rank] = -1;
                } else {
                    numbers[2 + rank] = 1;
                }
            }
        };
        let length = 2 + remainder.len();
        let halves = here(&self.matching(paired, length, only_residents, exchanges));
        let uppers: Vec<usize> = halves.iter().map(|(higher, _)| *higher).collect();
        let between_halves = |(higher, lower): Pair| {
            only_residents((higher, lower)) && uppers.contains(&higher) && !uppers.contains(&lower)
        };
        let transposition = |(higher, lower): Pair, numbers: &mut [i32]| {
            if let Some(at) = uppers.iter().position(|upper| *upper == higher) {
                numbers[at] = count(self.residents_end - lower);
            }
        };
        here(&self.matching(paired, uppers.len(), between_halves, transposition))
    }

    /// Returns the mates in a heaviest matching of the entrants not in `paired`. Only pairs that
    /// `may` be formed belong to this bracket; their `order`, a list of `levels` numbers, counts
    /// after the criteria.
    fn matching(
        &self,
        paired: &[Pair],
        length: usize,
        may: impl Fn(Pair) -> bool,
        order: impl Fn(Pair, &mut [i32]),
    ) -> Vec<Option<usize>> {
        let mut done = vec![false; self.vertices.len()];
        for (higher, lower) in paired {
            (done[*higher], done[*lower]) = (true, true);
        }
        let criteria = Criteria::length(self.levels.len());
        let mut graph = Weights::new(self.vertices.len(), criteria + length);
        let mut weight = vec![0; criteria + length];
        for lower in 0..self.vertices.len() {
            for higher in 0..lower {
                let pair = (higher, lower);
                if done[higher] || done[lower] || !self.may_meet(pair) {
                    continue;
                }
                let here = self.is_here(pair);
                if here && !may(pair) {
                    continue;
                }
                weight.fill(0);
                self.weigh(pair, &mut weight[..criteria]);
                if here {
                    order(pair, &mut weight[criteria..]);
                }
                graph.set(higher, lower, &weight);
            }
        }
        heaviest_matching(&graph)
    }

    /// C.1: they have not met.
    fn may_meet(&self, (higher, lower): Pair) -> bool {
        !self.entrant(higher).met.contains(&self.vertices[lower])
    }

    /// Returns true for a pair of this bracket: one moved down with a resident.
    const fn is_here(&self, (_, lower): Pair) -> bool {
        self.moved_down <= lower && lower < self.residents_end
    }

    fn entrant(&self, place: usize) -> &Entrant {
        &self.entrants[self.vertices[place]]
    }

    /// Returns the weight of a pair, one number per criterion.
    fn weigh(&self, pair: Pair, numbers: &mut [i32]) {
        let (higher, lower) = (self.entrant(pair.0), self.entrant(pair.1));
        let mut criteria = Criteria {
            numbers,
            levels: &self.levels,
        };
        // C.4: all are paired but one who has had no bye (C.2), with the lowest score (C.5).
        criteria.add(1);
        criteria.add(i32::from(higher.had_bye) + i32::from(lower.had_bye));
        criteria.add(number(higher.score) + number(lower.score));
        let here = self.is_here(pair);
        // C.6 and C.7: as many pairs as possible, with the highest scores.
        criteria.add(i32::from(here));
        criteria.add_at(higher.score, i32::from(here));
        // C.8: the same for the next bracket.
        let next = (self.residents_end..self.next_end).contains(&pair.1);
        criteria.add(i32::from(next));
        criteria.add_at(higher.score, i32::from(next));
        if !here {
            return;
        }
        let upfloat = higher.score > lower.score;
        let is = |entrant: &Entrant, round: usize, float| i32::from(entrant.floats[round] == float);
        // C.14 to C.17: few downfloats and upfloats of entrants that floated in the last round, or
        // in the one before.
        for round in 0..2 {
            let upper = if upfloat {
                0
            } else {
                is(higher, round, Float::Down)
            };
            criteria.add(upper + is(lower, round, Float::Down));
            criteria.add(-i32::from(upfloat) * is(lower, round, Float::Up));
        }
        // C.18 to C.21: the same with small score differences.
        for round in 0..2 {
            criteria.add_both(
                (higher.score, is(higher, round, Float::Down)),
                (lower.score, is(lower, round, Float::Down)),
            );
            criteria.add_at(
                higher.score,
                -i32::from(upfloat) * is(lower, round, Float::Up),
            );
        }
    }
}

/// A weight under construction.
struct Criteria<'w> {
    /// The numbers not yet written.
    numbers: &'w mut [i32],
    levels: &'w [u32],
}

impl Criteria<'_> {
    /// Length of a weight with this many score levels.
    const fn length(levels: usize) -> usize {
        5 + 4 + 6 * levels
    }

    /// Writes the next criterion.
    fn add(&mut self, number: i32) {
        let numbers = std::mem::take(&mut self.numbers);
        let (first, rest) = numbers
            .split_first_mut()
            .expect("the length covers all criteria");
        *first = number;
        self.numbers = rest;
    }

    /// Writes the next criterion, a score; higher scores count more.
    fn add_at(&mut self, score: u32, number: i32) {
        self.add_both((score, number), (score, 0));
    }

    /// Writes a criterion of two scores.
    fn add_both(&mut self, one: (u32, i32), other: (u32, i32)) {
        let numbers = std::mem::take(&mut self.numbers);
        let (here, rest) = numbers.split_at_mut(self.levels.len());
        for (score, number) in [one, other] {
            let level = self.levels.iter().position(|level| *level == score);
            if let Some(level) = level {
                here[level] += number;
            }
        }
        self.numbers = rest;
    }
}

/// Converts a number of at most the number of bots.
fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Converts a score to its place in a weight.
fn number(score: u32) -> i32 {
    i32::try_from(score).unwrap_or(i32::MAX)
}
