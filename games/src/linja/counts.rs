/// A number for each of the eight rows as a side sees them, its home row first: a byte a row.
///
/// As pieces of one side no byte is above 12, as pieces of both none above 24.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Counts(u64);

/// The topmost bit of some of the eight bytes.
const TOPS: u64 = 0x8080_8080_8080_8080;
/// The same for the rows that can be full: all but the home row and the target row.
const INNER_TOPS: u64 = 0x0080_8080_8080_8000;
/// The same for the rows that can be left: all but the target row.
const START_TOPS: u64 = 0x0080_8080_8080_8080;
/// What lifts a byte of at least 1 to the topmost bit.
const TO_ONE: u64 = 0x7F7F_7F7F_7F7F_7F7F;
/// What lifts a byte of at least the capacity of a row, 6, to the topmost bit.
const TO_CAPACITY: u64 = 0x7A7A_7A7A_7A7A_7A7A;

impl Counts {
    #[inline]
    pub(super) const fn new(rows: [u8; 8]) -> Self {
        Self(u64::from_le_bytes(rows))
    }

    #[inline]
    pub(super) const fn rows(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    /// The same rows as the other side sees them.
    #[inline]
    pub(super) const fn turned(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// What stands on a row, 0 to 7.
    #[inline]
    pub(super) const fn on(self, row: u8) -> u8 {
        self.rows()[(row & 7) as usize]
    }

    #[inline]
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// One piece leaves a row and enters another; rows are 0 to 7.
    #[inline]
    pub(super) const fn shift(self, from: u8, to: u8) -> Self {
        let without = self.0.wrapping_sub(1 << (8 * (from & 7)));
        Self(without.wrapping_add(1 << (8 * (to & 7))))
    }

    /// The lowest row with anything on it; 8 if there is none.
    #[inline]
    pub(super) const fn lowest(self) -> u32 {
        self.0.trailing_zeros() / 8
    }

    /// The rows, as the topmost bits of their bytes, from which one of these pieces can go `steps`
    /// rows forward, 1 to 7, where `all` are the pieces of both sides. It stops on the target row.
    #[inline]
    pub(super) const fn movable(self, steps: u8, all: Self) -> u64 {
        let standing = self.0.wrapping_add(TO_ONE) & START_TOPS;
        let full = all.0.wrapping_add(TO_CAPACITY) & INNER_TOPS;
        standing & !(full >> (8 * (steps & 7)))
    }
}

/// The row of the lowest of some topmost bits, 8 if there is none.
#[inline]
pub(super) const fn lowest_row(tops: u64) -> u8 {
    (tops.trailing_zeros() / 8).to_le_bytes()[0]
}

/// The rows of topmost bits in the order in which the other side sees them.
#[inline]
pub(super) const fn turned_rows(tops: u64) -> u64 {
    (tops & TOPS).swap_bytes()
}
