use std::fmt;
use std::str::FromStr;

/// The hash of a token's secret, which is all that is kept of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// The hash with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The id of the token.
    #[must_use]
    pub const fn id(&self) -> TokenId {
        TokenId(*self.0.first_chunk().expect("a hash has 32 bytes"))
    }
}

/// The first digits only: what identifies a token is its id.
impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenHash({}…)", self.id())
    }
}

/// The id of a token, no secret: the first 8 bytes of its hash, written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId([u8; 8]);

impl TokenId {
    /// The id with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> [u8; 8] {
        self.0
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

/// A text that is no token id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token id is 16 hexadecimal digits")]
pub struct ParseTokenIdError;

impl FromStr for TokenId {
    type Err = ParseTokenIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() != 16 || !digits {
            return Err(ParseTokenIdError);
        }
        u64::from_str_radix(text, 16)
            .map(|number| Self(number.to_be_bytes()))
            .map_err(|_| ParseTokenIdError)
    }
}
