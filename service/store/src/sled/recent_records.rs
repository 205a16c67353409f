//! The durable records that sled does not have yet.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use dragontooth_service_vocabulary::Sequence;
use sled::IVec;

use super::record::{self, Place, Record};
use crate::StreamId;

/// The ends of the streams that have been appended to, from the first record that is only in the journal.
///
/// A reader looks here first and in sled second: records are in sled before they are removed here.
#[derive(Debug, Default)]
pub(super) struct RecentRecords {
    tails: RwLock<BTreeMap<StreamId, Tail>>,
}

/// The last records of one stream.
#[derive(Debug)]
struct Tail {
    first: Sequence,
    /// Never empty between calls.
    records: VecDeque<Vec<u8>>,
}

/// The part of a read that these records answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecentPart {
    /// The sequence of the first record of the stream that is kept; those before it are in sled.
    pub(super) first: Sequence,
    /// The kept records that the read asks for.
    pub(super) records: Vec<(Sequence, Vec<u8>)>,
}

impl RecentRecords {
    /// Adds records, each of which follows the head of its stream.
    pub(super) fn push(&self, records: Vec<Record>) {
        let mut tails = self.write();
        for (stream, sequence, record) in records {
            let tail = tails.entry(stream).or_insert_with(|| Tail {
                first: sequence,
                records: VecDeque::new(),
            });
            debug_assert_eq!(tail.first.0 + tail.records.len() as u64, sequence.0);
            tail.records.push_back(record);
        }
    }

    /// The head of a stream, if a record of it is kept.
    pub(super) fn head(&self, stream: StreamId) -> Option<Sequence> {
        self.read_lock().get(&stream).map(Tail::head)
    }

    /// The kept ones of the first `limit` records of a stream after a sequence; `None` if no record of it is kept.
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Option<RecentPart> {
        let tails = self.read_lock();
        let tail = tails.get(&stream)?;
        let numbered = tail.after(after).take(limit);
        Some(RecentPart {
            first: tail.first,
            records: numbered
                .map(|(sequence, record)| (sequence, record.clone()))
                .collect(),
        })
    }

    /// The first `limit` streams after one of which records are kept, with their heads.
    pub(super) fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> Vec<(StreamId, Sequence)> {
        let lower = after.map_or(Bound::Unbounded, Bound::Excluded);
        let tails = self.read_lock();
        let streams = tails.range((lower, Bound::Unbounded)).take(limit);
        streams
            .map(|(stream, tail)| (*stream, tail.head()))
            .collect()
    }

    /// The records after a sequence, as many as a chunk takes; `None` if there are none.
    pub(super) fn chunk(
        &self,
        stream: StreamId,
        after: Sequence,
    ) -> Option<(Place, Vec<u8>, IVec)> {
        let tails = self.read_lock();
        let numbered = tails.get(&stream)?.after(after);
        let (first, _) = numbered.clone().next()?;
        record::chunk(stream, first, numbered.map(|(_, record)| record))
    }

    /// Removes the records in these places, which sled has.
    pub(super) fn forget(&self, places: &[Place]) {
        let mut forgotten = Vec::new();
        let mut tails = self.write();
        for place in places {
            let Some(tail) = tails.get_mut(&place.stream) else {
                continue;
            };
            while tail.first <= place.last()
                && let Some(record) = tail.records.pop_front()
            {
                tail.first.0 += 1;
                forgotten.push(record);
            }
            if tail.records.is_empty() {
                tails.remove(&place.stream);
            }
        }
        // Freeing them takes a while; readers need not wait for it.
        drop(tails);
        drop(forgotten);
    }

    fn read_lock(&self) -> RwLockReadGuard<'_, BTreeMap<StreamId, Tail>> {
        self.tails.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<StreamId, Tail>> {
        self.tails.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    fn head(&self) -> Sequence {
        Sequence(self.first.0 + self.records.len() as u64 - 1)
    }

    fn after(&self, after: Sequence) -> impl Iterator<Item = (Sequence, &Vec<u8>)> + Clone {
        let skipped = after.0.saturating_add(1).saturating_sub(self.first.0);
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        let records = self.records.iter().skip(skipped);
        let first = self.first.0.saturating_add(skipped as u64);
        // In this order, so that no sequence behind the last one is counted.
        records
            .zip(first..)
            .map(|(record, sequence)| (Sequence(sequence), record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: StreamId = StreamId([1; 16]);
    const OTHER: StreamId = StreamId([2; 16]);

    fn recent(stream: StreamId, sequences: impl Iterator<Item = u64>) -> Vec<Record> {
        sequences
            .map(|sequence| (stream, Sequence(sequence), vec![7; 100]))
            .collect()
    }

    fn sequences(kept: &RecentRecords, after: u64, limit: usize) -> Vec<u64> {
        let part = kept.read(ONE, Sequence(after), limit).unwrap();
        let records = part.records.into_iter();
        records.map(|(sequence, _)| sequence.0).collect()
    }

    #[test]
    fn a_tail_answers_what_lies_within_it() {
        let kept = RecentRecords::default();
        assert_eq!(kept.read(ONE, Sequence(0), 10), None);
        kept.push(recent(ONE, 6..=10));
        assert_eq!(kept.head(ONE), Some(Sequence(10)));
        assert_eq!(kept.read(ONE, Sequence(0), 1).unwrap().first, Sequence(6));
        assert_eq!(sequences(&kept, 0, 2), [6, 7]);
        assert_eq!(sequences(&kept, 5, 10), [6, 7, 8, 9, 10]);
        assert_eq!(sequences(&kept, 7, 2), [8, 9]);
        assert_eq!(sequences(&kept, 10, 2), [0; 0]);
        assert_eq!(sequences(&kept, u64::MAX, 2), [0; 0]);
    }

    #[test]
    fn what_sled_has_is_forgotten_and_the_rest_stays() {
        let kept = RecentRecords::default();
        kept.push(recent(ONE, 1..=200));
        kept.push(recent(OTHER, 3..=3));
        assert_eq!(
            kept.streams(None, 10),
            [(ONE, Sequence(200)), (OTHER, Sequence(3))]
        );
        let (first, ..) = kept.chunk(ONE, Sequence(0)).unwrap();
        let (second, ..) = kept.chunk(ONE, first.last()).unwrap();
        assert_eq!(
            (first.first, second.first.0),
            (Sequence(1), first.last().0 + 1)
        );
        let (other, ..) = kept.chunk(OTHER, Sequence(0)).unwrap();
        kept.forget(&[first, second, other]);
        assert_eq!(kept.head(OTHER), None);
        assert_eq!(kept.streams(Some(ONE), 10), []);
        let rest = kept.read(ONE, Sequence(0), 1).unwrap();
        assert_eq!(rest.first.0, second.last().0 + 1);
        assert_eq!(kept.head(ONE), Some(Sequence(200)));
    }
}
