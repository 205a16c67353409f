use std::fmt;

/// Longest name in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// The name of an event or a bot, used in titles, tables and paths.
///
/// 1 to [`MAX_NAME_BYTES`] ASCII letters, digits, `.`, `_`, `-` and `+`, starting with a letter or
/// a digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

/// The reason why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The text is empty.
    #[error("a name must not be empty")]
    Empty,
    /// The text is too long.
    #[error("a name has at most {MAX_NAME_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The first character is neither a letter nor a digit.
    #[error("a name starts with a letter or a digit, not with {0:?}")]
    OddStart(char),
    /// A character is not allowed.
    #[error("a name consists of letters, digits, '.', '_', '-' and '+', not {character:?} \
             (character {position}, U+{code:04X})", code = u32::from(*.character))]
    OddCharacter {
        /// The character: the first that is not allowed.
        character: char,
        /// Its place in the text, in characters from 1.
        position: usize,
    },
}

impl Name {
    /// Parses a name.
    ///
    /// # Errors
    ///
    /// The text is empty, too long, or has a character that is not allowed.
    pub fn new(text: &str) -> Result<Self, InvalidName> {
        let first = text.chars().next().ok_or(InvalidName::Empty)?;
        if text.len() > MAX_NAME_BYTES {
            return Err(InvalidName::TooLong(text.len()));
        }
        if let Some((index, character)) = text.chars().enumerate().find(|(_, c)| !is_allowed(*c)) {
            return Err(InvalidName::OddCharacter {
                character,
                position: index + 1,
            });
        }
        if !first.is_ascii_alphanumeric() {
            return Err(InvalidName::OddStart(first));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
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
