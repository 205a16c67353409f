//! The last records of the streams that are being appended to, kept in memory.

use std::{
    collections::{HashMap, VecDeque},
    mem,
};

use dragontooth_service_vocabulary::Sequence;
use sled::IVec;

use crate::StreamId;

/// The most records of one stream that are kept in memory: the last ones.
pub const MAX_RECENT_RECORDS: usize = 64;

/// The most bytes of records that are kept in memory for all streams together, the overhead of keeping
/// them included.
pub const MAX_RECENT_BYTES: usize = 32 * 1024 * 1024;

/// Approximate memory that keeping a record takes besides the record.
const RECORD_OVERHEAD_BYTES: usize = 64;

/// The durable ends of streams, so that following a stream neither searches sled nor waits for a batch that
/// is being applied to it.
///
/// Bounded like the writer's heads, in two generations: appending to a stream moves its tail into the young
/// one; when that is full it becomes the old one, and the previous old one is dropped.
#[derive(Debug)]
pub(super) struct RecentRecords {
    young: HashMap<StreamId, Tail>,
    old: HashMap<StreamId, Tail>,
    young_bytes: usize,
    generation_bytes: usize,
}

/// The last records of one stream.
#[derive(Debug, Default)]
pub(super) struct Tail {
    head: Sequence,
    /// The records up to the head; never empty between calls.
    records: VecDeque<IVec>,
    len_bytes: usize,
}

impl RecentRecords {
    /// An empty cache of at most `capacity_bytes`.
    pub(super) fn new(capacity_bytes: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            young_bytes: 0,
            generation_bytes: capacity_bytes / 2,
        }
    }

    /// The head of the stream, if its tail is kept.
    pub(super) fn head(&self, stream: StreamId) -> Option<Sequence> {
        self.tail(stream).map(|tail| tail.head)
    }

    /// The first `limit` records after the sequence `after`, if the kept tail reaches back that far.
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Option<Vec<(Sequence, Vec<u8>)>> {
        let tail = self.tail(stream)?;
        let before = tail.head.0 - tail.records.len() as u64;
        let skipped = after.0.checked_sub(before)?;
        let skipped = usize::try_from(skipped)
            .unwrap_or(usize::MAX)
            .min(tail.records.len());
        Some(
            (before + 1..)
                .map(Sequence)
                .zip(&tail.records)
                .skip(skipped)
                .take(limit)
                .map(|(sequence, record)| (sequence, record.to_vec()))
                .collect(),
        )
    }

    /// Adds the record that follows the head of its stream.
    pub(super) fn push(&mut self, stream: StreamId, sequence: Sequence, record: IVec) {
        let tail = self.young.entry(stream).or_insert_with(|| {
            let tail = self.old.remove(&stream).unwrap_or_default();
            self.young_bytes += tail.len_bytes;
            tail
        });
        debug_assert!(tail.records.is_empty() || tail.head.checked_add(1) == Some(sequence));
        let len_bytes_before = tail.len_bytes;
        tail.head = sequence;
        tail.len_bytes += size(&record);
        tail.records.push_back(record);
        if tail.records.len() > MAX_RECENT_RECORDS {
            tail.len_bytes -= tail.records.pop_front().as_ref().map_or(0, size);
        }
        self.young_bytes = self.young_bytes + tail.len_bytes - len_bytes_before;
    }

    /// Takes out the tails that were not used for longest, if the cache exceeds its capacity.
    ///
    /// Dropping them takes a while; the caller may want to do it later.
    pub(super) fn forget(&mut self) -> HashMap<StreamId, Tail> {
        if self.young_bytes <= self.generation_bytes {
            return HashMap::new();
        }
        self.young_bytes = 0;
        mem::replace(&mut self.old, mem::take(&mut self.young))
    }

    fn tail(&self, stream: StreamId) -> Option<&Tail> {
        self.young.get(&stream).or_else(|| self.old.get(&stream))
    }
}

fn size(record: &IVec) -> usize {
    record.len() + RECORD_OVERHEAD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: StreamId = StreamId([1; 16]);

    fn sequences(
        tails: &RecentRecords,
        stream: StreamId,
        after: u64,
        limit: usize,
    ) -> Option<Vec<u64>> {
        let read = tails.read(stream, Sequence(after), limit)?;
        Some(read.into_iter().map(|(sequence, _)| sequence.0).collect())
    }

    #[test]
    fn a_tail_answers_what_lies_within_it() {
        let mut tails = RecentRecords::new(MAX_RECENT_BYTES);
        assert_eq!(sequences(&tails, ONE, 0, 10), None);
        for sequence in 6..=10_u8 {
            tails.push(ONE, Sequence(sequence.into()), IVec::from(&[sequence]));
        }
        assert_eq!(tails.head(ONE), Some(Sequence(10)));
        assert_eq!(sequences(&tails, ONE, 4, 10), None);
        assert_eq!(sequences(&tails, ONE, 5, 10), Some(vec![6, 7, 8, 9, 10]));
        assert_eq!(sequences(&tails, ONE, 7, 2), Some(vec![8, 9]));
        assert_eq!(sequences(&tails, ONE, 10, 2), Some(vec![]));
        assert_eq!(sequences(&tails, ONE, u64::MAX, 2), Some(vec![]));
        assert_eq!(
            tails.read(ONE, Sequence(9), 9),
            Some(vec![(Sequence(10), vec![10])])
        );
    }

    #[test]
    fn a_tail_keeps_the_last_records() {
        let mut tails = RecentRecords::new(MAX_RECENT_BYTES);
        let head = 3 * MAX_RECENT_RECORDS as u64;
        for sequence in 1..=head {
            tails.push(ONE, Sequence(sequence), vec![0; 100].into());
        }
        let kept = head - MAX_RECENT_RECORDS as u64;
        assert_eq!(sequences(&tails, ONE, kept - 1, 1), None);
        assert_eq!(sequences(&tails, ONE, kept, 1), Some(vec![kept + 1]));
        assert_eq!(
            tails.young_bytes,
            MAX_RECENT_RECORDS * (100 + RECORD_OVERHEAD_BYTES)
        );
    }

    #[test]
    fn streams_that_are_appended_to_stay() {
        let capacity = 20 * (100 + RECORD_OVERHEAD_BYTES);
        let mut tails = RecentRecords::new(capacity);
        for number in 1..=50_u8 {
            tails.push(
                StreamId([100 + number; 16]),
                Sequence(1),
                vec![0; 100].into(),
            );
            if number % 5 == 0 {
                tails.push(ONE, Sequence((number / 5).into()), vec![0; 100].into());
            }
            tails.forget();
            let kept = tails.young.values().chain(tails.old.values());
            assert!(kept.map(|tail| tail.len_bytes).sum::<usize>() <= capacity);
        }
        assert_eq!(tails.head(ONE), Some(Sequence(10)));
        assert_eq!(tails.head(StreamId([150; 16])), Some(Sequence(1)));
        assert_eq!(tails.head(StreamId([101; 16])), None);
    }
}
