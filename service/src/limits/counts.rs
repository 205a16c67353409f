use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of things that each key has at once.
#[derive(Clone, Debug)]
pub(crate) struct Counts<K> {
    allowed: usize,
    counts: Arc<Mutex<HashMap<K, usize>>>,
}

/// One thing that counts for a key, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<K: Copy + Eq + Hash> {
    key: K,
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
        let mut counts = self.lock();
        let count = counts.entry(key).or_default();
        if *count >= self.allowed {
            if *count == 0 {
                counts.remove(&key);
            }
            return None;
        }
        *count += 1;
        Some(Counted {
            key,
            counts: self.clone(),
        })
    }

    /// One more for `key`, whether or not it is allowed.
    pub(crate) fn take_anyway(&self, key: K) -> Counted<K> {
        *self.lock().entry(key).or_default() += 1;
        Counted {
            key,
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

impl<K: Copy + Eq + Hash> Drop for Counted<K> {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
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
    fn nothing_may_be_allowed() {
        let counts = Counts::new(0);
        assert!(counts.take(1).is_none());
        assert!(counts.lock().is_empty());
    }
}
