//! Reading from sled what is durable.

use std::{ops::Bound, sync::Arc};

use sled::{IVec, Tree};

use super::{key, visible::Visible};
use crate::{MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, Sequence, StorageError, StreamId};

/// The tree of records without what the writer has not made durable yet.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) events: Tree,
    pub(super) visible: Arc<Visible>,
}

impl Reader {
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<(Sequence, Vec<u8>)>, ReadError> {
        let limit = limit.min(MAX_READ_RECORDS);
        if let Some(records) = self.visible.read(stream, after, limit) {
            return Ok(records);
        }
        let Some(first) = after.next() else {
            return Ok(Vec::new());
        };
        let mut records: Vec<(Sequence, IVec)> = Vec::new();
        let mut expected = first;
        for entry in self.events.range(key::range(stream, first)).take(limit) {
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
            let Some(stream) = self.stream_after(after)? else {
                break;
            };
            after = Some(stream);
            let head = self.head(stream)?;
            if head != Sequence::EMPTY {
                streams.push((stream, head));
            }
        }
        Ok(streams)
    }

    fn stream_after(&self, after: Option<StreamId>) -> Result<Option<StreamId>, ReadError> {
        let lower = match after {
            Some(stream) => Bound::Excluded(key::encode(stream, Sequence::MAX)),
            None => Bound::Unbounded,
        };
        let Some(entry) = self.events.range((lower, Bound::Unbounded)).next() else {
            return Ok(None);
        };
        let (key, _) = entry.map_err(|source| failed("list the streams", source))?;
        let (stream, found) = key::decode(&key)?;
        let expected = Sequence(1);
        if found != expected {
            return Err(ReadError::Gap {
                stream,
                expected,
                found,
            });
        }
        Ok(Some(stream))
    }
}

/// The head of a stream, durable or not.
pub(super) fn applied_head(events: &Tree, stream: StreamId) -> Result<Sequence, ReadError> {
    let Some(entry) = events
        .range(key::range(stream, Sequence::EMPTY))
        .next_back()
    else {
        return Ok(Sequence::EMPTY);
    };
    let (key, _) = entry.map_err(|source| failed("find the head of a stream", source))?;
    let (_, head) = key::decode(&key)?;
    Ok(head)
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
