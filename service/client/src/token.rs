use std::fmt;

use uuid::Uuid;

/// A player's secret: 16 to 256 visible ASCII characters.
///
/// Neither `Debug` nor errors reveal it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// An invalid token. The error does not contain the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToken {
    /// It is too short or too long.
    #[error("a token has 16 to 256 characters; this one has {0}")]
    Length(usize),
    /// It has a character that is not visible ASCII.
    #[error(
        "a token consists of visible ASCII characters without spaces; character {0} is not one"
    )]
    Character(usize),
}

impl Token {
    /// Fewest characters in a token.
    pub const MIN_LENGTH: usize = 16;
    /// Most characters in a token.
    pub const MAX_LENGTH: usize = 256;

    /// Parses a token.
    ///
    /// # Errors
    ///
    /// It is too short, too long, or not all visible ASCII.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidToken> {
        let text = text.into();
        if let Some(index) = text.chars().position(|c| !c.is_ascii_graphic()) {
            return Err(InvalidToken::Character(index + 1));
        }
        if !(Self::MIN_LENGTH..=Self::MAX_LENGTH).contains(&text.len()) {
            return Err(InvalidToken::Length(text.len()));
        }
        Ok(Self(text))
    }

    /// Creates an unguessable token: 122 random bits.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().simple().to_string())
    }

    /// The secret itself, for passing it on.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_limits() {
        assert!(Token::new("x".repeat(16)).is_ok());
        assert!(Token::new("~".repeat(256)).is_ok());
        assert_eq!(Token::new("x".repeat(15)), Err(InvalidToken::Length(15)));
        assert_eq!(Token::new("x".repeat(257)), Err(InvalidToken::Length(257)));
        assert_eq!(
            Token::new("secret secret secret"),
            Err(InvalidToken::Character(7))
        );
        assert_eq!(
            Token::new("ééééééééééééééééé"),
            Err(InvalidToken::Character(1))
        );
    }

    #[test]
    fn is_never_shown() {
        let token = Token::new("correct-horse-battery").unwrap();
        assert_eq!(format!("{token:?}"), "Token(…)");
        assert_eq!(token.reveal(), "correct-horse-battery");
    }

    #[test]
    fn random_tokens_are_tokens() {
        let token = Token::random();
        assert_eq!(Token::new(token.reveal()), Ok(token.clone()));
        assert_ne!(token, Token::random());
    }
}
