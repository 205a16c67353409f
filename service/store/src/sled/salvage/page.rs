//! What the messages of sled's pages say of the records.
//!
//! A node has the keys without what all of them begin with; a link has the key that it sets in the form of
//! the node that it changes.

use super::{
    super::key::{self, Key},
    varint,
};

/// What of a node is needed to read the links that follow it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    is_leaf: bool,
    prefix: Vec<u8>,
}

/// A record in a body: its key, and where its value stands.
pub(super) type Found = (Key, std::ops::Range<usize>);

impl Node {
    /// The node in a body, and the records in it; none if it cannot be read.
    pub(super) fn read(body: &[u8]) -> Option<(Self, Vec<Found>)> {
        let mut rest = body;
        let _next = varint::read(&mut rest)?;
        let _merging_child = varint::read(&mut rest)?;
        let (_is_merging, after) = rest.split_first()?;
        let (prefix_bytes, after) = after.split_first()?;
        rest = after;
        let low = varint::read_bytes(&mut rest)?;
        let _high = varint::read_bytes(&mut rest)?;
        let (data, after) = rest.split_first()?;
        rest = after;
        let node = Self {
            is_leaf: *data == 0,
            prefix: low.get(..usize::from(*prefix_bytes))?.to_vec(),
        };
        if !node.is_leaf {
            return Some((node, Vec::new()));
        }
        let count = usize::try_from(varint::read(&mut rest)?).ok()?;
        let mut keys = Vec::new();
        for _ in 0..count {
            keys.push(varint::read_bytes(&mut rest)?);
        }
        let mut found = Vec::new();
        for short in keys {
            let value = varint::read_bytes(&mut rest)?;
            let end = body.len() - rest.len();
            if let Some(key) = node.whole(short) {
                found.push((key, end - value.len()..end));
            }
        }
        Some((node, found))
    }

    /// The record that a link in a body sets on this node, if it does.
    pub(super) fn set_by(&self, body: &[u8]) -> Option<Found> {
        const SET: u8 = 0;
        let (what, mut rest) = body.split_first()?;
        if *what != SET || !self.is_leaf {
            return None;
        }
        let short = varint::read_bytes(&mut rest)?;
        let value = varint::read_bytes(&mut rest)?;
        let end = body.len() - rest.len();
        Some((self.whole(short)?, end - value.len()..end))
    }

    /// A key with what all in the node begin with, if it is one of a record.
    fn whole(&self, short: &[u8]) -> Option<Key> {
        let whole = [&self.prefix, short].concat();
        key::decode(&whole).ok()?;
        whole.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::message::{SEGMENT_BYTES, messages},
        *,
    };

    proptest! {
        #[test]
        fn any_bytes_can_be_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Some((node, found)) = Node::read(&bytes) {
                assert!(found.iter().all(|(_, value)| value.end <= bytes.len()));
                node.set_by(&bytes);
            }
            Node::default().set_by(&bytes);
            assert!(messages(&bytes).iter().all(|each| each.body().end <= bytes.len()));
        }
    }

    #[test]
    fn what_sled_writes_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let db = sled::Config::new().path(folder.path()).open().unwrap();
        let events = db.open_tree("events").unwrap();
        for number in 0..2000_u64 {
            let key = [[(number % 3) as u8; 16].as_slice(), &number.to_be_bytes()].concat();
            events.insert(key, vec![7; 30]).unwrap();
        }
        db.flush().unwrap();
        drop((events, db));
        let file = std::fs::read(folder.path().join("db")).unwrap();
        let count: usize = file
            .chunks(SEGMENT_BYTES)
            .map(|segment| messages(segment).len())
            .sum();
        assert!(count >= 2000, "{count} messages");
    }
}
