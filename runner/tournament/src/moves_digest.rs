use std::fmt::{self, Write as _};
use std::str::FromStr;

/// What tells whether two matches were played alike: SHA-256 over the lines of the record from the
/// first game on, that is over the positions that open the games, the actions, passes and rolls,
/// and the outcomes of the games. It is written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MovesDigest([u8; 32]);

/// A text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest has 64 hexadecimal digits in lower case")]
pub struct ParseDigestError;

impl MovesDigest {
    /// The digest with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its first eight bytes as a number: among the matches of an event no two have it in common by
    /// chance.
    #[must_use]
    pub fn short(&self) -> u64 {
        let (first, _) = self.0.split_first_chunk::<8>().expect("it has 32 bytes");
        u64::from_be_bytes(*first)
    }
}

impl fmt::Display for MovesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = String::with_capacity(64);
        for byte in self.0 {
            write!(digits, "{byte:02x}")?;
        }
        f.pad(&digits)
    }
}

impl fmt::Debug for MovesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MovesDigest({self})")
    }
}

impl FromStr for MovesDigest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(ParseDigestError),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(ParseDigestError);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = value(*high)? << 4 | value(*low)?;
        }
        Ok(Self(bytes))
    }
}
