//! A frame of the journal: the records of one group.
//!
//! A header of 32 bytes: eight that mark it, eight of the use of the file, eight of the body's length, four of the
//! body's CRC-32, four of the CRC-32 of all this. In the body each record follows sixteen bytes of stream id, eight of
//! sequence and four of its length. Numbers are big-endian.

use dragontooth_service_vocabulary::Sequence;

use crate::{StreamId, sled::record::Record};

const MARK: [u8; 8] = *b"DTjrnl 1";

/// The length of a header.
pub(super) const HEADER_BYTES: usize = 32;

/// The part of the header that its checksum covers.
const CHECKED_BYTES: usize = HEADER_BYTES - 4;

/// Bytes before each record.
const PLACE_BYTES: usize = 28;

/// The frames of one use of a file.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) generation: u64,
    pub(super) records: Vec<Record>,
}

/// The length of the frame of these records.
pub(super) fn len_bytes(records: &[Record]) -> u64 {
    let records = records
        .iter()
        .map(|(.., record)| PLACE_BYTES + record.len());
    (HEADER_BYTES + records.sum::<usize>()) as u64
}

/// Replaces what is in `frame` by the frame of these records.
pub(super) fn encode(generation: u64, records: &[Record], frame: &mut Vec<u8>) {
    frame.clear();
    frame.resize(HEADER_BYTES, 0);
    for (stream, sequence, record) in records {
        let length = u32::try_from(record.len()).expect("the limit of a record is less");
        frame.extend(stream.0);
        frame.extend(sequence.0.to_be_bytes());
        frame.extend(length.to_be_bytes());
        frame.extend_from_slice(record);
    }
    let (header, body) = frame.split_at_mut(HEADER_BYTES);
    header[..8].copy_from_slice(&MARK);
    header[8..16].copy_from_slice(&generation.to_be_bytes());
    header[16..24].copy_from_slice(&(body.len() as u64).to_be_bytes());
    header[24..CHECKED_BYTES].copy_from_slice(&crc32fast::hash(body).to_be_bytes());
    let sum = crc32fast::hash(&header[..CHECKED_BYTES]);
    header[CHECKED_BYTES..].copy_from_slice(&sum.to_be_bytes());
}

/// The last use of a file with these bytes; `None` if it begins with no frame.
///
/// A frame whose body is not whole is left out; nothing is read behind one whose header is not.
pub(super) fn read(bytes: &[u8]) -> Option<Use> {
    let generation = Header::decode(bytes)?.0.generation;
    let mut records = Vec::new();
    let mut rest = bytes;
    while let Some((header, behind)) = Header::decode(rest)
        && header.generation == generation
        && let Some((body, behind)) = behind.split_at_checked(header.len_bytes)
    {
        if crc32fast::hash(body) == header.sum {
            records.extend(decode(body).unwrap_or_default());
        }
        rest = behind;
    }
    Some(Use {
        generation,
        records,
    })
}

struct Header {
    generation: u64,
    len_bytes: usize,
    sum: u32,
}

impl Header {
    fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let (checked, sum) = header.split_first_chunk::<CHECKED_BYTES>()?;
        if sum != crc32fast::hash(checked).to_be_bytes() {
            return None;
        }
        let (mark, checked) = checked.split_first_chunk()?;
        let (generation, checked) = checked.split_first_chunk()?;
        let (len_bytes, sum) = checked.split_first_chunk()?;
        let header = Self {
            generation: u64::from_be_bytes(*generation),
            len_bytes: usize::try_from(u64::from_be_bytes(*len_bytes)).ok()?,
            sum: u32::from_be_bytes(sum.try_into().ok()?),
        };
        (*mark == MARK).then_some((header, rest))
    }
}

fn decode(body: &[u8]) -> Option<Vec<Record>> {
    let mut records = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let (stream, behind) = rest.split_first_chunk()?;
        let (sequence, behind) = behind.split_first_chunk()?;
        let (length, behind) = behind.split_first_chunk()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (record, behind) = behind.split_at_checked(length)?;
        let sequence = Sequence(u64::from_be_bytes(*sequence));
        records.push((StreamId(*stream), sequence, record.to_vec()));
        rest = behind;
    }
    Some(records)
}
