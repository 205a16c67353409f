use std::fmt;

use crate::Seat;

/// Number of checkers of each side.
pub const CHECKERS: u8 = 15;
/// The place number of the bar, for either side.
pub const BAR: u8 = 25;
/// The place number of checkers borne off, for either side.
pub const OFF: u8 = 0;
/// The farthest point of a side's own home board.
pub(super) const HOME_MAX: u8 = 6;

/// The number of a side's checkers on each place, numbered from its own side: borne off at 0, the
/// points 1 to 24, the bar at 25. Each place takes four bits.
///
/// Four bits hold the 15 checkers of a side, so all 26 places fit into one integer, and a step is one
/// subtraction and one addition. The move generator computes the sets of occupied places, blots and
/// blocks with a few bit operations instead of 26 comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Side(u128);

impl Side {
    /// Packs a count for each place. Counts are at most 15.
    const fn new(places: [u8; 26]) -> Self {
        let mut bits = 0;
        let mut place = 0;
        while place < 26 {
            bits |= ((places[place] & 15) as u128) << (4 * place);
            place += 1;
        }
        Self(bits)
    }

    /// The number of checkers on a place, 0 to 25.
    #[inline]
    pub(super) const fn at(self, place: u8) -> u8 {
        ((self.0 >> (4 * (place & 31))) & 15) as u8
    }

    /// Moves one checker. `from` must have at least one, or the subtraction borrows from the next
    /// place.
    #[inline]
    pub(super) const fn step(self, from: u8, to: u8) -> Self {
        let without = self.0.wrapping_sub(ONE_AT[(from & 31) as usize]);
        Self(without.wrapping_add(ONE_AT[(to & 31) as usize]))
    }

    /// Moves one checker to the bar if there is a hit. `from` must then have at least one.
    #[inline]
    pub(super) const fn step_to_bar_if(self, hit: bool, from: u8) -> Self {
        let all_bits = (hit as u128).wrapping_neg();
        let difference = ONE_AT[BAR as usize].wrapping_sub(ONE_AT[(from & 31) as usize]);
        Self(self.0.wrapping_add(difference & all_bits))
    }

    /// The places with at least one checker, one bit each. Checkers borne off are left out.
    #[inline]
    pub(super) const fn occupied(self) -> u32 {
        let bits = self.0 | (self.0 >> 1);
        compress(bits | (bits >> 2)) & !1
    }

    /// The points 1 to 24 with exactly one checker, and those with more, one bit each.
    #[inline]
    pub(super) const fn blots_and_blocks(self) -> (u32, u32) {
        let more = (self.0 >> 1) | (self.0 >> 2) | (self.0 >> 3);
        let blocks = compress(more) & POINTS;
        (compress(self.0 & !more) & POINTS, blocks)
    }

    /// The farthest place with a checker. 0 if all are borne off.
    #[inline]
    pub(super) const fn farthest(self) -> u8 {
        let on_board = self.0 & !15;
        if on_board == 0 {
            return OFF;
        }
        (on_board.ilog2() / 4).to_le_bytes()[0]
    }

    pub(super) const fn is_finished(self) -> bool {
        self.at(OFF) == CHECKERS
    }

    fn places(self) -> [u8; 26] {
        let mut place = 0;
        [(); 26].map(|()| {
            place += 1;
            self.at(place - 1)
        })
    }
}

/// One checker on each place. Reading it is faster than shifting 128 bits.
static ONE_AT: [u128; 32] = {
    let mut all = [0; 32];
    let mut place = 0;
    while place < 32 {
        all[place] = 1 << (4 * place);
        place += 1;
    }
    all
};

/// The points 1 to 24, one bit each.
const POINTS: u32 = 0x01FF_FFFE;

/// Gathers the lowest bit of each group of four bits into adjacent bits.
#[inline]
const fn compress(bits: u128) -> u32 {
    let low = compress_half((bits & 0xFFFF_FFFF_FFFF_FFFF) as u64);
    let high = compress_half((bits >> 64) as u64);
    (low | (high << 16)) & 0x03FF_FFFF
}

#[inline]
const fn compress_half(bits: u64) -> u32 {
    let bits = bits & 0x1111_1111_1111_1111;
    let bits = (bits | (bits >> 3)) & 0x0303_0303_0303_0303;
    let bits = (bits | (bits >> 6)) & 0x000F_000F_000F_000F;
    let bits = (bits | (bits >> 12)) & 0x0000_00FF_0000_00FF;
    ((bits | (bits >> 24)) & 0xFFFF) as u32
}

/// Renumbers a set of points for the other side.
///
/// Point p of one side is point 25 - p of the other. Reversing 32 bits moves bit p to 31 - p; the
/// shift by 6 makes that 25 - p.
#[inline]
pub(super) const fn turned(points: u32) -> u32 {
    points.reverse_bits() >> 6
}

