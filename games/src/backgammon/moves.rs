use super::board::{HOME_MAX, Side, turned};
use super::play::{Move, Play, Stop};
use super::{BAR, Board, Dice, OFF};
use crate::Seat;

/// The moving side, and the opponent's points as far as they matter to it. All points are numbered
/// from the mover's side.
///
/// Sets of places are bit sets: bit n is place n. `blocks << die` is then the set of places from
/// which a step by `die` would land on a block, so one mask tests all checkers at once. A hit removes
/// a blot and never a block, so `blocks` stays the same through a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    own: Side,
    /// The points with exactly one of the opponent's checkers.
    blots: u32,
    /// The points with two or more of the opponent's checkers.
    blocks: u32,
}

impl Mover {
    #[inline]
    pub(super) fn new(board: &Board, seat: Seat) -> Self {
        let (blots, blocks) = board.sides[seat.other().index()].blots_and_blocks();
        Self {
            own: board.sides[seat.index()],
            blots: turned(blots),
            blocks: turned(blocks),
        }
    }

    /// Returns true if any checker can move.
    #[inline]
    pub(super) fn can_move(&self, dice: Dice) -> bool {
        let occupied = self.own.occupied();
        (movable(occupied, self.blocks, dice.high()) | movable(occupied, self.blocks, dice.low()))
            != 0
    }

    /// Calls `visit` with every legal play, exactly one for each position that can be reached.
    #[inline]
    pub(super) fn for_each_play(&self, dice: Dice, visit: impl FnMut(Play)) {
        if dice.is_double() {
            self.for_each_of_double(dice.high(), visit);
        } else {
            self.for_each_of_two(dice.high(), dice.low(), visit);
        }
    }

    /// The maximum number of steps that can be made.
    pub(super) fn steps_max(&self, dice: Dice) -> u8 {
        let (high, low) = (dice.high(), dice.low());
        let occupied = self.own.occupied();
        if dice.is_double() {
            return self.double_steps_max(self.own, occupied, high, BAR, 4);
        }
        let has_two_steps = |first, second| {
            descending(movable(occupied, self.blocks, first)).any(|from| {
                movable(
                    self.occupied_after(occupied, from, first),
                    self.blocks,
                    second,
                ) != 0
            })
        };
        if has_two_steps(high, low) || has_two_steps(low, high) {
            2
        } else {
            u8::from(self.can_move(dice))
        }
    }

    /// Visits the plays of two different dice.
    ///
    /// Visits the plays with the larger die first and then those with the smaller die first, and
    /// leaves out every position already reached. That needs no set of positions, because two pairs
    /// of steps reach the same position only if
    ///
    /// - they are the same two steps,
    /// - one checker makes both steps and no hit tells the ways over different points apart, or
    /// - both checkers are borne off and either die is enough for either.
    ///
    /// If no order plays both dice, a play is one step, by the larger die if it can be played.
    #[inline]
    fn for_each_of_two(&self, high: u8, low: u8, mut visit: impl FnMut(Play)) {
        let occupied = self.own.occupied();
        let by_high = movable(occupied, self.blocks, high);
        let by_low = movable(occupied, self.blocks, low);
        // For each starting point of the larger die, the starting points of the smaller die after it.
        let mut lows_after = [0_u32; 32];
        let mut found = false;
        for from_high in descending(by_high) {
            let after = self.occupied_after(occupied, from_high, high);
            let lows = movable(after, self.blocks, low);
            lows_after[usize::from(from_high & 31)] = lows;
            found |= lows != 0;
            for from_low in descending(lows) {
                if !self.is_other_way(&lows_after, from_high, from_low, high, low) {
                    visit(self.two_steps(from_high, high, from_low, low));
                }
            }
        }
        for from_low in descending(by_low) {
            let after = self.occupied_after(occupied, from_low, low);
            let highs = movable(after, self.blocks, high);
            found |= highs != 0;
            for from_high in descending(highs) {
                let is_known = lows_after[usize::from(from_high & 31)] & (1 << from_low) != 0
                    || (from_high <= low && from_low <= low)
                    || self.is_other_way(&lows_after, from_high, from_low, high, low);
                if !is_known {
                    visit(self.two_steps(from_high, high, from_low, low));
                }
            }
        }
        if found {
            return;
        }
        let (only, die) = if by_high == 0 {
            (by_low, low)
        } else {
            (by_high, high)
        };
        for from in descending(only) {
            let to = from.saturating_sub(die);
            visit(Play::one(Move::new(from, to, self.is_blot(to))));
        }
    }

