use super::board::{HOME_MAX, Side, descending, turned};
use super::play::{Move, Play, Stop};
use super::ways::Ways;
use super::{BAR, Board, Dice, OFF};
use crate::Seat;

/// The checkers of both sides in the course of a turn. All points are numbered from the mover's side.
///
/// Sets of places are bit sets: bit n is place n. `blocks << die` is then the set of places from
/// which a step by `die` would land on a block, so one mask tests all checkers at once. A hit removes
/// a blot and never a block, so `blocks` stays the same through a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    own: Side,
    /// The opponent's checkers, numbered from its own side.
    other: Side,
    /// The places with at least one of the mover's checkers, without those borne off.
    occupied: u32,
    /// The points with exactly one of the opponent's checkers.
    blots: u32,
    /// The points with two or more of the opponent's checkers.
    blocks: u32,
}

/// All plays of two different dice that begin with the same step.
struct Pairs {
    /// True if the larger die is played first.
    high_first: bool,
    /// The starting point of the first step.
    from: u8,
    /// The starting points of the second one.
    seconds: u32,
}

impl Mover {
    #[inline]
    pub(super) fn new(board: &Board, seat: Seat) -> Self {
        let own = board.sides[seat.index()];
        let other = board.sides[seat.other().index()];
        let (blots, blocks) = other.blots_and_blocks();
        Self {
            own,
            other,
            occupied: own.occupied(),
            blots: turned(blots),
            blocks: turned(blocks),
        }
    }

    /// The board, if `seat` is the moving side.
    #[inline]
    pub(super) fn board(&self, seat: Seat) -> Board {
        Board {
            sides: match seat {
                Seat::First => [self.own, self.other],
                Seat::Second => [self.other, self.own],
            },
        }
    }

    /// Returns true if any checker can move.
    #[inline]
    pub(super) fn can_move(&self, dice: Dice) -> bool {
        (self.movable(dice.high()) | self.movable(dice.low())) != 0
    }

    /// Calls `visit` with every legal play, exactly one for each position that can be reached, and
    /// with the checkers after it.
    #[inline]
    pub(super) fn for_each_play(&self, dice: Dice, mut visit: impl FnMut(Play, &Self)) {
        if dice.is_double() {
            self.for_each_of_double(dice.high(), &mut visit);
        } else {
            self.for_each_of_two(dice.high(), dice.low(), visit);
        }
    }

    /// The number of legal plays.
    pub(super) fn count_plays(&self, dice: Dice) -> usize {
        let (high, low) = (dice.high(), dice.low());
        let count = if dice.is_double() {
            match self.double_steps_max(high, BAR, 4) {
                0 => 0,
                steps => self.count_of_double(high, BAR, steps),
            }
        } else {
            let mut count = 0;
            let found = self.for_each_pairs(high, low, |_, pairs| {
                count += pairs.seconds.count_ones();
            });
            if found {
                count
            } else {
                self.only_step(high, low).0.count_ones()
            }
        };
        count as usize
    }

    /// The maximum number of steps that can be made.
    pub(super) fn steps_max(&self, dice: Dice) -> u8 {
        let (high, low) = (dice.high(), dice.low());
        if dice.is_double() {
            return self.double_steps_max(high, BAR, 4);
        }
        if self.for_each_pairs(high, low, |_, _| {}) {
            2
        } else {
            u8::from(self.can_move(dice))
        }
    }

    /// Visits the plays of two different dice.
    ///
    /// If no order plays both dice, a play is one step, by the larger die if it can be played.
    #[inline]
    fn for_each_of_two(&self, high: u8, low: u8, mut visit: impl FnMut(Play, &Self)) {
        let found = self.for_each_pairs(high, low, |first, pairs| {
            let from = pairs.from;
            for second in descending(pairs.seconds) {
                let (from_high, from_low, die) = if pairs.high_first {
                    (from, second, low)
                } else {
                    (second, from, high)
                };
                let play = self.two_steps(from_high, high, from_low, low);
                visit(play, &first.after(second, die));
            }
        });
        if found {
            return;
        }
        let (only, die) = self.only_step(high, low);
        for from in descending(only) {
            let to = from.saturating_sub(die);
            let play = Play::one(Move::new(from, to, self.is_blot(to)));
            visit(play, &self.after(from, die));
        }
    }

