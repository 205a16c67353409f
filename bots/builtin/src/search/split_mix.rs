use dragontooth_games::chance::Chance;

/// The generator `SplitMix64`: 64 bits of state, every seed as good as any other.
///
/// Guy L. Steele, Doug Lea and Christine H. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014; the constants are those of Sebastiano Vigna's `splitmix64.c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

impl Chance for SplitMix64 {
    /// The remainder of the high half of a word; halves beyond the largest multiple of `bound` are
    /// drawn again.
    fn below(&mut self, bound: u32) -> u32 {
        let choices = 1 << 32;
        let fair = choices - choices % u64::from(bound);
        loop {
            let half = self.next_word() >> 32;
            if half < fair {
                let rest = half % u64::from(bound);
                return u32::try_from(rest).expect("it is less than the bound");
            }
        }
    }
}
