use super::sample::as_number;

/// The encounters of two bots by their outcomes, in half points of the first bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncounterCounts {
    /// Encounters of two matches, with 0 to 4 half points.
    pub whole: [u64; 5],
    /// Encounters of which one match counts, with 0 to 2 half points.
    pub half: [u64; 3],
}

impl EncounterCounts {
    /// The number of matches.
    #[must_use]
    pub fn matches(&self) -> u64 {
        2 * self.whole.iter().sum::<u64>() + self.half.iter().sum::<u64>()
    }

    /// The half points of the first bot.
    #[must_use]
    pub fn half_points(&self) -> u64 {
        let sum = |counts: &[u64]| (0..).zip(counts).map(|(each, count)| each * count).sum();
        let [whole, half]: [u64; 2] = [sum(&self.whole), sum(&self.half)];
        whole + half
    }

    /// The encounters.
    pub(super) fn units(&self) -> u64 {
        self.whole.iter().chain(&self.half).sum()
    }

    /// The sum of the squared residuals of the encounters if the first bot expects `expected` points of a match.
    pub(super) fn scatter(&self, expected: f64) -> f64 {
        let of = |counts: &[u64], matches: f64| -> f64 {
            let cells = (0_u32..).zip(counts);
            let square = |(halves, count): (u32, &u64)| {
                let residual = f64::from(halves) / 2.0 - matches * expected;
                as_number(*count) * residual * residual
            };
            cells.map(square).sum()
        };
        of(&self.whole, 2.0) + of(&self.half, 1.0)
    }
}
