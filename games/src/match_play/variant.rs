use std::fmt::Debug;

/// The ways to start a game, as a field-less enum; the first is the default.
pub trait Variant: Copy + Eq + Debug + Send + Sync + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];

    /// Its name in the catalogue, lower case: `standard`.
    fn name(self) -> &'static str;

    /// One sentence that describes it.
    fn summary(self) -> &'static str;
}
