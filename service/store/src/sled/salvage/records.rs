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
    message::{Kind, Message, SEGMENT_BYTES, hole, messages},
    page::Node,
};

/// What is found in a data file.
#[derive(Debug)]
pub(super) struct Scan {
    file: File,
    /// The messages in the order in which they were written, each with the place of its segment.
    messages: Vec<(Message, u64)>,
    /// The first position from which on something cannot be read that is not the end.
    pub(super) hole: Option<u64>,
}

/// The places of records in a data file.
#[derive(Debug)]
pub(super) struct Records<'a> {
    file: &'a File,
    places: BTreeMap<Key, Place>,
}

/// Where the value of a record stands in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    bytes: usize,
}

impl Scan {
    /// Reads the file through.
    pub(super) fn of(file: File) -> io::Result<Self> {
        let mut found = Vec::new();
        let mut segments = Vec::new();
        let mut segment = Vec::new();
        for number in 0.. {
            let start = number * SEGMENT_BYTES as u64;
            read_segment(&file, start, &mut segment)?;
            if segment.is_empty() {
                break;
            }
            let messages = messages(&segment);
            let newest = messages.iter().map(|each| each.segment_number).max();
            segments.push((
                newest,
                hole(&segment, &messages, true),
                hole(&segment, &messages, false),
            ));
            found.extend(messages.into_iter().map(|each| (each, start)));
        }
        let last = segments.iter().filter_map(|(newest, ..)| *newest).max();
        let holes = segments.into_iter().filter_map(
            |(newest, if_last, if_not)| {
                if newest == last { if_last } else { if_not }
            },
        );
        let hole = holes.min();
        // A link is read by the node before it.
        found.sort_unstable();
        Ok(Self {
            file,
            messages: found,
            hole,
        })
    }

    /// The records in it, of what was written before a position.
    pub(super) fn records(&self, until: Option<u64>) -> io::Result<Records<'_>> {
        let mut nodes: HashMap<u64, Node> = HashMap::new();
        let mut places = BTreeMap::new();
        for (message, start) in &self.messages {
            if until.is_some_and(|until| message.position() >= until) {
                continue;
            }
            let mut body = vec![0; message.body().len()];
            let body_at = start + message.body().start as u64;
            self.file.read_exact_at(&mut body, body_at)?;
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
        Ok(Records {
            file: &self.file,
            places,
        })
    }
}

impl Records<'_> {
    /// Whether there is a record with this key.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.places.contains_key(key)
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
