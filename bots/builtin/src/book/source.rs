use crate::search::SplitMix64;

/// Random openings of a game, and the judgement of them.
pub(super) trait Source {
    /// The position after an opening.
    type End;

    /// Plays an opening at random. `None` if there is none, or one like it came before.
    fn draw(&mut self, random: &mut SplitMix64) -> Option<Candidate<Self::End>>;

    /// The distance of a position's value from that of an even game; `None` if a side wins by force.
    fn imbalance(&mut self, end: &Self::End) -> Option<u32>;
}

/// An opening that is to be judged.
pub(super) struct Candidate<End> {
    /// Its entries.
    pub(super) entries: Vec<String>,
    /// The position after it.
    pub(super) end: End,
}
