//! The writer's memory of stream heads.

use std::collections::HashMap;

use dragontooth_service_vocabulary::Sequence;

use crate::StreamId;

/// The most streams whose heads the writer remembers; it looks the others up when they are appended to.
/// About 40 bytes each.
pub const MAX_CACHED_HEADS: usize = 131_072;

/// A bounded map that evicts roughly the least recently used streams.
///
/// It has two generations: a stream that is used moves into the young one; when that is full it becomes the
/// old one, and the previous old one is dropped.
#[derive(Debug)]
pub(super) struct Heads {
    young: HashMap<StreamId, Sequence>,
    old: HashMap<StreamId, Sequence>,
    generation_len: usize,
}

impl Heads {
    /// An empty map of at most `capacity` streams.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            generation_len: (capacity / 2).max(1),
        }
    }

    /// The head, if it is remembered.
    pub(super) fn get(&mut self, stream: StreamId) -> Option<Sequence> {
        if let Some(head) = self.young.get(&stream) {
            return Some(*head);
        }
        let head = self.old.remove(&stream)?;
        self.set(stream, head);
        Some(head)
    }

    /// Remembers a head.
    pub(super) fn set(&mut self, stream: StreamId, head: Sequence) {
        if self.young.len() == self.generation_len && !self.young.contains_key(&stream) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(stream, head);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(number: u8) -> StreamId {
        StreamId([number; 16])
    }

    #[test]
    fn what_is_used_stays_and_the_rest_is_forgotten() {
        let mut heads = Heads::new(8);
        for number in 0..100 {
            heads.set(stream(number), Sequence(u64::from(number)));
            assert_eq!(
                heads.get(stream(0)),
                Some(Sequence(0)),
                "used after every insertion"
            );
            assert!(heads.young.len() + heads.old.len() <= 8);
        }
        assert_eq!(heads.get(stream(99)), Some(Sequence(99)));
        assert_eq!(heads.get(stream(50)), None);
    }

    #[test]
    fn a_newer_head_hides_the_older_generation() {
        let mut heads = Heads::new(4);
        heads.set(stream(1), Sequence(1));
        heads.set(stream(2), Sequence(1));
        heads.set(stream(3), Sequence(1));
        heads.set(stream(1), Sequence(2));
        heads.set(stream(4), Sequence(1));
        assert_eq!(heads.get(stream(1)), Some(Sequence(2)));
    }
}
