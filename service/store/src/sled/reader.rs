//! Reading from sled what is durable.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use dragontooth_service_vocabulary::Sequence;
use sled::Tree;

use super::{applied, failure::Failure, visible::Visible};
use crate::{Damage, Loss, MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, StorageError, StreamId};

/// The tree of records without what the writer has not made durable yet.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) events: Tree,
    pub(super) visible: Arc<Visible>,
    /// The failure of the storage, if there was one.
    pub(super) failure: Arc<Failure>,
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
        let Some(first) = after.checked_add(1) else {
            return Ok(Vec::new());
        };
        let records =
            applied::records(&self.events, stream, first, limit).map_err(|error| match error {
                ReadError::Storage(error) if self.is_failure_of_storage(&error) => {
                    ReadError::Storage(error)
                }
                ReadError::Storage(_) => ReadError::Damaged(Damage {
                    stream,
                    from: applied::first_unreadable(&self.events, stream, first),
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
        let mut expected = first;
        let durable_records = records
            .into_iter()
            .take_while(|(sequence, _)| *sequence <= durable);
        durable_records
            .map(|(found, record)| {
                if found != expected {
                    return Err(ReadError::Gap {
                        stream,
                        expected,
                        found,
                    });
                }
                expected = found.checked_add(1).unwrap_or(found);
                Ok((found, record.to_vec()))
            })
            .collect()
    }

    pub(super) fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        self.refuse_damaged(stream)?;
        if let Some(head) = self.visible.head(stream) {
            return Ok(head);
        }
        let applied = applied::head(&self.events, stream)?;
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
            let next = match applied::stream_after(&self.events, after) {
                Err(_) if !self.unlisted.is_empty() => applied::next_known(&self.unlisted, after),
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
            if head != Sequence::START {
                streams.push((stream, head));
            }
        }
        Ok(streams)
    }

    /// Returns true if a failed read does not show damage: sled cannot read back what it could not write out, and
    /// after a failed write it may read nothing at all.
    fn is_failure_of_storage(&self, error: &StorageError) -> bool {
        // A reader may see the failure before the writer does.
        self.failure.get().is_some() || error.is_for_lack_of_room()
    }

    /// Refuses a stream that is damaged.
    pub(super) fn refuse_damaged(&self, stream: StreamId) -> Result<(), ReadError> {
        match self.damaged.get(&stream) {
            Some(damage) => Err(ReadError::Damaged(damage.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::OpenOptions,
        io::{self, Write},
    };

    use super::super::record;
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
            failure: Arc::new(Failure::new()),
            damaged: HashMap::new(),
            unlisted: BTreeSet::new(),
        };
        let (old, new) = (StreamId([1; 16]), StreamId([2; 16]));
        for (stream, sequence) in [(old, 1), (old, 2), (old, 3), (new, 1)] {
            reader
                .events
                .insert(record::encode_key(stream, Sequence(sequence)), "record")
                .unwrap();
        }
        let sequences = |stream| -> Vec<u64> {
            let read = reader.read(stream, Sequence::START, 10).unwrap();
            read.into_iter().map(|(sequence, _)| sequence.0).collect()
        };

        reader
            .visible
            .hide([(old, Sequence(1)), (new, Sequence(0))].into_iter());
        assert_eq!((sequences(old), sequences(new)), (vec![1], vec![]));
        assert_eq!(reader.read(old, Sequence(1), 10).unwrap(), []);
        assert_eq!(reader.head(old).unwrap(), Sequence(1));
        assert_eq!(reader.head(new).unwrap(), Sequence::START);
        assert_eq!(reader.streams(None, 10).unwrap(), [(old, Sequence(1))]);

        // As after a batch of which sled has applied a part.
        reader
            .events
            .insert(record::encode_key(old, Sequence(6)), "record")
            .unwrap();
        assert_eq!(sequences(old), [1]);
        reader
            .events
            .remove(record::encode_key(old, Sequence(6)))
            .unwrap();

        reader.visible.show(Vec::new());
        assert_eq!((sequences(old), sequences(new)), (vec![1, 2, 3], vec![1]));
        assert_eq!(
            reader.streams(None, 10).unwrap(),
            [(old, Sequence(3)), (new, Sequence(1))]
        );
    }

    /// A record that cannot be read is damaged, unless the storage has failed before.
    #[test]
    fn a_failed_storage_is_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        // Too little memory for the records, so that they are read from the file.
        let options = sled::Config::new().cache_capacity(1 << 16);
        let store = options.path(folder.path()).open().unwrap();
        let stream = StreamId([1; 16]);
        let reader = Reader {
            events: store.open_tree("events").unwrap(),
            visible: Arc::new(Visible::new()),
            failure: Arc::new(Failure::new()),
            damaged: HashMap::new(),
            unlisted: BTreeSet::new(),
        };
        for sequence in 1..=4000 {
            let key = record::encode_key(stream, Sequence(sequence));
            reader.events.insert(key, vec![7; 1000]).unwrap();
        }
        reader.events.flush().unwrap();
        let mut file = OpenOptions::new()
            .write(true)
            .open(folder.path().join("db"))
            .unwrap();
        let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
        file.write_all(&vec![0xff; length]).unwrap();

        let read = || -> Result<usize, ReadError> {
            let first = reader.read(stream, Sequence::START, 2000)?;
            let second = reader.read(stream, Sequence(2000), 2000)?;
            Ok(first.len() + second.len())
        };
        let found = read();
        assert!(matches!(found, Err(ReadError::Damaged(_))), "{found:?}");
        let full = io::Error::from(io::ErrorKind::StorageFull);
        reader.failure.set(StorageError::new("write", full));
        let found = read();
        assert!(matches!(found, Err(ReadError::Storage(_))), "{found:?}");
    }
}
