//! The heads of all streams, in the order of their ids.

use super::line::WitnessedHead;
use crate::StreamId;

/// The streams, each once and in the order of their ids, with their heads: 32 bytes a stream.
///
/// A log opens by going over all of them in sled's order, which is this one, and then in that of their ends, which is much like
/// it. A hash map would take twice the memory, and miss the processor's caches at every stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::sled) struct HeadTable(Vec<(StreamId, WitnessedHead)>);

impl HeadTable {
    pub(in crate::sled) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::sled) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::sled) fn iter(&self) -> impl Iterator<Item = (StreamId, WitnessedHead)> + '_ {
        self.0.iter().copied()
    }

    pub(in crate::sled) fn streams(&self) -> impl Iterator<Item = StreamId> + '_ {
        self.0.iter().map(|(stream, _)| *stream)
    }

    pub(in crate::sled) fn get(&self, stream: StreamId) -> Option<&WitnessedHead> {
        let mut places = self.places();
        Some(&self.0[places.find(stream)?].1)
    }

    pub(in crate::sled) fn contains(&self, stream: StreamId) -> bool {
        self.get(stream).is_some()
    }

    /// The head at a place that [`Places::find`] has returned.
    pub(in crate::sled) fn at(&self, place: usize) -> &WitnessedHead {
        &self.0[place].1
    }

    /// A stream with as many before it as after it, or one more; `None` if there is none.
    pub(in crate::sled) fn middle(&self) -> Option<StreamId> {
        self.0.get(self.0.len() / 2).map(|(stream, _)| *stream)
    }

    /// Finds the places of many streams.
    pub(in crate::sled) const fn places(&self) -> Places<'_> {
        Places {
            heads: self,
            next: 0,
        }
    }

    /// Leaves the last entry of each stream.
    fn settle(&mut self) {
        // In order already, unless matches have been played since the file was rewritten.
        self.0.sort_by_key(|(stream, _)| *stream);
        self.0.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                *kept = *later;
            }
            is_same
        });
    }
}

impl Extend<(StreamId, WitnessedHead)> for HeadTable {
    /// Adds heads; of those of one stream the last one stays.
    fn extend<T: IntoIterator<Item = (StreamId, WitnessedHead)>>(&mut self, heads: T) {
        let heads = heads.into_iter();
        self.0.reserve(heads.size_hint().0);
        let mut settled = self.0.len();
        for head in heads {
            // So that it does not grow by many entries of few streams.
            if self.0.len() == self.0.capacity() && self.0.len() / 2 >= settled {
                self.settle();
                settled = self.0.len();
            }
            self.0.push(head);
        }
        self.settle();
    }
}

impl FromIterator<(StreamId, WitnessedHead)> for HeadTable {
    fn from_iter<T: IntoIterator<Item = (StreamId, WitnessedHead)>>(heads: T) -> Self {
        let mut table = Self::default();
        table.extend(heads);
        table
    }
}

/// The places of streams in a table.
#[derive(Debug)]
pub(in crate::sled) struct Places<'a> {
    heads: &'a HeadTable,
    /// The place after that of the last stream that was found.
    next: usize,
}

impl Places<'_> {
    /// The place of a stream. The one that follows the last is found at once.
    pub(in crate::sled) fn find(&mut self, stream: StreamId) -> Option<usize> {
        let heads = &self.heads.0;
        let follows = heads.get(self.next).is_some_and(|(at, _)| *at == stream);
        let place = if follows {
            self.next
        } else {
            heads.binary_search_by_key(&stream, |(at, _)| *at).ok()?
        };
        self.next = place + 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use dragontooth_service_vocabulary::Sequence;

    use super::super::line::Mark;
    use super::*;

    fn head(stream: u8, sequence: u64) -> (StreamId, WitnessedHead) {
        let seen = WitnessedHead {
            sequence: Sequence(sequence),
            mark: Mark::of(&sequence.to_be_bytes()),
        };
        (StreamId([stream; 16]), seen)
    }

    #[test]
    fn the_last_head_of_each_stream_stays() {
        let mut table = HeadTable::default();
        let mut expected = BTreeMap::new();
        for round in 0..4_u64 {
            // Each stream comes seven times, and not in order.
            let heads = (0_u16..700).map(|at| {
                let stream = u8::try_from(at * 37 % 100).unwrap();
                head(stream, round * 1000 + u64::from(at))
            });
            expected.extend(heads.clone());
            table.extend(heads);
            assert!(table.iter().eq(expected.clone()), "round {round}");
        }
        assert_eq!(table.len(), 100);
        assert_eq!(table.middle(), Some(StreamId([50; 16])));
    }

    #[test]
    fn streams_are_found_in_any_order() {
        let table: HeadTable = (0..100).map(|stream| head(stream * 2, 1)).collect();
        let mut places = table.places();
        for stream in (0..200).chain((0..200).rev()).chain([7, 0, 198, 198]) {
            let expected = (stream % 2 == 0).then_some(usize::from(stream) / 2);
            assert_eq!(places.find(StreamId([stream; 16])), expected, "{stream}");
        }
        assert_eq!(HeadTable::default().places().find(StreamId([1; 16])), None);
    }
}
