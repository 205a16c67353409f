//! Records and the keys under which sled has them.
//!
//! A key is sixteen bytes of stream id and eight of the sequence of the first record, big-endian. One record is stored
//! as it is. Several consecutive ones are a chunk: its key ends with two bytes more, their number, and each record
//! follows two bytes with its length.

use std::ops::RangeInclusive;

use dragontooth_service_vocabulary::Sequence;
use sled::IVec;

use crate::{ReadError, StorageError, StreamId};

/// Bytes of a chunk, at most. sled keeps up to seventeen values in a leaf and writes a leaf larger than 128 KiB to a
/// separate file, which it never syncs; this keeps every leaf below that.
pub(super) const MAX_CHUNK_BYTES: usize = 6 * 1024;

/// The length of the key of one record.
const KEY_BYTES: usize = 24;

/// The length of the key of a chunk.
const CHUNK_KEY_BYTES: usize = KEY_BYTES + 2;

/// Bytes of the length before each record of a chunk.
const LENGTH_BYTES: usize = 2;

/// A record with its place.
pub(super) type Record = (StreamId, Sequence, Vec<u8>);

/// The place of one or several consecutive records of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) stream: StreamId,
    pub(super) first: Sequence,
    /// At least 1.
    count: u16,
}

impl Place {
    /// The place that a stored key names.
    pub(super) fn decode(key: &[u8]) -> Result<Self, ReadError> {
        let place = || {
            let (stream, rest) = key.split_first_chunk()?;
            let (first, count) = rest.split_first_chunk()?;
            let count = match count {
                [] => 1,
                count => u16::from_be_bytes(count.try_into().ok()?),
            };
            Some(Self {
                stream: StreamId(*stream),
                first: Sequence(u64::from_be_bytes(*first)),
                count: (count > 0).then_some(count)?,
            })
        };
        place().ok_or(ReadError::Key {
            len_bytes: key.len(),
        })
    }

    fn encode(self) -> Vec<u8> {
        let mut key = Vec::with_capacity(CHUNK_KEY_BYTES);
        key.extend(self.stream.0);
        key.extend(self.first.0.to_be_bytes());
        if self.count > 1 {
            key.extend(self.count.to_be_bytes());
        }
        key
    }

    /// The sequence of the last record.
    pub(super) fn last(self) -> Sequence {
        Sequence(self.first.0.saturating_add(u64::from(self.count) - 1))
    }

    /// The records of the stored value, with their sequences.
    pub(super) fn records(self, value: &[u8]) -> Result<Vec<(Sequence, &[u8])>, ReadError> {
        let mut records = Vec::with_capacity(self.count.into());
        self.visit(value, |sequence, record| records.push((sequence, record)))?;
        Ok(records)
    }

    /// The last record of the stored value, with its sequence.
    pub(super) fn last_record(self, value: &[u8]) -> Result<(Sequence, &[u8]), ReadError> {
        let mut last = (self.first, value);
        self.visit(value, |sequence, record| last = (sequence, record))?;
        Ok(last)
    }

    /// Calls `each` with the records of the stored value, all of which count only if this succeeds.
    fn visit<'a>(
        self,
        value: &'a [u8],
        mut each: impl FnMut(Sequence, &'a [u8]),
    ) -> Result<(), ReadError> {
        if self.count == 1 {
            each(self.first, value);
            return Ok(());
        }
        let mut rest = value;
        for sequence in self.first.0..=self.last().0 {
            let (record, behind) = split_record(rest).ok_or_else(malformed)?;
            each(Sequence(sequence), record);
            rest = behind;
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(malformed())
        }
    }
}

