use std::fmt;
use std::str::FromStr;

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
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let digits: Option<Vec<u8>> = text.bytes().map(digit).collect();
        let digits = digits.ok_or(InvalidFingerprint)?;
        let (pairs, rest) = digits.as_chunks::<2>();
        let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
        match <[u8; Self::BYTES]>::try_from(bytes) {
            Ok(bytes) if rest.is_empty() => Ok(Self(bytes)),
            Ok(_) | Err(_) => Err(InvalidFingerprint),
        }
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
