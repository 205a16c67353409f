use dragontooth_games::chance::Chance;

/// Quick choices, good enough for a measurement (xorshift).
pub(crate) struct Choices(pub(crate) u64);

impl Chance for Choices {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let scaled = ((self.0 >> 32) * u64::from(bound)) >> 32;
        u32::try_from(scaled).expect("the number is below the bound")
    }
}
