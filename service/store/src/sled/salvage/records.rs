//! The records that are still in sled's data file, found without sled.
//!
//! Records never change, so every place where one is found says the same; that it is what was written is
//! judged by the chain of hashes, when it is read.

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io,
    os::unix::fs::FileExt,
};

use super::{
    super::key::Key,
    message::{Kind, Message, SEGMENT_BYTES, messages},
    page::Node,
};

/// The places of records in a data file.
#[derive(Debug)]
pub(super) struct Records {
    file: File,
    places: BTreeMap<Key, Place>,
}

/// Where the value of a record stands in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    bytes: usize,
}

impl Records {
    /// Looks for them.
    pub(super) fn find(file: File) -> io::Result<Self> {
        let mut found: Vec<(Message, u64)> = Vec::new();
        let mut segment = Vec::new();
        for number in 0.. {
            let start = number * SEGMENT_BYTES as u64;
            read_segment(&file, start, &mut segment)?;
            if segment.is_empty() {
                break;
            }
            found.extend(messages(&segment).into_iter().map(|each| (each, start)));
        }
        // A link is read by the node before it.
        found.sort_unstable();
        let mut nodes: HashMap<u64, Node> = HashMap::new();
        let mut places = BTreeMap::new();
        for (message, start) in found {
            let mut body = vec![0; message.body().len()];
            let body_at = start + message.body().start as u64;
            file.read_exact_at(&mut body, body_at)?;
            let records = match message.kind() {
                Kind::Free => {
                    nodes.remove(&message.page);
                    Vec::new()
                }
                Kind::Node => Node::read(&body).map_or_else(Vec::new, |(node, records)| {
                    nodes.insert(message.page, node);
                    records
                }),
                Kind::Link => {
                    let node = nodes.get(&message.page);
                    node.and_then(|node| node.set_by(&body))
                        .into_iter()
                        .collect()
                }
                Kind::Other => Vec::new(),
            };
            for (key, value) in records {
                let at = body_at + value.start as u64;
                let bytes = value.len();
                places.insert(key, Place { at, bytes });
            }
        }
        Ok(Self { file, places })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The records in the order of their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = io::Result<(Key, Vec<u8>)>> {
        self.places.iter().map(|(key, place)| {
            let mut value = vec![0; place.bytes];
            self.file.read_exact_at(&mut value, place.at)?;
            Ok((*key, value))
        })
    }
}

/// Reads a segment, or what there is of it.
fn read_segment(file: &File, start: u64, segment: &mut Vec<u8>) -> io::Result<()> {
    segment.resize(SEGMENT_BYTES, 0);
    let mut len = 0;
    while len < SEGMENT_BYTES {
        match file.read_at(&mut segment[len..], start + len as u64)? {
            0 => break,
            read => len += read,
        }
    }
    segment.truncate(len);
    Ok(())
}
