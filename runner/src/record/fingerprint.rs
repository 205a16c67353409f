use std::fmt;
use std::str::FromStr;

use dragontooth_games::{hex, read_hex};
use sha2::{Digest, Sha256};

/// A SHA-256 hash of a line or a file: 64 lower-case hexadecimal digits as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; Self::BYTES]);

/// The text is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash has 64 lower-case hexadecimal digits")]
pub struct InvalidFingerprint;

impl Fingerprint {
    /// The length of a hash.
    pub const BYTES: usize = 32;

    /// The predecessor of a first line.
    pub const NONE: Self = Self([0; Self::BYTES]);

    /// The fingerprint of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The fingerprint of what was hashed.
    pub(super) fn of_hash(hash: Sha256) -> Self {
        Self(hash.finalize().into())
    }

    /// The fingerprint with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Upper case is refused.
        read_hex(text)
            .map(Self)
            .filter(|hash| hash.to_string() == text)
            .ok_or(InvalidFingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_back() {
        let empty = Fingerprint::of(b"");
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty.to_string(), text, "sha256sum < /dev/null");
        assert_eq!(text.parse(), Ok(empty));
        for wrong in [
            "",
            "0",
            &text[1..],
            &format!("{text}0"),
            &text.to_uppercase(),
        ] {
            assert_eq!(
                wrong.parse::<Fingerprint>(),
                Err(InvalidFingerprint),
                "{wrong}"
            );
        }
    }
}
