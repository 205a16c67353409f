//! Reads of sled's tree, of durable and not yet durable records.

use std::{
    collections::BTreeSet,
    ops::Bound,
    panic::{self, AssertUnwindSafe},
};

use dragontooth_service_vocabulary::Sequence;
use sled::{IVec, Tree};

use super::record;
use crate::{ReadError, StorageError, StreamId};

/// The first stream after one, durable or not.
pub(super) fn stream_after(
    events: &Tree,
    after: Option<StreamId>,
) -> Result<Option<StreamId>, ReadError> {
    const OPERATION: &str = "list the streams";
    let lower = match after {
        Some(stream) => Bound::Excluded(record::encode_key(stream, Sequence::MAX)),
        None => Bound::Unbounded,
    };
    guarded(OPERATION, || {
        let Some(entry) = events.range((lower, Bound::Unbounded)).next() else {
            return Ok(None);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        record::decode_key(&key).map(|(stream, _)| Some(stream))
    })
}

/// The head of a stream, durable or not.
pub(super) fn head(events: &Tree, stream: StreamId) -> Result<Sequence, ReadError> {
    const OPERATION: &str = "find the head of a stream";
    guarded(OPERATION, || {
        let Some(entry) = events
            .range(record::key_range(stream, Sequence::START))
            .next_back()
        else {
            return Ok(Sequence::START);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        record::decode_key(&key).map(|(_, head)| head)
    })
}

/// A record of a stream, durable or not.
pub(super) fn record(
    events: &Tree,
    stream: StreamId,
    sequence: Sequence,
) -> Result<Option<IVec>, ReadError> {
    const OPERATION: &str = "read a record";
    guarded(OPERATION, || {
        events
            .get(record::encode_key(stream, sequence))
            .map_err(|source| failed(OPERATION, source))
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

/// At most `limit` records of a stream from the sequence `first` on, durable or not. Some of those that are
/// not durable may be missing: sled applies part of a batch that it cannot write.
pub(super) fn records(
    events: &Tree,
    stream: StreamId,
    first: Sequence,
    limit: usize,
) -> Result<Vec<(Sequence, IVec)>, ReadError> {
    const OPERATION: &str = "read from the store";
    guarded(OPERATION, || {
        let entries = events.range(record::key_range(stream, first)).take(limit);
        let records = entries.map(|entry| {
            let (key, record) = entry.map_err(|source| failed(OPERATION, source))?;
            let (_, sequence) = record::decode_key(&key)?;
            Ok((sequence, record))
        });
        records.collect()
    })
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