    /// Returns true if the two steps are those of one checker, smaller die first, and playing the
    /// larger die first reaches the same position, which is then visited in that order only.
    #[inline]
    fn is_other_way(
        &self,
        lows_after: &[u32; 32],
        from_high: u8,
        from_low: u8,
        high: u8,
        low: u8,
    ) -> bool {
        from_low == from_high + low
            && from_low > high
            && lows_after[usize::from(from_low & 31)] & (1 << (from_low - high)) != 0
            && !self.is_blot(from_low - high)
            && !self.is_blot(from_high)
    }

    /// The canonical play of these two steps.
    #[inline]
    fn two_steps(&self, from_high: u8, high: u8, from_low: u8, low: u8) -> Play {
        let to_high = from_high.saturating_sub(high);
        let to_low = from_low.saturating_sub(low);
        if to_low == from_high {
            return Play::one(self.way(from_low, from_high, to_high));
        }
        if to_high == from_low {
            return Play::one(self.way(from_high, from_low, to_low));
        }
        let (first, second) = if from_high >= from_low {
            ((from_high, to_high), (from_low, to_low))
        } else {
            ((from_low, to_low), (from_high, to_high))
        };
        let second_hits = self.is_blot(second.1) && second.1 != first.1;
        Play::two(
            Move::new(first.0, first.1, self.is_blot(first.1)),
            Move::new(second.0, second.1, second_hits),
        )
    }

    /// One checker's move over a point, which is named only if there is a hit.
    #[inline]
    fn way(&self, from: u8, over: u8, to: u8) -> Move {
        let whole = Move::new(from, to, self.is_blot(to));
        if self.is_blot(over) {
            whole.with_stop(
                0,
                Stop {
                    point: over,
                    hits: true,
                },
            )
        } else {
            whole
        }
    }

    /// Visits the plays of a double.
    ///
    /// A play is a multiset of starting points, and different ones reach different positions. If
    /// its steps can be played in any order, they can be played from the farthest point down:
    /// entering from the bar comes first, and bearing off comes after the checkers outside. So only
    /// descending sequences are tried, and no play is visited twice.
    #[inline]
    fn for_each_of_double(&self, die: u8, mut visit: impl FnMut(Play)) {
        let occupied = self.own.occupied();
        let steps = self.double_steps_max(self.own, occupied, die, BAR, 4);
        if steps > 0 {
            let mut starts = [0; 4];
            self.visit_double(
                self.own,
                occupied,
                &mut starts[..usize::from(steps)],
                0,
                die,
                &mut visit,
            );
        }
    }

    /// The maximum number of steps, at most `left`, from points up to `from_max`.
    fn double_steps_max(&self, own: Side, occupied: u32, die: u8, from_max: u8, left: u8) -> u8 {
        let mut most = 0;
        if left == 0 {
            return 0;
        }
        for from in descending(movable(occupied, self.blocks, die) & up_to(from_max)) {
            let (own, occupied) = step(own, occupied, from, die);
            most = most.max(1 + self.double_steps_max(own, occupied, die, from, left - 1));
            if most == left {
                break;
            }
        }
        most
    }

    /// Visits the plays that continue the first `done` steps until `starts` is full.
    fn visit_double(
        &self,
        own: Side,
        occupied: u32,
        starts: &mut [u8],
        done: usize,
        die: u8,
        visit: &mut impl FnMut(Play),
    ) {
        let from_max = if done == 0 { BAR } else { starts[done - 1] };
        let candidates = movable(occupied, self.blocks, die) & up_to(from_max);
        for from in descending(candidates) {
            starts[done] = from;
            if done + 1 == starts.len() {
                visit(self.play_of_double(starts, die));
            } else {
                let (own, occupied) = step(own, occupied, from, die);
                self.visit_double(own, occupied, starts, done + 1, die, visit);
            }
        }
    }

