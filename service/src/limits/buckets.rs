use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dragontooth_service_vocabulary::Timestamp;

use super::{Rate, TokenBucket};

/// The most buckets that are kept: full ones are forgotten first, and beyond that a new caller has to
/// wait.
const MAX_BUCKETS: usize = 100_000;

/// Number of buckets below which full ones are not looked for.
const FIRST_SWEEP: usize = 1024;

/// Time that a new caller waits when the table of buckets is full.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(1);

/// A token bucket for each of many keys. One that is full is as good as none, and is forgotten.
#[derive(Debug)]
pub(crate) struct Buckets<K> {
    rate: Option<Rate>,
    table: Mutex<Table<K>>,
}

#[derive(Debug)]
struct Table<K> {
    buckets: HashMap<K, TokenBucket>,
    /// Number of buckets at which full ones are looked for next.
    sweep_at: usize,
}

impl<K: Copy + Eq + Hash> Buckets<K> {
    /// Buckets that all have one rate; `None` means no limit.
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        let table = Table {
            buckets: HashMap::new(),
            sweep_at: FIRST_SWEEP,
        };
        Self {
            rate,
            table: Mutex::new(table),
        }
    }

    pub(crate) const fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// Takes a token of `key`.
    ///
    /// # Errors
    ///
    /// No token is left; the time until the next one.
    pub(crate) fn spend(&self, key: K, now: Timestamp) -> Result<(), Duration> {
        self.spend_from(key, now, |bucket, rate| bucket.spend(rate, now))
    }

    /// Takes all but one of `cost` tokens of `key`, of which one has been taken before.
    ///
    /// # Errors
    ///
    /// As [`TokenBucket::spend_rest`].
    pub(crate) fn spend_rest(&self, key: K, cost: u32, now: Timestamp) -> Result<(), Duration> {
        self.spend_from(key, now, |bucket, rate| bucket.spend_rest(rate, cost, now))
    }

    /// Takes `cost` tokens of `key` of those above half of a burst.
    ///
    /// # Errors
    ///
    /// As [`TokenBucket::spend_spare`].
    pub(crate) fn spend_spare(&self, key: K, cost: u32, now: Timestamp) -> Result<(), Duration> {
        self.spend_from(key, now, |bucket, rate| bucket.spend_spare(rate, cost, now))
    }

    fn spend_from(
        &self,
        key: K,
        now: Timestamp,
        spend: impl FnOnce(&mut TokenBucket, Rate) -> Result<(), Duration>,
    ) -> Result<(), Duration> {
        let Some(rate) = self.rate else {
            return Ok(());
        };
        let mut table = self.lock();
        table.sweep(rate, now);
        let is_full = table.buckets.len() >= MAX_BUCKETS;
        match table.buckets.entry(key) {
            Entry::Occupied(mut bucket) => spend(bucket.get_mut(), rate),
            Entry::Vacant(_) if is_full => Err(WAIT_FOR_ROOM),
            Entry::Vacant(place) => spend(place.insert(TokenBucket::full(rate, now)), rate),
        }
    }

    /// The tokens that `key` has, and the time until its bucket is full.
    pub(crate) fn of(&self, key: &K, now: Timestamp) -> Option<(u64, Duration)> {
        let rate = self.rate?;
        Some(match self.lock().buckets.get(key) {
            Some(bucket) => (bucket.tokens(rate, now), bucket.time_to_full(rate, now)),
            None => (u64::from(rate.burst()), Duration::ZERO),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table<K>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Table<K> {
    /// Forgets the buckets that are full, each time that the table has doubled since: then a bucket
    /// is looked at about once for each that comes in.
    fn sweep(&mut self, rate: Rate, now: Timestamp) {
        if self.buckets.len() < self.sweep_at {
            return;
        }
        self.buckets
            .retain(|_, bucket| !bucket.time_to_full(rate, now).is_zero());
        self.sweep_at = (self.buckets.len() * 2).clamp(FIRST_SWEEP, MAX_BUCKETS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn each_key_has_its_own() {
        let buckets = Buckets::new(Rate::new(10, 2));
        for key in ["one", "other"] {
            buckets.spend(key, at(0)).unwrap();
            buckets.spend(key, at(0)).unwrap();
            assert_eq!(buckets.spend(key, at(0)), Err(Duration::from_millis(100)));
        }
        assert_eq!(
            buckets.of(&"one", at(50_000)),
            Some((0, Duration::from_millis(150)))
        );
        assert_eq!(buckets.of(&"new", at(0)), Some((2, Duration::ZERO)));
        buckets.spend("one", at(100_000)).unwrap();
    }

    #[test]
    fn without_a_rate_nothing_is_kept() {
        let buckets = Buckets::new(None);
        for key in 0..10_000 {
            buckets.spend(key, at(0)).unwrap();
        }
        assert_eq!(buckets.of(&1, at(0)), None);
        assert!(buckets.lock().buckets.is_empty());
    }

    /// A hundred keys at a time are waiting for their tokens, of a million that come and go.
    #[test]
    fn keys_that_rest_are_forgotten() {
        let buckets = Buckets::new(Rate::new(1000, 1));
        for key in 0..1_000_000_u64 {
            buckets.spend(key, at(key * 10)).unwrap();
            assert!(buckets.lock().buckets.len() <= FIRST_SWEEP);
        }
    }

    #[test]
    fn new_keys_wait_when_too_many_are_kept() {
        let buckets = Buckets::new(Rate::new(1, 2));
        for key in 0..MAX_BUCKETS {
            buckets.spend(key, at(0)).unwrap();
        }
        assert_eq!(buckets.spend(usize::MAX, at(0)), Err(WAIT_FOR_ROOM));
        buckets.spend(7, at(0)).unwrap();
        // All but one are full again a second later.
        buckets.spend(usize::MAX, at(1_000_000)).unwrap();
        assert!(buckets.lock().buckets.len() <= 2);
    }
}
