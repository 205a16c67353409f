/// A bot before a round of a Swiss system is paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its score so far, in any unit.
    pub score: u32,
    /// The numbers of those whom it has met.
    pub met: Vec<usize>,
    /// Whether it has had a bye.
    pub had_bye: bool,
    /// How it floated in the last round and in the one before.
    pub floats: [Float; 2],
}

/// Against whom somebody played in a round (FIDE C.04.3, A.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Float {
    /// Against one with as many points, or not at all yet.
    #[default]
    None,
    /// Against one with fewer points, or it had a bye.
    Down,
    /// Against one with more points.
    Up,
}
