use super::{InvalidSample, Sample};

/// Matches won, drawn and lost, each a unit of its own.
///
/// For matches played in encounters this ignores the correlation of the two matches of an
/// encounter: use [`Pentanomial`](super::Pentanomial) counts where possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trinomial {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Trinomial {
    /// Returns the counts as a sample of matches.
    ///
    /// # Errors
    ///
    /// A count is more than [`MAX_UNITS`](super::MAX_UNITS).
    pub fn sample(self) -> Result<Sample, InvalidSample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}
