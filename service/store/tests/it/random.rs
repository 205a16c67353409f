//! Reproducible randomness for tests.

use std::{env, time::SystemTime};

/// A splitmix64 generator whose seed is printed, and taken from `STORE_TEST_SEED` if that is set.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator for the test called `test`.
    pub(crate) fn for_test(test: &str) -> Self {
        let seed = match env::var("STORE_TEST_SEED") {
            Ok(seed) => seed.parse().expect("STORE_TEST_SEED is a number"),
            Err(_) => SystemTime::UNIX_EPOCH
                .elapsed()
                .map_or(0, |now| u64::from(now.subsec_nanos())),
        };
        // The harness shows it when the test fails.
        #[expect(clippy::print_stderr, reason = "a failed test tells its seed")]
        {
            eprintln!("{test}: STORE_TEST_SEED={seed}");
        }
        Self(seed)
    }

    /// A generator that gives the same numbers for the same seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// An index into something of `len` items.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("below a usize")
    }
}
