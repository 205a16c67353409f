//! A stored record and its key: sixteen bytes of stream id, eight of sequence, big-endian.

use std::ops::RangeInclusive;

use dragontooth_service_vocabulary::Sequence;
use sled::IVec;

use crate::{ReadError, StreamId};

const KEY_BYTES: usize = 24;

/// A record with its place; cheap to clone.
pub(super) type Record = (StreamId, Sequence, IVec);

/// A stored key; sorted by stream, then by sequence.
pub(super) type Key = [u8; KEY_BYTES];

/// The key of a record.
pub(super) fn encode_key(stream: StreamId, sequence: Sequence) -> Key {
    let mut key = [0; KEY_BYTES];
    key[..16].copy_from_slice(&stream.0);
    key[16..].copy_from_slice(&sequence.0.to_be_bytes());
    key
}

/// The stream and the sequence that a stored key names.
pub(super) fn decode_key(key: &[u8]) -> Result<(StreamId, Sequence), ReadError> {
    let malformed = ReadError::Key {
        len_bytes: key.len(),
    };
    let (stream, sequence) = key.split_at_checked(16).ok_or_else(|| malformed.clone())?;
    let stream = stream.try_into().map_err(|_| malformed.clone())?;
    let sequence = sequence.try_into().map_err(|_| malformed)?;
    Ok((StreamId(stream), Sequence(u64::from_be_bytes(sequence))))
}

/// The keys of a stream from a sequence on.
pub(super) fn key_range(stream: StreamId, first: Sequence) -> RangeInclusive<Key> {
    encode_key(stream, first)..=encode_key(stream, Sequence::MAX)
}
