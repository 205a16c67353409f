use super::{InvalidSample, Sample};

/// Matches won, drawn and lost, each a unit of its own.
///
/// Of matches that were played in encounters this throws away that the two matches of an encounter
/// depend on each other: take [`Pentanomial`](super::Pentanomial) counts where there are any.
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
    /// The counts as a sample of matches.
    ///
    /// # Errors
    ///
    /// A count is more than [`MAX_UNITS`](super::MAX_UNITS).
    pub fn sample(self) -> Result<Sample, InvalidSample> {
        Sample::new(&[self.losses, self.draws, self.wins], 1)
    }
}
