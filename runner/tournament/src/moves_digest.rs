use std::fmt;
use std::str::FromStr;

use dragontooth_games::{hex, read_hex};

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
        f.pad(&hex(&self.0))
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
        // Upper case is refused.
        read_hex(text)
            .map(Self)
            .filter(|digest| digest.to_string() == text)
            .ok_or(ParseDigestError)
    }
}
