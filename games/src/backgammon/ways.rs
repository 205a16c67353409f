use std::array;

use super::board::descending;
use super::play::{Move, PARTS_MAX, Play, Stop};

/// The ways of the checkers in a play of a double, in the order of a canonical play and without marks
/// for hits.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    moves: [Move; PARTS_MAX],
    /// The number of ways.
    count: usize,
    /// The places where they end, one bit each.
    ends: u32,
}

impl Ways {
    pub(super) const NONE: Self = Self {
        moves: [Move::NONE; PARTS_MAX],
        count: 0,
        ends: 0,
    };

    /// Adds a step, which comes from no farther point than those before. It continues the way of the
    /// farthest checker that has come to its start, or is that of a further checker.
    #[inline]
    pub(super) fn with_step(self, from: u8, die: u8) -> Self {
        let to = from.saturating_sub(die);
        if self.ends & (1 << from) == 0 {
            let way = Move::new(from, to, false);
            Self {
                moves: self.moves_with(self.count, way),
                count: self.count + 1,
                ends: self.ends | (1 << to),
            }
        } else {
            let place = self.last_that_ends_at(from);
            let way = Move::new(self.moves[place].from(), to, false);
            let moves = self.moves_with(place, way);
            Self {
                moves,
                count: self.count,
                ends: moves.iter().fold(0, |ends, way| ends | (1 << way.to())),
            }
        }
    }

    /// The moves with one of them changed. Choosing each anew is faster than copying them and then
    /// writing one.
    #[inline]
    fn moves_with(&self, place: usize, way: Move) -> [Move; PARTS_MAX] {
        array::from_fn(|index| {
            if index == place {
                way
            } else {
                self.moves[index]
            }
        })
    }

    /// The index of the farthest checker's way that ends there. Of equal ways it is that of the last
    /// one: so the order stays if it becomes longer.
    #[inline]
    fn last_that_ends_at(&self, place: u8) -> usize {
        let ends_there = |way: &Move| way.to() == place;
        let first = self.moves.iter().position(ends_there).unwrap_or(0);
        let equal = |way: &&Move| **way == self.moves[first];
        first + self.moves[first..].iter().skip(1).take_while(equal).count()
    }

    /// The canonical play that hits on these points: stops are named where they hit, and only the
    /// first checker to reach a blot hits it.
    #[inline]
    pub(super) fn play(self, die: u8, hits: u32) -> Play {
        if hits == 0 {
            Play::of(self.moves)
        } else {
            self.play_with_hits(die, hits)
        }
    }

    fn play_with_hits(self, die: u8, mut unhit: u32) -> Play {
        let mut moves = self.moves;
        for (index, way) in self.moves.into_iter().enumerate() {
            if index > 0 && way == self.moves[index - 1] {
                moves[index] = moves[index - 1];
                continue;
            }
            if unhit == 0 {
                break;
            }
            let start = 1 << way.from();
            let reached = (start >> die) | (start >> (2 * die)) | (start >> (3 * die));
            let end = 1 << way.to();
            let hits = unhit & ((reached & !(end - 1)) | end);
            unhit &= !hits;
            moves[index] = Move::new(way.from(), way.to(), hits & end != 0);
            for (stop, point) in descending(hits & !end).enumerate() {
                moves[index] = moves[index].with_stop(stop, Stop { point, hits: true });
            }
        }
        Play::of(moves)
    }
}