    /// The canonical play of equal steps from these points, given in descending order: steps of one
    /// checker are joined, stops are named where they hit, and only the first checker to reach a
    /// blot hits it.
    fn play_of_double(&self, starts: &[u8], die: u8) -> Play {
        let mut ways = [(0, 0); 4];
        let mut count = 0;
        for from in starts {
            let to = from.saturating_sub(die);
            if let Some(way) = ways[..count].iter_mut().find(|way| way.1 == *from) {
                way.1 = to;
            } else {
                ways[count] = (*from, to);
                count += 1;
            }
        }
        let ways = &mut ways[..count];
        ways.sort_unstable_by(|one, other| other.cmp(one));
        let mut unhit = self.blots;
        let mut moves = [Move::new(0, 0, false); 4];
        for index in 0..count {
            if index > 0 && ways[index] == ways[index - 1] {
                moves[index] = moves[index - 1];
                continue;
            }
            let (from, to) = ways[index];
            let mut way = Move::new(from, to, unhit & (1 << to) != 0);
            let mut stops = 0;
            let mut over = from.saturating_sub(die);
            while over > to {
                if unhit & (1 << over) != 0 {
                    let stop = Stop {
                        point: over,
                        hits: true,
                    };
                    way = way.with_stop(stops, stop);
                    stops += 1;
                }
                over = over.saturating_sub(die);
            }
            unhit &= !way.hit_points();
            moves[index] = way;
        }
        Play::new(&moves[..count]).unwrap_or(Play::one(moves[0]))
    }

    #[inline]
    const fn is_blot(&self, point: u8) -> bool {
        self.blots & (1 << (point & 31)) != 0
    }

    /// The occupied places after a step.
    #[inline]
    fn occupied_after(&self, occupied: u32, from: u8, die: u8) -> u32 {
        step_occupied(occupied, self.own.at(from), from, from.saturating_sub(die))
    }
}

/// Makes a step and updates the set of occupied places with it, which is cheaper than computing the
/// set from the checkers again.
#[inline]
fn step(own: Side, occupied: u32, from: u8, die: u8) -> (Side, u32) {
    let to = from.saturating_sub(die);
    let after = step_occupied(occupied, own.at(from), from, to);
    (own.step(from, to), after)
}

#[inline]
const fn step_occupied(occupied: u32, standing: u8, from: u8, to: u8) -> u32 {
    let left = if standing == 1 {
        occupied & !(1 << from)
    } else {
        occupied
    };
    (left | (1 << to)) & !1
}

/// The places from which a checker can make a step by `die`.
///
/// The rules in order: a checker on the bar moves first; no step lands on a block; and bearing off
/// needs all checkers in the home board, and takes the exact number or, with a larger die, the
/// farthest checker.
#[inline]
pub(super) const fn movable(occupied: u32, blocks: u32, die: u8) -> u32 {
    const BAR_BIT: u32 = 1 << BAR;
    if occupied & BAR_BIT != 0 {
        return BAR_BIT & !(blocks << die);
    }
    let onto_points = occupied & !(blocks << die) & !up_to(die);
    if occupied & !up_to(HOME_MAX) != 0 || occupied == 0 {
        return onto_points;
    }
    let farthest = occupied.ilog2();
    let exact = 1 << die;
    if occupied & exact != 0 {
        onto_points | exact
    } else if farthest < die as u32 {
        onto_points | (1 << farthest)
    } else {
        onto_points
    }
}

/// The places from 0 to this one.
#[inline]
const fn up_to(place: u8) -> u32 {
    (2 << place) - 1
}

/// The places of a set, farthest first.
#[inline]
fn descending(mut places: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if places == 0 {
            return None;
        }
        let farthest = places.ilog2();
        places &= !(1 << farthest);
        Some(farthest.to_le_bytes()[0])
    })
}

impl Board {
    /// Makes the moves of a play and sends the opponent's checkers on the points marked as hits to
    /// the bar. Ignores what is impossible, so that an illegal play cannot corrupt the board.
    #[inline]
    pub(super) fn apply(&mut self, seat: Seat, play: &Play) {
        let own = &mut self.sides[seat.index()];
        for part in play.moves() {
            if part.to() < part.from() && own.at(part.from()) > 0 && own.at(part.to()) < 15 {
                *own = own.step(part.from(), part.to());
            }
        }
        let other = &mut self.sides[seat.other().index()];
        let mut hits = play.hit_points() & !1;
        while hits != 0 {
            let point = hits.trailing_zeros().to_le_bytes()[0];
            hits &= hits - 1;
            let place = BAR - point.min(BAR);
            if place != OFF && other.at(place) == 1 && other.at(BAR) < 15 {
                *other = other.step(place, BAR);
            }
        }
    }
}
