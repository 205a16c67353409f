//! The key of a record: sixteen bytes of stream id, eight of sequence, greatest first.

use std::ops::RangeInclusive;

use crate::{ReadError, Sequence, StreamId};

const LEN_BYTES: usize = 24;

/// A stored key; sorted by stream, then by sequence.
pub(super) type Key = [u8; LEN_BYTES];

/// The key of a record.
pub(super) fn encode(stream: StreamId, sequence: Sequence) -> Key {
    let mut key = [0; LEN_BYTES];
    key[..16].copy_from_slice(&stream.0);
    key[16..].copy_from_slice(&sequence.get().to_be_bytes());
    key
}

/// What a stored key names.
pub(super) fn decode(key: &[u8]) -> Result<(StreamId, Sequence), ReadError> {
    let malformed = ReadError::Key {
        len_bytes: key.len(),
    };
    let (stream, sequence) = key.split_at_checked(16).ok_or_else(|| malformed.clone())?;
    let stream = stream.try_into().map_err(|_| malformed.clone())?;
    let sequence = sequence.try_into().map_err(|_| malformed)?;
    Ok((StreamId(stream), Sequence(u64::from_be_bytes(sequence))))
}

/// The keys of a stream from a sequence on.
pub(super) fn range(stream: StreamId, first: Sequence) -> RangeInclusive<Key> {
    encode(stream, first)..=encode(stream, Sequence::MAX)
}
