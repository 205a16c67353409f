//! The ids of streams and the sequences of records.

use std::fmt;

/// The name of a stream: sixteen opaque bytes, the match id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub [u8; 16]);

impl From<[u8; 16]> for StreamId {
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// Thirty-two lower-case hexadecimal digits.
impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamId({self})")
    }
}

/// The place of a record in its stream: gapless, from 1.
///
/// A stream's *head* is the sequence of its last record; [`Sequence::EMPTY`] is the head of a stream
/// that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// The head of a stream without records.
    pub const EMPTY: Self = Self(0);

    /// The greatest possible sequence; no stream reaches it.
    pub const MAX: Self = Self(u64::MAX);

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sequence after this one, or `None` after the greatest.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        self.advanced_by(1)
    }

    /// The sequence `count` places further, or `None` beyond the greatest.
    #[must_use]
    pub const fn advanced_by(self, count: u64) -> Option<Self> {
        match self.0.checked_add(count) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }
}

impl From<u64> for Sequence {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
