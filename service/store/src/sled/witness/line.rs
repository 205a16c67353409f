//! A line of the witness: 36 bytes.

use dragontooth_service_vocabulary::Sequence;
use sha2::{Digest, Sha256};

use crate::{ChainHash, StreamId, sealed};

/// The length of every line.
pub(super) const LEN_BYTES: usize = 36;

/// Offset of the checksum in a line; it covers all bytes before it.
const CHECKED_BYTES: usize = 32;

/// The head seen of a stream, with a mark of the record there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WitnessedHead {
    pub(crate) sequence: Sequence,
    pub(crate) mark: Mark,
}

/// Eight bytes that identify a record: the first of the hash that it is sealed with, or of its SHA-256 if it is
/// not sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark([u8; 8]);

impl Mark {
    pub(crate) fn of(record: &[u8]) -> Self {
        let hash = sealed::stored_hash(record)
            .unwrap_or_else(|| ChainHash::from_bytes(Sha256::digest(record).into()));
        Self(std::array::from_fn(|at| hash.bytes()[at]))
    }

    pub(crate) const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn bytes(self) -> [u8; 8] {
        self.0
    }
}

/// A stream and its head: sixteen bytes of stream id, eight of sequence, eight of mark, four of the CRC-32 of
/// these; numbers are big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) stream: StreamId,
    pub(super) seen: WitnessedHead,
}

impl Line {
    pub(super) fn encode(&self) -> [u8; LEN_BYTES] {
        let mut bytes = [0; LEN_BYTES];
        bytes[..16].copy_from_slice(&self.stream.0);
        bytes[16..24].copy_from_slice(&self.seen.sequence.0.to_be_bytes());
        bytes[24..CHECKED_BYTES].copy_from_slice(&self.seen.mark.0);
        let sum = crc32fast::hash(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// The line, if its checksum is right.
    pub(super) fn decode(bytes: &[u8; LEN_BYTES]) -> Option<Self> {
        let (checked, sum) = bytes.split_first_chunk::<CHECKED_BYTES>()?;
        if crc32fast::hash(checked).to_be_bytes() != sum {
            return None;
        }
        let (stream, rest) = checked.split_first_chunk::<16>()?;
        let (sequence, rest) = rest.split_first_chunk::<8>()?;
        let mark = rest.first_chunk::<8>()?;
        Some(Self {
            stream: StreamId(*stream),
            seen: WitnessedHead {
                sequence: Sequence(u64::from_be_bytes(*sequence)),
                mark: Mark(*mark),
            },
        })
    }
}
