//! Reads of sled's tree.

use std::{
    collections::BTreeSet,
    ops::Bound,
    panic::{self, AssertUnwindSafe},
};

use dragontooth_service_vocabulary::Sequence;
use sled::{IVec, Tree};

use super::record::{self, Place};
use crate::{ReadError, StorageError, StreamId};

/// The first stream after one.
pub(super) fn stream_after(
    events: &Tree,
    after: Option<StreamId>,
) -> Result<Option<StreamId>, ReadError> {
    const OPERATION: &str = "list the streams";
    guarded(OPERATION, || {
        let Some(entry) = events.range((behind(after), Bound::Unbounded)).next() else {
            return Ok(None);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        Place::decode(&key).map(|place| Some(place.stream))
    })
}

/// The bound behind the last key of a stream.
fn behind(stream: Option<StreamId>) -> Bound<impl AsRef<[u8]>> {
    match stream {
        Some(stream) => Bound::Excluded(
            record::key_range(stream, Sequence::MAX, Sequence::MAX)
                .into_inner()
                .1,
        ),
        None => Bound::Unbounded,
    }
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
        let last = place.records(&value)?.pop();
        Ok(last.map(|(sequence, record)| (sequence, record.to_vec())))
    })
}

/// The last records of streams after one, in order, with their sequences: of at most `limit` streams, and of none if
/// there is no further one.
pub(super) fn last_records(
    events: &Tree,
    after: Option<StreamId>,
    limit: usize,
) -> Result<Vec<(StreamId, Sequence, Vec<u8>)>, ReadError> {
    const OPERATION: &str = "read the last records";
    guarded(OPERATION, || {
        let mut found: Vec<(StreamId, Sequence, Vec<u8>)> = Vec::new();
        let mut last: Option<(Place, IVec)> = None;
        for entry in events.range((behind(after), Bound::Unbounded)) {
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

fn last_record(place: Place, value: &[u8]) -> Result<(StreamId, Sequence, Vec<u8>), ReadError> {
    let last = place.records(value)?.pop();
    let (sequence, record) = last.expect("a place has records");
    Ok((place.stream, sequence, record.to_vec()))
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
