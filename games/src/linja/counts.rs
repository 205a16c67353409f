/// A number of pieces for each of the eight rows, from one side's view: its home row first.
///
/// Each row is one byte of a `u64`, so that one addition adds or tests all rows at once. Bytes never
/// overflow into each other: one side has at most 12 pieces on a row, both together at most 24.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Counts(u64);

/// The top bit of every row's byte. Sets of rows use these bits.
const TOPS: u64 = 0x8080_8080_8080_8080;
/// The top bits of the rows that can be full: all but the home row and the target row.
const INNER_TOPS: u64 = 0x0080_8080_8080_8000;
/// The top bits of the rows that a piece can leave: all but the target row.
const START_TOPS: u64 = 0x0080_8080_8080_8080;
/// Added to every byte, carries a count of at least 1 into the top bit: 0x80 - 1.
const TO_ONE: u64 = 0x7F7F_7F7F_7F7F_7F7F;
/// Added to every byte, carries a count of at least 6, the capacity of a row, into the top bit:
/// 0x80 - 6.
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

    /// The same rows from the other side's view.
    #[inline]
    pub(super) const fn turned(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// The number on a row, 0 to 7.
    #[inline]
    pub(super) const fn on(self, row: u8) -> u8 {
        self.rows()[(row & 7) as usize]
    }

    #[inline]
    pub(super) const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Moves one piece between two rows, 0 to 7.
    #[inline]
    pub(super) const fn shift(self, from: u8, to: u8) -> Self {
        let without = self.0.wrapping_sub(1 << (8 * (from & 7)));
        Self(without.wrapping_add(1 << (8 * (to & 7))))
    }

    /// The lowest row that is not empty; 8 if all are.
    #[inline]
    pub(super) const fn lowest(self) -> u32 {
        self.0.trailing_zeros() / 8
    }

    /// The rows, as top bits, from which one of these pieces can go `steps` rows forward, 1 to 7.
    /// `all` is the pieces of both sides. A piece stops on the target row, which is never full, so
    /// shifting the full rows down by `steps` rows leaves those from which the landing row is full.
    #[inline]
    pub(super) const fn movable(self, steps: u8, all: Self) -> u64 {
        let standing = self.0.wrapping_add(TO_ONE) & START_TOPS;
        let full = all.0.wrapping_add(TO_CAPACITY) & INNER_TOPS;
        standing & !(full >> (8 * (steps & 7)))
    }
}

/// The row of the lowest top bit in a set; 8 if the set is empty.
#[inline]
pub(super) const fn lowest_row(tops: u64) -> u8 {
    (tops.trailing_zeros() / 8).to_le_bytes()[0]
}

/// The same set of rows from the other side's view.
#[inline]
pub(super) const fn turned_rows(tops: u64) -> u64 {
    (tops & TOPS).swap_bytes()
}
