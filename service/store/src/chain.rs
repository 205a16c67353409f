//! The hashes that chain the records of a stream to each other.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::StreamId;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The prefix of the stream id in the hash over no records.
const START: &[u8] = b"dragontooth.chain.v1\0";

/// The hash over the records of a stream up to one of them, in their order.
///
/// `hash(0) = SHA-256("dragontooth.chain.v1\0" || stream id)`, and
/// `hash(n) = SHA-256(hash(n - 1) || payload(n))`. So it identifies the stream and all of its
/// records up to this one: any later change to them gives another hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChainHash([u8; Self::BYTES]);

impl ChainHash {
    /// The length of a hash.
    pub const BYTES: usize = 32;

    /// The hash over no record of a stream.
    #[must_use]
    pub fn start(stream: StreamId) -> Self {
        Self(
            Sha256::new()
                .chain_update(START)
                .chain_update(stream.0)
                .finalize()
                .into(),
        )
    }

    /// The hash over the records so far and one more with this payload.
    #[must_use]
    pub fn followed_by(self, payload: &[u8]) -> Self {
        Self(
            Sha256::new()
                .chain_update(self.0)
                .chain_update(payload)
                .finalize()
                .into(),
        )
    }

    /// The hash with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// Sixty-four lower-case hexadecimal digits.
impl fmt::Display for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // At once: every match that is shown shows its hash.
        let mut text = [0; 2 * Self::BYTES];
        for (digits, byte) in text.chunks_exact_mut(2).zip(self.0) {
            digits[0] = DIGITS[usize::from(byte >> 4)];
            digits[1] = DIGITS[usize::from(byte & 0xf)];
        }
        f.write_str(str::from_utf8(&text).expect("the digits are ASCII"))
    }
}

impl fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChainHash({self})")
    }
}
