use std::fmt;

/// The number of an event in its stream, from 1. [`Sequence::START`], 0, is before the first event.
///
/// ```
/// use dragontooth_service_vocabulary::Sequence;
///
/// assert_eq!(Sequence::START.next(), Sequence(1));
/// assert_eq!(Sequence(41).next().to_string(), "42");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Before the first event.
    pub const START: Self = Self(0);

    /// The greatest sequence; no stream gets this far.
    pub const MAX: Self = Self(u64::MAX);

    /// The number of the next event.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The number `count` places further, or `None` beyond [`Sequence::MAX`].
    #[must_use]
    pub const fn checked_add(self, count: u64) -> Option<Self> {
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
