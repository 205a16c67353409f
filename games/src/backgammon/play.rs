use std::fmt;

use super::{BAR, OFF};

/// Maximum number of moves in a play: a double gives four.
pub const PARTS_MAX: usize = 4;

/// Maximum number of stops between the start and the end of a checker's move.
pub(super) const STOPS_MAX: usize = 3;

/// One checker's move, with the stops that are named: `24/18*/13`.
///
/// Bits, from the top: `from` (5), `to` (5), a hit at the end (1), unused (3), and three stops, each a
/// hit mark (1) and a point (5). Zero means no move. Packing keeps a [`Play`] at 16 bytes, which makes
/// it cheap to copy out of the move generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u32);

/// A named stop on a checker's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stop {
    /// The point, 1 to 24.
    pub point: u8,
    /// True if it is marked as a hit.
    pub hits: bool,
}

const FROM: u32 = 27;
const TO: u32 = 22;
const PLACE: u32 = 31;
const HIT: u32 = 1 << 21;
const STOP_BITS: u32 = 6;
const STOP_HIT: u32 = 1 << 5;
/// The lowest bit of the first stop.
const FIRST_STOP: u32 = 12;

impl Move {
    pub(super) const NONE: Self = Self(0);

    /// A move without stops. `from` is 1 to 25, `to` is 0 to 24.
    #[inline]
    pub(super) fn new(from: u8, to: u8, hits: bool) -> Self {
        let bits = (u32::from(from) << FROM) | (u32::from(to) << TO);
        Self(if hits { bits | HIT } else { bits })
    }

    /// Adds the stop with this index, 0 to 2.
    #[inline]
    #[must_use]
    pub(super) fn with_stop(self, index: usize, stop: Stop) -> Self {
        let bits = u32::from(stop.point) | if stop.hits { STOP_HIT } else { 0 };
        Self(self.0 | (bits << Self::stop_shift(index)))
    }

    fn stop_shift(index: usize) -> u32 {
        let skipped = if index < STOPS_MAX {
            index
        } else {
            STOPS_MAX - 1
        };
        FIRST_STOP - STOP_BITS * [0, 1, 2][skipped]
    }

    /// The starting place: 1 to 24, or 25 for the bar.
    #[inline]
    #[must_use]
    pub fn from(self) -> u8 {
        ((self.0 >> FROM) & PLACE).to_le_bytes()[0]
    }

    /// The final place: 1 to 24, or 0 if the checker is borne off.
    #[inline]
    #[must_use]
    pub fn to(self) -> u8 {
        ((self.0 >> TO) & PLACE).to_le_bytes()[0]
    }

    /// Returns true if a hit is marked at the end.
    #[inline]
    #[must_use]
    pub const fn hits(self) -> bool {
        self.0 & HIT != 0
    }

    /// The named stops, in order.
    pub fn stops(self) -> impl Iterator<Item = Stop> {
        (0..STOPS_MAX).map_while(move |index| {
            let bits = (self.0 >> Self::stop_shift(index)) & (PLACE | STOP_HIT);
            let stop = Stop {
                point: (bits & PLACE).to_le_bytes()[0],
                hits: bits & STOP_HIT != 0,
            };
            (bits != 0).then_some(stop)
        })
    }

    /// The points marked as hits, one bit each.
    #[inline]
    pub(super) fn hit_points(self) -> u32 {
        let mut points = if self.hits() { 1 << self.to() } else { 0 };
        if self.0 & ((1 << (FIRST_STOP + STOP_BITS)) - 1) != 0 {
            for stop in self.stops().filter(|stop| stop.hits) {
                points |= 1 << stop.point;
            }
        }
        points
    }
}

/// All moves of a turn, in standard notation from the mover's side: `24/18 13/11*`, `bar/20`,
/// `6/off`, `8/5(2)`.
///
/// Listed plays are canonical: steps of one checker are one move, a stop is named only where it
/// hits, the farthest moves come first, and each hit is marked once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Play {
    moves: [Move; PARTS_MAX],
}

impl Play {
    /// A play of one to four moves. `None` for any other number.
    #[inline]
    pub(super) fn new(moves: &[Move]) -> Option<Self> {
        if moves.is_empty() || moves.len() > PARTS_MAX {
            return None;
        }
        let mut all = [Move::NONE; PARTS_MAX];
        all[..moves.len()].copy_from_slice(moves);
        Some(Self { moves: all })
    }

    /// The play of these moves, of which the first is one; [`Move::NONE`] may follow the last.
    #[inline]
    pub(super) const fn of(moves: [Move; PARTS_MAX]) -> Self {
        Self { moves }
    }

    /// A play of one move.
    #[inline]
    pub(super) const fn one(only: Move) -> Self {
        Self {
            moves: [only, Move::NONE, Move::NONE, Move::NONE],
        }
    }

    /// A play of two moves.
    #[inline]
    pub(super) const fn two(one: Move, two: Move) -> Self {
        Self {
            moves: [one, two, Move::NONE, Move::NONE],
        }
    }

    /// Its moves, in written order.
    #[inline]
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves
            .iter()
            .copied()
            .take_while(|part| *part != Move::NONE)
    }

    /// The points marked as hits, one bit each.
    #[inline]
    pub(super) fn hit_points(&self) -> u32 {
        self.moves()
            .fold(0, |points, part| points | part.hit_points())
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.moves().peekable();
        let mut separator = "";
        while let Some(part) = rest.next() {
            let mut count = 1;
            while rest.next_if_eq(&part).is_some() {
                count += 1;
            }
            write!(f, "{separator}{part}")?;
            if count > 1 {
                write!(f, "({count})")?;
            }
            separator = " ";
        }
        Ok(())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Place(self.from()))?;
        for stop in self.stops() {
            write!(f, "/{}{}", stop.point, star(stop.hits))?;
        }
        write!(f, "/{}{}", Place(self.to()), star(self.hits()))
    }
}

fn star(hits: bool) -> &'static str {
    if hits { "*" } else { "" }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({self})")
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Play({self})")
    }
}

/// Displays a place in notation.
pub(super) struct Place(pub(super) u8);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            BAR => f.write_str("bar"),
            OFF => f.write_str("off"),
            point => write!(f, "{point}"),
        }
    }
}
