use crate::quoted::quoted;
use crate::suggestion::did_you_mean;

/// A name that is not in a list of known names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown {kind} {}; expected one of {}{}",
    quoted(name),
    known.join(", "),
    did_you_mean(name, known.iter().copied())
)]
pub struct UnknownName {
    /// The kind of thing that was looked up: `game`.
    pub kind: &'static str,
    /// The unknown name.
    pub name: String,
    /// The known names.
    pub known: Vec<&'static str>,
}