/// The places of a set, farthest first.
#[inline]
pub(super) fn descending(mut places: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        if places == 0 {
            return None;
        }
        let farthest = places.ilog2();
        places &= !(1 << farthest);
        Some(farthest.to_le_bytes()[0])
    })
}

/// The checkers of both sides.
///
/// Each side always has fifteen checkers, no point has checkers of both sides, and at most one side
/// has borne off all of its checkers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    pub(super) sides: [Side; 2],
}

/// The reason why checkers do not form a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardFault {
    /// A side has too many checkers.
    #[error("{seat} has {found} checkers, more than {CHECKERS}")]
    TooMany {
        /// The side.
        seat: Seat,
        /// Their number.
        found: u32,
    },
    /// A point has checkers of both sides.
    #[error("both sides have checkers on {}'s {point} point", Seat::First)]
    Shared {
        /// The point from seat first's side, 1 to 24.
        point: u8,
    },
    /// Neither side has a checker left.
    #[error("both sides have borne off all checkers")]
    BothFinished,
}

impl Board {
    /// The standard start: 24:2, 13:5, 8:3, 6:5.
    #[must_use]
    pub const fn start() -> Self {
        let mut places = [0; 26];
        places[24] = 2;
        places[13] = 5;
        places[8] = 3;
        places[6] = 5;
        Self {
            sides: [Side::new(places); 2],
        }
    }

    /// Creates a board from the number of checkers of seat first and seat second on the places 1 to
    /// 25, each numbered from that seat's side. The rest of the fifteen are borne off; place 0 is
    /// ignored.
    ///
    /// A [`Position`](super::Position) on it is read from its [position id](Self::position_id): alone, with seat first on roll
    /// in a match to one point, or with a match id by [`Position::from_gnubg_ids`](super::Position::from_gnubg_ids).
    ///
    /// # Errors
    ///
    /// The checkers do not form a board.
    pub fn new(mut places: [[u8; 26]; 2]) -> Result<Self, BoardFault> {
        for seat in Seat::BOTH {
            let places = &mut places[seat.index()];
            let found: u32 = places[1..].iter().copied().map(u32::from).sum();
            places[0] = u8::try_from(found)
                .ok()
                .and_then(|found| CHECKERS.checked_sub(found))
                .ok_or(BoardFault::TooMany { seat, found })?;
        }
        let [first, second] = &places;
        for point in 1..=24 {
            if first[usize::from(point)] > 0 && second[usize::from(25 - point)] > 0 {
                return Err(BoardFault::Shared { point });
            }
        }
        if places.iter().all(|side| side[0] == CHECKERS) {
            return Err(BoardFault::BothFinished);
        }
        Ok(Self {
            sides: places.map(Side::new),
        })
    }

    /// The number of a side's checkers on a place, numbered from its own side: 0 for those borne
    /// off, the points 1 to 24, 25 for the bar.
    #[must_use]
    pub const fn at(&self, seat: Seat, place: u8) -> u8 {
        if place > BAR {
            return 0;
        }
        self.sides[seat.index()].at(place)
    }

    /// The number of a side's checkers on each place, 0 to 25, numbered from its own side.
    #[must_use]
    pub fn places(&self, seat: Seat) -> [u8; 26] {
        self.sides[seat.index()].places()
    }

    /// The pip count of a side: the sum of its checkers' point numbers, 25 for a checker on the bar.
    #[must_use]
    pub fn pips(&self, seat: Seat) -> u32 {
        let places = self.places(seat).map(u32::from);
        (0..).zip(places).map(|(place, count)| place * count).sum()
    }

    /// The side that has borne off all of its checkers, if any.
    #[must_use]
    pub fn finisher(&self) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.sides[seat.index()].is_finished())
    }

    /// Returns true if neither side can ever move: each has a checker on the bar, and the other's home board is closed. Play
    /// never leads there: of two sides on the bar, the last one hit had a way in.
    pub(super) fn is_locked(&self) -> bool {
        let is_closed = |side: &Side| (1..=HOME_MAX).all(|point| side.at(point) > 1);
        let is_held = |side: &Side| side.at(BAR) > 0 && is_closed(side);
        self.sides.iter().all(is_held)
    }

    /// Returns true if checkers of the two sides can still meet.
    #[must_use]
    pub const fn has_contact(&self) -> bool {
        self.sides[0].farthest() + self.sides[1].farthest() > 25
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = Seat::BOTH.map(|seat| self.places(seat));
        f.debug_struct("Board")
            .field("first", &first)
            .field("second", &second)
            .finish()
    }
}
