/// An unknown word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a {kind}")]
pub struct ParseWordError {
    kind: &'static str,
    word: String,
}

impl ParseWordError {
    pub(super) fn new(kind: &'static str, word: &str) -> Self {
        let word = word.to_owned();
        Self { kind, word }
    }
}
