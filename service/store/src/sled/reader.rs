//! Reading from sled what is durable.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
    sync::Arc,
};

use dragontooth_service_vocabulary::Sequence;
use sled::Tree;

use super::{
    applied::{self, Streams},
    failure::Failure,
    recent_records::RecentRecords,
};
use crate::{Damage, Loss, MAX_READ_RECORDS, MAX_READ_STREAMS, ReadError, StorageError, StreamId};

/// The tree of records, with those that it does not have yet.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) events: Tree,
    pub(super) recent: Arc<RecentRecords>,
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
        let Some(first) = after.checked_add(1) else {
            return Ok(Vec::new());
        };
        // Before sled: a record that is moved meanwhile is then in both, and not in neither.
        let (last, recent) = match self.recent.read(stream, after, limit) {
            Some(recent) if recent.first <= first => return Ok(recent.records),
            Some(recent) => (Sequence(recent.first.0 - 1), recent.records),
            None => (Sequence::MAX, Vec::new()),
        };
        let mut records = applied::records(&self.events, stream, first, last, limit)
            .map_err(|error| self.refusal(stream, first, error))?;
        let rest = limit - records.len();
        records.extend(recent.into_iter().take(rest));
        for (expected, (found, _)) in (first.0..).map(Sequence).zip(&records) {
            if *found != expected {
                return Err(ReadError::Gap {
                    stream,
                    expected,
                    found: *found,
                });
            }
        }
        Ok(records)
    }

    /// The error of a read of sled: a record that is there and cannot be read is damaged.
    fn refusal(&self, stream: StreamId, first: Sequence, error: ReadError) -> ReadError {
        match error {
            ReadError::Storage(error) if !self.is_failure_of_storage(&error) => {
                ReadError::Damaged(Damage {
                    stream,
                    from: applied::first_unreadable(&self.events, stream, first),
                    loss: Loss::Unreadable,
                })
            }
            other @ (ReadError::Storage(_)
            | ReadError::Gap { .. }
            | ReadError::Damaged(_)
            | ReadError::Key { .. }) => other,
        }
    }

    pub(super) fn head(&self, stream: StreamId) -> Result<Sequence, ReadError> {
        self.refuse_damaged(stream)?;
        match self.recent.head(stream) {
            Some(head) => Ok(head),
            None => applied::head(&self.events, stream),
        }
    }

    /// Finds each stream in sled by one search forwards and its head by one backwards, so that the records
    /// between are never visited.
    pub(super) fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Result<Vec<(StreamId, Sequence)>, ReadError> {
        let limit = limit.min(MAX_READ_STREAMS);
        // Before sled, as in `read`.
        let recent: BTreeMap<_, _> = self.recent.streams(after, limit).into_iter().collect();
        let mut streams = Vec::new();
        let mut after = after;
        while streams.len() < limit {
            let stored = match applied::first_stream(&self.events, Streams::after(after)) {
                Err(_) if !self.unlisted.is_empty() => applied::next_known(&self.unlisted, after),
                next => next?,
            };
            let lower = after.map_or(Bound::Unbounded, Bound::Excluded);
            let unstored = recent.range((lower, Bound::Unbounded)).next();
            let next = stored
                .into_iter()
                .chain(unstored.map(|(stream, _)| *stream));
            let Some(stream) = next.min() else {
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
    fn what_sled_does_not_have_yet_follows_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let events = sled::open(folder.path())
            .unwrap()
            .open_tree("events")
            .unwrap();
        let reader = Reader {
            events,
            recent: Arc::new(RecentRecords::default()),
            failure: Arc::new(Failure::new()),
            damaged: HashMap::new(),
            unlisted: BTreeSet::new(),
        };
        let [both, moved, new] = [1, 2, 3].map(|number| StreamId([number; 16]));
        let record = |number: u8| vec![number; 100];
        let store = |stream, first, numbers: std::ops::RangeInclusive<u8>| {
            let records: Vec<_> = numbers.map(record).collect();
            let (_, key, value) = record::chunk(stream, Sequence(first), records.iter()).unwrap();
            reader.events.insert(key, value).unwrap();
        };
        store(both, 1, 1..=1);
        store(both, 2, 2..=4);
        store(moved, 1, 1..=2);
        // One that was moved just now is still in both.
        let later = (4..=6).map(|number| (both, Sequence(number.into()), record(number)));
        reader.recent.push(later.collect());
        reader.recent.push(vec![(new, Sequence(1), record(1))]);

        for after in 0..=7 {
            for limit in 0..=7 {
                let read = reader.read(both, Sequence(after.into()), limit).unwrap();
                let expected = (after + 1..=6_u8).take(limit);
                let expected = expected.map(|number| (Sequence(number.into()), record(number)));
                assert!(read.into_iter().eq(expected), "{limit} after {after}");
            }
        }
        let heads = [(both, 6), (moved, 2), (new, 1)];
        let heads = heads.map(|(stream, head)| (stream, Sequence(head)));
        assert_eq!(reader.streams(None, 10).unwrap(), heads);
        assert_eq!(reader.streams(None, 2).unwrap(), heads[..2]);
        assert_eq!(reader.streams(Some(both), 10).unwrap(), heads[1..]);
        assert_eq!(reader.head(both).unwrap(), Sequence(6));
        reader.recent.push(vec![(moved, Sequence(4), record(4))]);
        let gap = reader.read(moved, Sequence(0), 10).unwrap_err();
        assert!(matches!(gap, ReadError::Gap { .. }), "{gap:?}");
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
            recent: Arc::new(RecentRecords::default()),
            failure: Arc::new(Failure::new()),
            damaged: HashMap::new(),
            unlisted: BTreeSet::new(),
        };
        for sequence in 1..=4000 {
            let records = [vec![7; 1000]];
            let (_, key, value) =
                record::chunk(stream, Sequence(sequence), records.iter()).unwrap();
            reader.events.insert(key, value).unwrap();
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