    /// Visits the pairs of steps that play both dice, and with them the checkers after the first step.
    /// Returns true if there are any.
    ///
    /// Visits the pairs with the larger die first and then those with the smaller die first, and
    /// leaves out every position already reached. That needs no set of positions, because two pairs
    /// reach the same position only if
    ///
    /// - they are the same two steps: then the larger die can be played first, unless it is the step
    ///   by the smaller one that makes its step possible,
    /// - one checker makes both steps and no hit tells the ways over different points apart, or
    /// - both checkers are borne off and either die is enough for either.
    #[inline]
    fn for_each_pairs(&self, high: u8, low: u8, mut visit: impl FnMut(&Self, Pairs)) -> bool {
        let by_high = self.movable(high);
        let by_low = self.movable(low);
        let either_way = self.either_way(by_high & by_low, high, low);
        let mut found = false;
        for from in descending(by_high) {
            let first = self.after(from, high);
            let lows = first.movable(low);
            found |= lows != 0;
            let seconds = lows & !(either_way & (1 << (from + low)));
            visit(
                &first,
                Pairs {
                    high_first: true,
                    from,
                    seconds,
                },
            );
        }
        for from in descending(by_low) {
            let first = self.after(from, low);
            let highs = first.movable(high) & !by_high;
            found |= highs != 0;
            let mut seconds = highs & !((either_way & (1 << from)) >> low);
            if from <= low {
                seconds &= !up_to(low);
            }
            visit(
                &first,
                Pairs {
                    high_first: false,
                    from,
                    seconds,
                },
            );
        }
        found
    }

    /// The points, among those from which either die can be played, of checkers that can make both
    /// steps with the larger die first, and for which no hit tells the two orders apart.
    #[inline]
    fn either_way(&self, points: u32, high: u8, low: u8) -> u32 {
        let stops = (self.blots << high) | (self.blots << low);
        let mut points = points & !stops & !up_to(high);
        for from in descending(points) {
            let lows = self.after(from, high).movable(low);
            if lows & (1 << (from - high)) == 0 {
                points &= !(1 << from);
            }
        }
        points
    }

    /// The starting points of a turn in which only one die can be played, and that die.
    #[inline]
    fn only_step(&self, high: u8, low: u8) -> (u32, u8) {
        match self.movable(high) {
            0 => (self.movable(low), low),
            by_high => (by_high, high),
        }
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
    fn for_each_of_double(&self, die: u8, visit: &mut impl FnMut(Play, &Self)) {
        let steps = self.double_steps_max(die, BAR, 4);
        if steps > 0 {
            self.visit_double(self, Ways::NONE, die, BAR, steps, visit);
        }
    }

    /// The maximum number of steps, at most `left`, from points up to `from_max`.
    fn double_steps_max(&self, die: u8, from_max: u8, left: u8) -> u8 {
        let mut most = 0;
        if left == 0 {
            return 0;
        }
        for from in descending(self.movable(die) & up_to(from_max)) {
            let after = self.after(from, die);
            most = most.max(1 + after.double_steps_max(die, from, left - 1));
            if most == left {
                break;
            }
        }
        most
    }

    /// The number of plays with `left` more steps, from points up to `from_max`.
    fn count_of_double(&self, die: u8, from_max: u8, left: u8) -> u32 {
        let starts = self.movable(die) & up_to(from_max);
        if left == 1 {
            return starts.count_ones();
        }
        descending(starts)
            .map(|from| self.after(from, die).count_of_double(die, from, left - 1))
            .sum()
    }

    /// Visits the plays that continue `ways`, which led from `start` to here, with `left` more steps
    /// from points up to `from_max`.
    fn visit_double(
        &self,
        start: &Self,
        ways: Ways,
        die: u8,
        from_max: u8,
        left: u8,
        visit: &mut impl FnMut(Play, &Self),
    ) {
        for from in descending(self.movable(die) & up_to(from_max)) {
            let ways = ways.with_step(from, die);
            let after = self.after(from, die);
            if left > 1 {
                after.visit_double(start, ways, die, from, left - 1, visit);
            } else {
                visit(ways.play(die, start.blots & !after.blots), &after);
            }
        }
    }

    /// The checkers after a step from a place of [`Mover::movable`].
    #[inline]
    fn after(&self, from: u8, die: u8) -> Self {
        let to = from.saturating_sub(die);
        let is_left = u32::from(self.own.at(from) == 1);
        Self {
            own: self.own.step(from, to),
            other: self.other.step_to_bar_if(self.is_blot(to), BAR - to),
            occupied: ((self.occupied & !(is_left << from)) | (1 << to)) & !1,
            blots: self.blots & !(1 << to),
            blocks: self.blocks,
        }
    }

    #[inline]
    const fn is_blot(&self, point: u8) -> bool {
        self.blots & (1 << (point & 31)) != 0
    }

    /// The places from which a checker can make a step by `die`.
    ///
    /// The rules in order: a checker on the bar moves first; no step lands on a block; and bearing off
    /// needs all checkers in the home board, and takes the exact number or, with a larger die, the
    /// farthest checker.
    #[inline]
    const fn movable(&self, die: u8) -> u32 {
        const BAR_BIT: u32 = 1 << BAR;
        let Self {
            occupied, blocks, ..
        } = *self;
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
}

/// The places from 0 to this one.
#[inline]
const fn up_to(place: u8) -> u32 {
    (2 << place) - 1
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
