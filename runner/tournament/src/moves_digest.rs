use std::fmt::{self, Write as _};
use std::str::FromStr;

/// A fingerprint of the moves of a match, equal for matches with the same moves: SHA-256 over the
/// lines of its record from the first game on, that is the positions that open the games, the
/// actions, passes and rolls, and the outcomes of the games. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MovesDigest([u8; 32]);

/// A text that is not a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest consists of 64 lower-case hexadecimal digits")]
pub struct ParseDigestError;

impl MovesDigest {
    /// Creates the digest with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the digest that a match shares with its copies, from that of its moves, that of the moves up to the call
    /// after which it was played on, and the number of its actions: the one up to the call, since a copy may have ended
    /// there. `None` if the moves were not recorded, or without an action: then a fault decided the match.
    #[must_use]
    pub fn of_copies(moves: Option<Self>, moves_to_call: Option<Self>, plies: u32) -> Option<Self> {
        moves_to_call.or(moves).filter(|_| plies > 0)
    }

    /// Returns its first eight bytes as a number. A collision within an event is practically
    /// impossible.
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
