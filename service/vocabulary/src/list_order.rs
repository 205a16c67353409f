use std::cmp::Ordering;

use crate::MatchId;

/// The order of a list of matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// By the time of creation, the last first.
    #[default]
    NewestFirst,
    /// By the time of creation, the first first.
    OldestFirst,
}

impl ListOrder {
    /// Compares the places of two matches in the order.
    ///
    /// ```
    /// use std::cmp::Ordering;
    ///
    /// use dragontooth_service_vocabulary::{ListOrder, MatchId};
    ///
    /// let [older, newer] = [1, 2].map(|byte| MatchId::from_bytes([byte; 16]));
    /// assert_eq!(ListOrder::NewestFirst.compare(newer, older), Ordering::Less);
    /// assert_eq!(ListOrder::OldestFirst.compare(newer, older), Ordering::Greater);
    /// ```
    #[must_use]
    pub fn compare(self, one: MatchId, other: MatchId) -> Ordering {
        match self {
            Self::NewestFirst => other.cmp(&one),
            Self::OldestFirst => one.cmp(&other),
        }
    }

    /// The last id that comes before `id`; `None` if it is the first that there can be.
    ///
    /// ```
    /// use dragontooth_service_vocabulary::{ListOrder, MatchId};
    ///
    /// let least = MatchId::from_bytes([0; 16]);
    /// let next = ListOrder::NewestFirst.before(least);
    /// assert_eq!(next.and_then(|next| ListOrder::OldestFirst.before(next)), Some(least));
    /// assert_eq!(ListOrder::OldestFirst.before(least), None);
    /// ```
    #[must_use]
    pub fn before(self, id: MatchId) -> Option<MatchId> {
        let number = u128::from_be_bytes(id.bytes());
        let before = match self {
            Self::NewestFirst => number.checked_add(1),
            Self::OldestFirst => number.checked_sub(1),
        };
        Some(MatchId::from_bytes(before?.to_be_bytes()))
    }
}
