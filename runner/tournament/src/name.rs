use std::fmt;

/// The most bytes in a name.
pub const MAX_NAME_BYTES: usize = 64;

/// The name of an event or of a bot: it stands in titles, in tables and in paths.
///
/// 1 to [`MAX_NAME_BYTES`] letters and digits of ASCII, `.`, `_`, `-` and `+`, the first one a
/// letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

/// Why a text is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// There is nothing in it.
    #[error("a name must not be empty")]
    Empty,
    /// It is too long.
    #[error("a name has at most {MAX_NAME_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// It begins with something that is neither a letter nor a digit.
    #[error("a name begins with a letter or a digit, not with {0:?}")]
    OddStart(char),
    /// Something in it is not allowed.
    #[error("a name has letters, digits, '.', '_', '-' and '+' in it, not {0:?}")]
    OddCharacter(char),
}

impl Name {
    /// The name that `text` is.
    ///
    /// # Errors
    ///
    /// It is empty, too long, or has a character that is not allowed.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let first = text.chars().next().ok_or(InvalidName::Empty)?;
        if text.len() > MAX_NAME_BYTES {
            return Err(InvalidName::TooLong(text.len()));
        }
        if let Some(odd) = text.chars().find(|c| !is_allowed(*c)) {
            return Err(InvalidName::OddCharacter(odd));
        }
        if !first.is_ascii_alphanumeric() {
            return Err(InvalidName::OddStart(first));
        }
        Ok(Self(text.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+')
}
