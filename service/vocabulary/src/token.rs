use std::fmt;
use std::str::FromStr;

/// The id of an issued token, which is not secret: 16 hexadecimal digits, written in lower case.
///
/// ```
/// use dragontooth_service_vocabulary::TokenId;
///
/// let id: TokenId = "00112233AABBCCDD".parse()?;
/// assert_eq!(id.to_string(), "00112233aabbccdd");
/// # Ok::<(), dragontooth_service_vocabulary::InvalidTokenId>(())
/// ```
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

/// The error for a text that is not a token id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token id is 16 hexadecimal digits")]
pub struct InvalidTokenId;

impl FromStr for TokenId {
    type Err = InvalidTokenId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() != 16 || !digits {
            return Err(InvalidTokenId);
        }
        u64::from_str_radix(text, 16)
            .map(|number| Self(number.to_be_bytes()))
            .map_err(|_| InvalidTokenId)
    }
}

/// The standing of a token: whether the service accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenStanding {
    /// It is accepted.
    Live,
    /// Its life is over.
    Expired,
    /// It was revoked.
    Revoked,
}
