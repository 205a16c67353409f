use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{LimitExceeded, LimitName};

/// The number of things, or of bytes, that each key has at once.
#[derive(Clone, Debug)]
pub(crate) struct Counts<K> {
    allowed: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

/// A share of the count of a key, usually 1. Dropping it gives the share back.
#[derive(Debug)]
pub(crate) struct Counted<K: Copy + Eq + Hash> {
    key: K,
    amount: usize,
    counts: Counts<K>,
}

impl<K: Copy + Eq + Hash> Counts<K> {
    pub(crate) fn new(allowed: usize) -> Self {
        Self {
            allowed,
            counts: Arc::default(),
        }
    }

    pub(crate) const fn allowed(&self) -> usize {
        self.allowed
    }

    /// Counts one more for `key`; `None` if it already has as many as are allowed.
    pub(crate) fn take(&self, key: K) -> Option<Counted<K>> {
        let mut one = self.nothing(key);
        one.resize(1).then_some(one)
    }

    /// One more for `key`, whether or not it is allowed.
    pub(crate) fn take_anyway(&self, key: K) -> Counted<K> {
        *self.lock().entry(key).or_default() += 1;
        let mut one = self.nothing(key);
        one.amount = 1;
        one
    }

    /// Nothing yet for `key`, which may grow.
    pub(crate) fn nothing(&self, key: K) -> Counted<K> {
        Counted {
            key,
            amount: 0,
            counts: self.clone(),
        }
    }

    pub(crate) fn of(&self, key: &K) -> usize {
        self.lock().get(key).copied().unwrap_or(0)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Counted<K> {
    /// The most that its key may have.
    pub(crate) const fn allowed(&self) -> usize {
        self.counts.allowed
    }

    /// Counts `amount` from now on; false, and nothing changes, if that is more than is allowed.
    pub(crate) fn resize(&mut self, amount: usize) -> bool {
        let mut counts = self.counts.lock();
        let others = counts.get(&self.key).copied().unwrap_or(0) - self.amount;
        if amount > self.amount && others.saturating_add(amount) > self.counts.allowed {
            return false;
        }
        self.amount = amount;
        // Idle keys are forgotten.
        match others + amount {
            0 => counts.remove(&self.key),
            count => counts.insert(self.key, count),
        };
        true
    }
}

impl<K: Copy + Eq + Hash> Drop for Counted<K> {
    fn drop(&mut self) {
        if self.amount > 0 {
            self.resize(0);
        }
    }
}

/// Counts `bytes` from now on, within the limit of this name.
pub(super) fn resize<K: Copy + Eq + Hash>(
    counted: &mut Counted<K>,
    bytes: usize,
    limit: LimitName,
) -> Result<(), LimitExceeded> {
    if counted.resize(bytes) {
        return Ok(());
    }
    let allowed = counted.allowed();
    Err(LimitExceeded::Count { limit, allowed })
}

/// Counts one more for `key`, within the limit of this name.
pub(super) fn take<K: Copy + Eq + Hash>(
    counts: &Counts<K>,
    key: K,
    limit: LimitName,
) -> Result<Counted<K>, LimitExceeded> {
    counts.take(key).ok_or_else(|| LimitExceeded::Count {
        limit,
        allowed: counts.allowed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_counts_no_more() {
        let counts = Counts::new(2);
        let one = counts.take("a").unwrap();
        let two = counts.take("a").unwrap();
        assert!(counts.take("a").is_none());
        let other = counts.take("b").unwrap();
        drop(one);
        let three = counts.take("a").unwrap();
        assert_eq!((counts.of(&"a"), counts.of(&"b")), (2, 1));
        let more = counts.take_anyway("a");
        assert_eq!(counts.of(&"a"), 3);
        drop(more);
        assert!(counts.take("a").is_none());
        drop((two, three, other));
        assert!(counts.lock().is_empty(), "idle keys are forgotten");
    }

    #[test]
    fn an_amount_grows_and_shrinks_within_what_is_allowed() {
        let counts = Counts::new(10);
        let mut one = counts.nothing("a");
        let mut two = counts.nothing("a");
        assert!(one.resize(6) && two.resize(4));
        assert!(!two.resize(5) && counts.of(&"a") == 10);
        assert!(one.resize(1) && two.resize(9));
        assert!(one.resize(0) && counts.of(&"a") == 9);
        drop((one, two));
        assert!(counts.lock().is_empty(), "idle keys are forgotten");
    }

    #[test]
    fn nothing_may_be_allowed() {
        let counts = Counts::new(0);
        assert!(counts.take(1).is_none());
        assert!(counts.lock().is_empty());
    }
}
