use std::fmt;

use uuid::Uuid;

/// The secret by which the service knows a player: 16 to 256 visible ASCII characters.
///
/// It shows itself nowhere: neither in `Debug` nor in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// A text that is no token. The text is not in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToken {
    /// It is too short or too long.
    #[error("a token has 16 to 256 characters, not {0}")]
    Length(usize),
    /// It has a character that is not visible ASCII.
    #[error("a token is made of visible ascii characters without spaces; character {0} is none")]
    Character(usize),
}

impl Token {
    /// The fewest characters of a token.
    pub const MIN_LENGTH: usize = 16;
    /// The most characters of a token.
    pub const MAX_LENGTH: usize = 256;

    /// The token of that text.
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

    /// A new token that nobody can guess: 122 random bits.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4().simple().to_string())
    }

    /// The secret itself, for whoever has to hand it on.
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
