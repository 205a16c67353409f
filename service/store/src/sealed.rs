//! The stored form of a record: its payload, sealed with its hash.

use dragontooth_games::counted;
use dragontooth_service_vocabulary::Sequence;

use crate::{ChainHash, StreamId};

/// The first byte of a sealed record. No payload begins with it: in protobuf it would be the tag of field
/// number 0, which does not exist.
const SEAL: u8 = 0x02;

/// The first byte of a record of format 1, which is the payload alone: the tag of its field `format`.
const BARE: u8 = 0x08;

/// Bytes that sealing adds to a payload.
pub const SEAL_BYTES: usize = 1 + ChainHash::BYTES;

/// The last record of a stream, or of a prefix of it: its sequence and the hash over all records up to it.
///
/// A stored record of format 2 is the byte 2, the hash over the records up to it, and its payload. One
/// of format 1 is its payload; its hash is computed. Both may be in one stream, and the hashes are the
/// same in whichever format a payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// The sequence of the record; [`Sequence::START`] before the first.
    pub sequence: Sequence,
    /// The hash over the records up to it.
    pub hash: ChainHash,
}

impl ChainHead {
    /// The head of a stream without records.
    #[must_use]
    pub fn start(stream: StreamId) -> Self {
        Self {
            sequence: Sequence::START,
            hash: ChainHash::start(stream),
        }
    }

    /// Advances by a payload and returns the record that stores it.
    pub fn seal(&mut self, payload: &[u8]) -> Vec<u8> {
        self.advance(self.hash.followed_by(payload));
        let mut record = Vec::with_capacity(SEAL_BYTES + payload.len());
        record.push(SEAL);
        record.extend_from_slice(self.hash.bytes());
        record.extend_from_slice(payload);
        record
    }

    /// Advances by a stored record and returns its payload.
    ///
    /// # Errors
    ///
    /// This record or one before it is not the one that was stored. The head does not move.
    pub fn follow<'r>(&mut self, record: &'r [u8]) -> Result<&'r [u8], ChainError> {
        let (stored, payload) = unseal(record)?;
        let computed = self.hash.followed_by(payload);
        if let Some(stored) = stored
            && stored != computed
        {
            return Err(ChainError::Broken { stored, computed });
        }
        self.advance(computed);
        Ok(payload)
    }

    fn advance(&mut self, hash: ChainHash) {
        self.sequence = self
            .sequence
            .checked_add(1)
            .expect("no stream has 2^64 records");
        self.hash = hash;
    }
}

/// A record is not the one that was stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// Its hash is not the one that follows from the records before it and from its payload.
    #[error("its hash is {stored}, but its stream and payload give {computed}")]
    Broken {
        /// The hash that it has.
        stored: ChainHash,
        /// The hash that it should have.
        computed: ChainHash,
    },
    /// It is too short for a sealed record.
    #[error("it has only {}", counted(*len_bytes, "byte"))]
    Cut {
        /// Its length.
        len_bytes: usize,
    },
    /// Its first byte is not that of a known format.
    #[error("its format is {0}, and this program knows 1 and 2")]
    UnknownFormat(u8),
}

/// The hash that a stored record carries beside its payload; `None` if it is not sealed.
pub(crate) fn stored_hash(record: &[u8]) -> Option<ChainHash> {
    unseal(record).ok().and_then(|(hash, _)| hash)
}

/// The hash that a record carries, if it is sealed, and its payload.
fn unseal(record: &[u8]) -> Result<(Option<ChainHash>, &[u8]), ChainError> {
    let cut = ChainError::Cut {
        len_bytes: record.len(),
    };
    match record {
        [SEAL, rest @ ..] => {
            let (hash, payload) = rest.split_first_chunk().ok_or(cut)?;
            Ok((Some(ChainHash::from_bytes(*hash)), payload))
        }
        [BARE, ..] => Ok((None, record)),
        [other, ..] => Err(ChainError::UnknownFormat(*other)),
        [] => Err(cut),
    }
}
