use super::{InvalidSample, Sample, Score};

/// Encounters by the points of both matches together: the counts of 0, ½, 1, 1½ and 2 points, that
/// is lost-lost, lost-drawn, won-lost or drawn-drawn, won-drawn, won-won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts an encounter.
    pub const fn count(&mut self, matches: [Score; 2]) {
        self.0[matches[0].halves() + matches[1].halves()] += 1;
    }

    /// Returns the counts as a sample of encounters.
    ///
    /// # Errors
    ///
    /// A count is more than [`MAX_UNITS`](super::MAX_UNITS).
    pub fn sample(self) -> Result<Sample, InvalidSample> {
        Sample::new(&self.0, 2)
    }

    /// Returns the counts from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}
