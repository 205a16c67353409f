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

/// Writes the values of an enum as their words, and reads them.
macro_rules! words {
    ($type:ident, $kind:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::ParseWordError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .into_iter()
                    .find(|each| each.word() == text)
                    .ok_or_else(|| $crate::ParseWordError::new($kind, text))
            }
        }
    };
}

pub(super) use words;
