//! The messages in sled's data file, found without sled.
//!
//! sled 0.34 writes segments of 512 KiB. Each begins with a header of 20 bytes; then messages follow, each
//! a header (CRC-32 of the rest, kind, length, number of the segment, page) and a body.

use super::varint;

/// Bytes of a segment.
pub(super) const SEGMENT_BYTES: usize = 512 * 1024;

/// Bytes before the first message of a segment.
const SEGMENT_HEADER_BYTES: usize = 20;

/// The most bytes of a message's header: in so few bytes at the end of a segment none begins.
const MAX_HEADER_BYTES: usize = 32;

/// What a message does to its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is no page any more.
    Free,
    /// It is this node from now on.
    Node,
    /// It is changed so.
    Link,
    /// Nothing that matters here.
    Other,
}

/// A message whose checksum is right. Of two messages the later one has the greater number of its
/// segment, or the greater offset in the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Message {
    pub(super) segment_number: u64,
    /// Where it begins, from the beginning of its segment.
    pub(super) offset: usize,
    pub(super) page: u64,
    kind: u8,
    body: usize,
    body_bytes: usize,
}

impl Message {
    pub(super) const fn kind(&self) -> Kind {
        match self.kind {
            4 => Kind::Free,
            8 => Kind::Node,
            10 => Kind::Link,
            _ => Kind::Other,
        }
    }

    /// How much had been written before it: its place in the order of all messages.
    pub(super) const fn position(&self) -> u64 {
        self.segment_number * SEGMENT_BYTES as u64 + self.offset as u64
    }

    /// Where its body stands in its segment.
    pub(super) const fn body(&self) -> std::ops::Range<usize> {
        self.body..self.body + self.body_bytes
    }

    /// The message at an offset of a segment, if there is a whole one.
    fn at(segment: &[u8], offset: usize) -> Option<Self> {
        const LAST_KIND: u8 = 11;
        let head = segment.get(offset..)?;
        let (checksum, mut rest) = head.split_first_chunk::<4>()?;
        let (&kind, after_kind) = rest.split_first()?;
        // 0 is what sled fills up with.
        if kind == 0 || kind > LAST_KIND {
            return None;
        }
        rest = after_kind;
        let len = usize::try_from(varint::read(&mut rest)?).ok()?;
        let segment_number = varint::read(&mut rest)?;
        let page = varint::read(&mut rest)?;
        let header = &head[4..head.len() - rest.len()];
        let body = rest.get(..len)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(body);
        hasher.update(header);
        let found = hasher.finalize() ^ u32::MAX;
        (found == u32::from_le_bytes(*checksum)).then_some(Self {
            // So that no position overflows.
            segment_number: (segment_number < u64::from(u32::MAX)).then_some(segment_number)?,
            offset,
            page,
            kind,
            body: segment.len() - rest.len(),
            body_bytes: len,
        })
    }
}

/// Where a segment is damaged, by its messages: where something follows that cannot be read, though
/// what has been written later can.
pub(super) fn hole(segment: &[u8], found: &[Message], is_last: bool) -> Option<u64> {
    let number = found.iter().map(|message| message.segment_number).max()?;
    let start = number * SEGMENT_BYTES as u64;
    if !has_sound_header(segment) {
        return Some(start);
    }
    let mut end = SEGMENT_HEADER_BYTES;
    // What is left of an earlier use of the segment comes last.
    for message in found.iter().filter(|each| each.segment_number == number) {
        if message.offset != end {
            return Some(start + end as u64);
        }
        end = message.body().end;
    }
    (!is_last && end + MAX_HEADER_BYTES < SEGMENT_BYTES).then_some(start + end as u64)
}

fn has_sound_header(segment: &[u8]) -> bool {
    let Some((checksum, rest)) = segment.split_first_chunk::<4>() else {
        return false;
    };
    let header = &rest[..(SEGMENT_HEADER_BYTES - 4).min(rest.len())];
    crc32fast::hash(header) ^ u32::MAX == u32::from_le_bytes(*checksum)
}

/// All messages of a segment, also behind damaged ones.
pub(super) fn messages(segment: &[u8]) -> Vec<Message> {
    let mut found = Vec::new();
    let mut offset = SEGMENT_HEADER_BYTES;
    while offset < segment.len() {
        match Message::at(segment, offset) {
            Some(message) => {
                offset = message.body().end;
                found.push(message);
            }
            None => offset += 1,
        }
    }
    found
}
