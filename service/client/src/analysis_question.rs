/// A question about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisQuestion {
    /// The game's name.
    pub game: String,
    /// The variant's name; `None` means the default.
    pub variant: Option<String>,
    /// The position, in the game's notation; `None` means the first one of a match.
    pub position: Option<String>,
    /// Actions to play from there, and rolls where one is due; at most 10,000.
    pub actions: Vec<String>,
    /// True to include the position after each legal action.
    pub results: bool,
    /// Seed of the first position, in a variant that draws it; at most 64 bytes.
    pub seed: String,
}
