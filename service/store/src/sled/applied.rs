//! Reads of sled's tree.

use std::{
    collections::BTreeSet,
    ops::Bound,
    panic::{self, AssertUnwindSafe},
};

use dragontooth_service_vocabulary::Sequence;
use sled::{IVec, Tree};

use super::record::{self, Place};
use super::witness::Mark;
use crate::{ReadError, StorageError, StreamId};

/// Streams whose ids follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    /// The one before them; `None` if they begin with the first of all.
    pub(super) after: Option<StreamId>,
    /// The last of them; `None` if they end with the last of all.
    last: Option<StreamId>,
}

impl Streams {
    /// All after one, or all of them.
    pub(super) const fn after(after: Option<StreamId>) -> Self {
        Self { after, last: None }
    }

    /// All up to one, with that.
    pub(super) const fn up_to(last: StreamId) -> Self {
        Self {
            after: None,
            last: Some(last),
        }
    }

    pub(super) fn contain(self, stream: StreamId) -> bool {
        self.after.is_none_or(|after| after < stream) && self.last.is_none_or(|last| stream <= last)
    }

    /// The keys of their places.
    fn keys(self) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
        let last_key = |stream| {
            let keys = record::key_range(stream, Sequence::MAX, Sequence::MAX);
            keys.into_inner().1
        };
        let of = |stream: Option<StreamId>, bound: fn(Vec<u8>) -> Bound<Vec<u8>>| {
            stream.map_or(Bound::Unbounded, |stream| bound(last_key(stream)))
        };
        (
            of(self.after, Bound::Excluded),
            of(self.last, Bound::Included),
        )
    }
}

/// The first of some streams that sled has.
pub(super) fn first_stream(events: &Tree, streams: Streams) -> Result<Option<StreamId>, ReadError> {
    const OPERATION: &str = "list the streams";
    guarded(OPERATION, || {
        let Some(entry) = events.range(streams.keys()).next() else {
            return Ok(None);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        Place::decode(&key).map(|place| Some(place.stream))
    })
}

/// The head of a stream.
pub(super) fn head(events: &Tree, stream: StreamId) -> Result<Sequence, ReadError> {
    const OPERATION: &str = "find the head of a stream";
    guarded(OPERATION, || {
        let last = last_place(OPERATION, events, stream, Sequence::MAX)?;
        Ok(last.map_or(Sequence::START, |(place, _)| place.last()))
    })
}

/// The last record of a stream, with its sequence.
pub(super) fn last(
    events: &Tree,
    stream: StreamId,
) -> Result<Option<(Sequence, Vec<u8>)>, ReadError> {
    const OPERATION: &str = "read the last record of a stream";
    guarded(OPERATION, || {
        let Some((place, value)) = last_place(OPERATION, events, stream, Sequence::MAX)? else {
            return Ok(None);
        };
        let (sequence, record) = place.last_record(&value)?;
        Ok(Some((sequence, record.to_vec())))
    })
}

/// The marks of the last records of streams, in order, with their sequences: of at most `limit` of them, and of none if
/// sled has none.
pub(super) fn last_records(
    events: &Tree,
    streams: Streams,
    limit: usize,
) -> Result<Vec<(StreamId, Sequence, Mark)>, ReadError> {
    const OPERATION: &str = "read the last records";
    guarded(OPERATION, || {
        let mut found: Vec<(StreamId, Sequence, Mark)> = Vec::new();
        let mut last: Option<(Place, IVec)> = None;
        for entry in events.range(streams.keys()) {
            let (key, value) = entry.map_err(|source| failed(OPERATION, source))?;
            let place = Place::decode(&key)?;
            let ended = last.replace((place, value));
            if let Some((before, value)) = ended
                && before.stream != place.stream
            {
                found.push(last_record(before, &value)?);
                if found.len() == limit {
                    return Ok(found);
                }
            }
        }
        if let Some((place, value)) = last {
            found.push(last_record(place, &value)?);
        }
        Ok(found)
    })
}

fn last_record(place: Place, value: &[u8]) -> Result<(StreamId, Sequence, Mark), ReadError> {
    let (sequence, record) = place.last_record(value)?;
    Ok((place.stream, sequence, Mark::of(record)))
}

/// A record of a stream.
pub(super) fn record(
    events: &Tree,
    stream: StreamId,
    sequence: Sequence,
) -> Result<Option<Vec<u8>>, ReadError> {
    const OPERATION: &str = "read a record";
    guarded(OPERATION, || {
        let Some((place, value)) = last_place(OPERATION, events, stream, sequence)? else {
            return Ok(None);
        };
        let mut records = place.records(&value)?.into_iter();
        let found = records.find(|(found, _)| *found == sequence);
        Ok(found.map(|(_, record)| record.to_vec()))
    })
}

/// The first sequence of a stream, from `first` on, that is not there or cannot be read.
pub(super) fn first_unreadable(events: &Tree, stream: StreamId, first: Sequence) -> Sequence {
    let mut sequence = first;
    while let Ok(Some(_)) = record(events, stream, sequence)
        && let Some(next) = sequence.checked_add(1)
    {
        sequence = next;
    }
    sequence
}

/// At most `limit` records of a stream from the sequence `first` to `last`.
pub(super) fn records(
    events: &Tree,
    stream: StreamId,
    first: Sequence,
    last: Sequence,
    limit: usize,
) -> Result<Vec<(Sequence, Vec<u8>)>, ReadError> {
    const OPERATION: &str = "read from the store";
    guarded(OPERATION, || {
        let before = last_place(OPERATION, events, stream, first)?;
        let begin = before.map_or(first, |(place, _)| place.first);
        let mut found = Vec::new();
        for entry in events.range(record::key_range(stream, begin, last)) {
            let (key, value) = entry.map_err(|source| failed(OPERATION, source))?;
            let records = Place::decode(&key)?.records(&value)?.into_iter();
            let asked = records.filter(|(sequence, _)| (first..=last).contains(sequence));
            let asked = asked.map(|(sequence, record)| (sequence, record.to_vec()));
            found.extend(asked.take(limit - found.len()));
            if found.len() == limit {
                break;
            }
        }
        Ok(found)
    })
}

/// The last place of a stream that begins at a sequence or before it.
fn last_place(
    operation: &'static str,
    events: &Tree,
    stream: StreamId,
    sequence: Sequence,
) -> Result<Option<(Place, IVec)>, ReadError> {
    let mut places = events.range(record::key_range(stream, Sequence::START, sequence));
    let Some(last) = places.next_back() else {
        return Ok(None);
    };
    let (key, value) = last.map_err(|source| failed(operation, source))?;
    Ok(Some((Place::decode(&key)?, value)))
}

/// Reads from sled, and turns the panic with which it meets some damaged pages into an error.
fn guarded<T>(
    operation: &'static str,
    read: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    // A read changes nothing, so nothing is left half changed after a panic.
    panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(failed(
            operation,
            sled::Error::Corruption { at: None, bt: () },
        ))
    })
}

fn failed(operation: &'static str, source: sled::Error) -> ReadError {
    ReadError::Storage(StorageError::new(operation, source))
}

/// The first known stream after one.
pub(super) fn next_known(known: &BTreeSet<StreamId>, after: Option<StreamId>) -> Option<StreamId> {
    let lower = after.map_or(Bound::Unbounded, Bound::Excluded);
    known.range((lower, Bound::Unbounded)).next().copied()
}
