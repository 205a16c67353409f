use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Draws that follow from a seed. All clones share them.
#[derive(Clone, Debug)]
pub(super) struct Draws(Arc<AtomicU64>);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(
            seed.wrapping_mul(0xd134_2543_de82_ef95),
        )))
    }

    /// A number below `bound`. (`SplitMix64`.)
    pub(super) fn below(&self, bound: u64) -> u64 {
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        let before = self.0.fetch_add(step, Ordering::Relaxed);
        let mut word = before.wrapping_add(step);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }

    /// True once in so many times.
    pub(super) fn one_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A time of at most so many milliseconds.
    pub(super) fn millis(&self, most: u64) -> Duration {
        Duration::from_millis(self.below(most + 1))
    }

    /// One of the items.
    pub(super) fn one_of<'a, T>(&self, items: &'a [T]) -> &'a T {
        let at = self.below(items.len() as u64);
        &items[usize::try_from(at).expect("it is below the number of items")]
    }
}
