use crate::quoted::quoted;

/// A name that stands for nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} {}; there is {}", quoted(name), known.join(", "))]
pub struct UnknownName {
    /// What it was to be the name of: `game`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}
