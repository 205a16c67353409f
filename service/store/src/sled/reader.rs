//! Reading from sled what is durable.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

use sled::{IVec, Tree};

use super::{key, survey, visible::Visible};
use crate::{
    Damage, Loss, MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, Sequence, StorageError, StreamId,
};

/// The tree of records without what the writer has not made durable yet.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) events: Tree,
    pub(super) visible: Arc<Visible>,
    /// The streams that are refused.
    pub(super) damaged: HashMap<StreamId, Damage>,
    /// The streams that were there when the log was opened, if sled cannot list all of them.
    pub(super) unlisted: BTreeSet<StreamId>,
}

impl Reader {
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<(Sequence, Vec<u8>)>, ReadError> {
        self.refuse_damaged(stream)?;
        let limit = limit.min(MAX_READ_RECORDS);
        if let Some(records) = self.visible.read(stream, after, limit) {
            return Ok(records);
        }
        let Some(first) = after.next() else {
            return Ok(Vec::new());
        };
        let records = guarded("read from the store", || {
            applied_records(&self.events, stream, first, limit)
        })
        .map_err(|error| match error {
            ReadError::Storage(_) => ReadError::Damaged(Damage {
                stream,
                from: first_unreadable(&self.events, stream, first),
                loss: Loss::Unreadable,
            }),
            other @ (ReadError::Gap { .. } | ReadError::Damaged(_) | ReadError::Key { .. }) => {
                other
            }
        })?;
        let Some((last, _)) = records.last() else {
            return Ok(Vec::new());
        };
        let durable = self.visible.durable(stream, *last);
        Ok(records
            .into_iter()
            .take_while(|(sequence, _)| *sequence <= durable)
            .map(|(sequence, record)| (sequence, record.to_vec()))
            .collect())
    }

    pub(super) fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        self.refuse_damaged(stream)?;
        if let Some(head) = self.visible.head(stream) {
            return Ok(head);
        }
        let applied = applied_head(&self.events, stream)?;
        Ok(self.visible.durable(stream, applied))
    }

    /// Finds each stream by one search forwards and its head by one backwards, so that the records
    /// between are never visited.
    pub(super) fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError> {
        let mut streams = Vec::new();
        let mut after = after;
        while streams.len() < limit.min(MAX_READ_STREAMS) {
            let next = match stream_after(&self.events, after) {
                Err(_) if !self.unlisted.is_empty() => survey::next_known(&self.unlisted, after),
                next => next?,
            };
            let Some(stream) = next else {
                break;
            };
            after = Some(stream);
            if self.damaged.contains_key(&stream) {
                continue;
            }
            let head = self.head(stream)?;
            if head != Sequence::EMPTY {
                streams.push((stream, head));
            }
        }
        Ok(streams)
    }

    /// Refuses a stream that is damaged.
    pub(super) fn refuse_damaged(&self, stream: StreamId) -> Result<(), ReadError> {
        match self.damaged.get(&stream) {
            Some(damage) => Err(ReadError::Damaged(damage.clone())),
            None => Ok(()),
        }
    }
}

/// The first stream after one, durable or not.
pub(super) fn stream_after(
    events: &Tree,
    after: Option<StreamId>,
) -> Result<Option<StreamId>, ReadError> {
    const OPERATION: &str = "list the streams";
    let lower = match after {
        Some(stream) => Bound::Excluded(key::encode(stream, Sequence::MAX)),
        None => Bound::Unbounded,
    };
    guarded(OPERATION, || {
        let Some(entry) = events.range((lower, Bound::Unbounded)).next() else {
            return Ok(None);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        key::decode(&key).map(|(stream, _)| Some(stream))
    })
}

/// The head of a stream, durable or not.
pub(super) fn applied_head(events: &Tree, stream: StreamId) -> Result<Sequence, ReadError> {
    const OPERATION: &str = "find the head of a stream";
    guarded(OPERATION, || {
        let Some(entry) = events
            .range(key::range(stream, Sequence::EMPTY))
            .next_back()
        else {
            return Ok(Sequence::EMPTY);
        };
        let (key, _) = entry.map_err(|source| failed(OPERATION, source))?;
        key::decode(&key).map(|(_, head)| head)
    })
}

/// A record of a stream, durable or not.
pub(super) fn applied_record(
    events: &Tree,
    stream: StreamId,
    sequence: Sequence,
) -> Result<Option<IVec>, ReadError> {
    const OPERATION: &str = "read a record";
    guarded(OPERATION, || {
        events
            .get(key::encode(stream, sequence))
            .map_err(|source| failed(OPERATION, source))
    })
}

/// The first sequence of a stream, from `first` on, that is not there or cannot be read.
pub(super) fn first_unreadable(events: &Tree, stream: StreamId, first: Sequence) -> Sequence {
    let mut sequence = first;
    while let Ok(Some(_)) = applied_record(events, stream, sequence)
        && let Some(next) = sequence.next()
    {
        sequence = next;
    }
    sequence
}

/// At most `limit` records of a stream from the sequence `first` on, durable or not.
fn applied_records(
    events: &Tree,
    stream: StreamId,
    first: Sequence,
    limit: usize,
) -> Result<Vec<(Sequence, IVec)>, ReadError> {
    let mut records = Vec::new();
    let mut expected = first;
    for entry in events.range(key::range(stream, first)).take(limit) {
        let (key, record) = entry.map_err(|source| failed("read from the store", source))?;
        let (_, found) = key::decode(&key)?;
        if found != expected {
            return Err(ReadError::Gap {
                stream,
                expected,
                found,
            });
        }
        records.push((found, record));
        expected = found.next().unwrap_or(found);
    }
    Ok(records)
}

/// Reads from sled, which meets some damage of a page by a panic.
fn guarded<T>(
    operation: &'static str,
    read: impl FnOnce() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    // A read leaves nothing half changed behind.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_durable_yet_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let events = sled::open(folder.path())
            .unwrap()
            .open_tree("events")
            .unwrap();
        let reader = Reader {
            events,
            visible: Arc::new(Visible::new()),
            damaged: HashMap::new(),
            unlisted: BTreeSet::new(),
        };
        let (old, new) = (StreamId([1; 16]), StreamId([2; 16]));
        for (stream, sequence) in [(old, 1), (old, 2), (old, 3), (new, 1)] {
            reader
                .events
                .insert(key::encode(stream, Sequence(sequence)), "record")
                .unwrap();
        }
        let sequences = |stream| -> Vec<u64> {
            let read = reader.read(stream, Sequence::EMPTY, 10).unwrap();
            read.into_iter()
                .map(|(sequence, _)| sequence.get())
                .collect()
        };

        reader
            .visible
            .hide([(old, Sequence(1)), (new, Sequence(0))].into_iter());
        assert_eq!((sequences(old), sequences(new)), (vec![1], vec![]));
        assert_eq!(reader.read(old, Sequence(1), 10).unwrap(), []);
        assert_eq!(reader.head(old).unwrap(), Sequence(1));
        assert_eq!(reader.head(new).unwrap(), Sequence::EMPTY);
        assert_eq!(reader.streams(None, 10).unwrap(), [(old, Sequence(1))]);

        reader.visible.show(Vec::new());
        assert_eq!((sequences(old), sequences(new)), (vec![1, 2, 3], vec![1]));
        assert_eq!(
            reader.streams(None, 10).unwrap(),
            [(old, Sequence(3)), (new, Sequence(1))]
        );
    }
}
