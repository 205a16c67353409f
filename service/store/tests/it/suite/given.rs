//! The starting points of the cases of the suite, and helpers to look at a log.

use std::sync::Arc;

use dragontooth_service_store::{AppendError, EventLog, MAX_APPEND_RECORDS, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::TryStreamExt;

pub(crate) type Log = Arc<dyn EventLog>;

/// Ids in no particular order, some with long common prefixes.
pub(super) fn stream(number: u64) -> StreamId {
    let mut id = [0; 16];
    id[0] = number.to_le_bytes()[0].reverse_bits() & 0xf0;
    id[8..].copy_from_slice(&number.to_be_bytes());
    StreamId(id)
}

pub(super) fn records(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub(super) fn numbered(first: u64, texts: &[&str]) -> Vec<(Sequence, Vec<u8>)> {
    (first..).map(Sequence).zip(records(texts)).collect()
}

pub(super) async fn all(log: &Log, stream: StreamId) -> Vec<(Sequence, Vec<u8>)> {
    log.records(stream, Sequence::START)
        .try_collect()
        .await
        .unwrap()
}

/// Appends to an empty stream `len` records, each its own sequence.
pub(super) async fn append_numbers(log: &Log, stream: StreamId, len: u64) {
    let numbers: Vec<_> = (1..=len)
        .map(|number| number.to_be_bytes().to_vec())
        .collect();
    let mut head = Sequence::START;
    for chunk in numbers.chunks(MAX_APPEND_RECORDS) {
        head = log.append(stream, head, chunk.to_vec()).await.unwrap();
    }
    assert_eq!(head, Sequence(len));
}

pub(super) fn assert_conflict(
    answer: &Result<Sequence, AppendError>,
    of: StreamId,
    was_expected: u64,
    was_there: u64,
) {
    let Err(AppendError::Conflict {
        stream,
        expected,
        actual,
    }) = answer
    else {
        panic!("{answer:?} is not a conflict");
    };
    assert_eq!(
        (*stream, expected.0, actual.0),
        (of, was_expected, was_there)
    );
}