/// The first records of `records`, as many as a chunk takes: their place, with its key and value.
///
/// `None` if there are none. The sequence of the first is `first`.
pub(super) fn chunk<'a>(
    stream: StreamId,
    first: Sequence,
    records: impl Iterator<Item = &'a Vec<u8>> + Clone,
) -> Option<(Place, Vec<u8>, IVec)> {
    let mut len_bytes = 0;
    let chosen = records.clone().take_while(|record| {
        len_bytes += LENGTH_BYTES + record.len();
        len_bytes <= MAX_CHUNK_BYTES
    });
    let count = u16::try_from(chosen.count()).expect("a record takes at least two bytes");
    let place = Place {
        stream,
        first,
        count,
    };
    let value = match count {
        0 => return None,
        1 => IVec::from(records.clone().next()?.as_slice()),
        _ => {
            let mut value = Vec::with_capacity(MAX_CHUNK_BYTES);
            for record in records.take(count.into()) {
                let length = u16::try_from(record.len()).expect("the limit of a record is less");
                value.extend(length.to_be_bytes());
                value.extend(record);
            }
            IVec::from(value)
        }
    };
    Some((place, place.encode(), value))
}

/// The keys of the places of a stream that begin at one of these sequences.
pub(super) fn key_range(
    stream: StreamId,
    first: Sequence,
    last: Sequence,
) -> RangeInclusive<Vec<u8>> {
    let begin = Place {
        stream,
        first,
        count: 1,
    };
    let end = Place {
        stream,
        first: last,
        count: u16::MAX,
    };
    begin.encode()..=end.encode()
}

fn split_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u16::from_be_bytes(*length).into())
}

fn malformed() -> ReadError {
    ReadError::Storage(StorageError::new("read a chunk", MalformedChunk))
}

/// The value of a chunk does not consist of as many records as its key says.
#[derive(Debug, thiserror::Error)]
#[error("its records are damaged")]
struct MalformedChunk;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_RECORD_BYTES;

    const STREAM: StreamId = StreamId([7; 16]);

    fn stored(records: &[Vec<u8>]) -> (Place, Vec<u8>, IVec) {
        chunk(STREAM, Sequence(5), records.iter()).unwrap()
    }

    #[test]
    fn a_chunk_is_read_as_it_was_made() {
        for lengths in [
            vec![0],
            vec![MAX_RECORD_BYTES],
            vec![3, 0, 200],
            vec![1; 2000],
        ] {
            let records: Vec<_> = lengths.iter().map(|length| vec![9; *length]).collect();
            let (place, key, value) = stored(&records);
            assert_eq!(Place::decode(&key).unwrap(), place);
            assert_eq!(place.last(), Sequence(4 + records.len() as u64));
            let read = place.records(&value).unwrap();
            let expected = (5..).map(Sequence).zip(records.iter().map(Vec::as_slice));
            assert!(read.into_iter().eq(expected));
        }
    }

    #[test]
    fn a_chunk_ends_before_the_record_that_is_too_much() {
        let records = vec![vec![0; MAX_RECORD_BYTES]; 2];
        let (place, ..) = stored(&records);
        assert_eq!(place.last(), Sequence(5));
        let records = vec![vec![0; 1022]; 7];
        let (place, _, value) = stored(&records);
        assert_eq!((place.last(), value.len()), (Sequence(10), MAX_CHUNK_BYTES));
        assert!(chunk(STREAM, Sequence(5), [].iter()).is_none());
    }

    #[test]
    fn the_key_of_one_record_is_that_of_earlier_formats() {
        let (_, key, value) = stored(&[vec![1, 2, 3]]);
        assert_eq!(key, [&[7; 16][..], &[0, 0, 0, 0, 0, 0, 0, 5]].concat());
        assert_eq!(value.as_ref(), [1, 2, 3]);
    }

    #[test]
    fn a_changed_length_is_damage() {
        let (place, _, value) = stored(&vec![vec![1; 10]; 3]);
        for length in 0..value.len() {
            place.records(&value[..length]).unwrap_err();
        }
        for at in [0, 1, 12, 13, 24, 25] {
            let mut changed = value.to_vec();
            changed[at] ^= 1;
            place.records(&changed).unwrap_err();
        }
        let longer = [&value[..], &[0]].concat();
        place.records(&longer).unwrap_err();
    }

    #[test]
    fn a_key_of_another_length_is_refused() {
        for length in [0, 20, 23, 25, 27] {
            Place::decode(&vec![1; length]).unwrap_err();
        }
        Place::decode(&[0; CHUNK_KEY_BYTES]).unwrap_err();
    }
}
