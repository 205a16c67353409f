/// A bot before a round of a Swiss system is paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its score so far, in any unit.
    pub score: u32,
    /// The numbers of its previous opponents.
    pub met: Vec<usize>,
    /// True if it has had a bye.
    pub had_bye: bool,
    /// Its floats in the last round and in the one before.
    pub floats: [Float; 2],
}

/// The float of a bot in a round (FIDE C.04.3, A.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Float {
    /// The opponent had as many points, or there was no round yet.
    #[default]
    None,
    /// The opponent had fewer points, or the bot had a bye.
    Down,
    /// The opponent had more points.
    Up,
}
