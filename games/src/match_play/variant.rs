use std::fmt::Debug;

use super::MatchPlay;
use crate::UnknownName;

/// The ways to start a game, as a field-less enum; the first is the default.
pub trait Variant: Copy + Eq + Debug + Send + Sync + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];

    /// Its name in the catalogue, lower case: `standard`.
    fn name(self) -> &'static str;

    /// What it is, in one sentence.
    fn summary(self) -> &'static str;
}

/// The variant of the game `P` that is called `name`; the default one for no name.
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
