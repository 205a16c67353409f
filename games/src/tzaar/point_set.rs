use std::fmt;

use super::Point;

/// A set of points, iterated from a1 to i5.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet(u64);

/// One bit for each point.
const ALL: u64 = (1 << 60) - 1;

impl PointSet {
    /// The set of the points whose bit is set. Bit 0 is a1, bit 59 is i5; higher bits are ignored.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits & ALL)
    }

    /// One bit for each point. Bit 0 is a1.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of points in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if `point` is in the set.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        self.0 & point.bit() != 0
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = PointIter;

    fn into_iter(self) -> PointIter {
        PointIter(self.0)
    }
}

/// The points of a [`PointSet`], from a1 to i5.
#[derive(Clone, Debug)]
pub struct PointIter(u64);

impl Iterator for PointIter {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        let lowest = Point::lowest(self.0)?;
        self.0 &= self.0 - 1;
        Some(lowest)
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
