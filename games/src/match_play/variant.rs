use std::fmt::Debug;

use super::MatchPlay;
use crate::UnknownName;

/// The ways to start a game, as a field-less enum; the first is the default.
pub trait Variant: Copy + Eq + Debug + Send + Sync + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];

    /// Its name in the catalogue, lower case: `standard`.
    fn name(self) -> &'static str;

    /// One sentence that describes it.
    fn summary(self) -> &'static str;
}

/// Finds a variant of the game `P` by its name. `None` is the default variant.
///
/// # Errors
///
/// The game has no such variant.
pub(crate) fn find_variant<P: MatchPlay>(name: Option<&str>) -> Result<P::Variant, UnknownName> {
    let all = P::Variant::ALL;
    let Some(name) = name else {
        return Ok(all[0]);
    };
    all.iter()
        .copied()
        .find(|variant| variant.name() == name)
        .ok_or_else(|| UnknownName {
            kind: "variant",
            name: name.to_owned(),
            known: all.iter().map(|variant| variant.name()).collect(),
        })
}
