/// A game of the service's catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameInfo {
    /// Its name: `kamisado`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The points that a match may be played to, ascending.
    pub targets: Vec<u32>,
    /// Its variants, the default first.
    pub variants: Vec<VariantInfo>,
}

/// A way to start a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantInfo {
    /// Its name: `standard`.
    pub name: String,
    /// What it is, in one sentence.
    pub summary: String,
}
