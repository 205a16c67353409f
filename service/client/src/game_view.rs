/// A game of the service's catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameView {
    /// Its name: `kamisado`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The records of other programs in which its matches are exported.
    pub formats: Vec<String>,
    /// Its variants, the default first.
    pub variants: Vec<VariantView>,
}

/// A way to start a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantView {
    /// Its name: `standard`.
    pub name: String,
    /// A description in one sentence.
    pub summary: String,
    /// The usual targets, in points, ascending.
    pub targets: Vec<u32>,
    /// The greatest target, if any number of points from 1 up to it is allowed too.
    pub target_max: Option<u32>,
}
