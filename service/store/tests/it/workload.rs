//! Appends whose every record and every possible head is known beforehand.
//!
//! What a crash leaves is then judged by the acknowledged heads alone.

use std::collections::BTreeMap;

use dragontooth_service_store::{EventLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::TryStreamExt;

/// Streams that are appended to at once.
pub(crate) const STREAMS: u8 = 16;

/// The last head that each stream's appends were answered with.
pub(crate) type Heads = BTreeMap<StreamId, Sequence>;

pub(crate) fn stream(number: u8) -> StreamId {
    StreamId([number.wrapping_mul(0x9b); 16])
}

/// The records of the one append that is ever made to `stream` at `head`: one to four.
pub(crate) fn append_at(stream: StreamId, head: Sequence) -> Vec<Vec<u8>> {
    let count = 1 + head.0 % 4;
    (1..=count)
        .map(|place| record(stream, Sequence(head.0 + place)))
        .collect()
}

/// The head that this append leads to.
pub(crate) fn head_after(stream: StreamId, head: Sequence) -> Sequence {
    Sequence(head.0 + append_at(stream, head).len() as u64)
}

/// Opens nothing and changes nothing: checks that `log` holds what was acknowledged, at most one
/// append more a stream, and nothing else. Returns the heads found.
pub(crate) async fn check(log: &dyn EventLog, acknowledged: &Heads) -> Heads {
    check_with(log, acknowledged, |stream, known, head| {
        head == known || head == head_after(stream, known)
    })
    .await
}

/// As [`check`], of appends of which some were answered early: there may be any number of whole appends more.
pub(crate) async fn check_early(log: &dyn EventLog, acknowledged: &Heads) -> Heads {
    check_with(log, acknowledged, |stream, known, head| {
        let mut reached = known;
        while reached < head {
            reached = head_after(stream, reached);
        }
        reached == head
    })
    .await
}

async fn check_with(
    log: &dyn EventLog,
    acknowledged: &Heads,
    is_right: impl Fn(StreamId, Sequence, Sequence) -> bool,
) -> Heads {
    let found: Heads = log.all_streams().try_collect().await.unwrap();
    for number in 0..STREAMS {
        let stream = stream(number);
        let known = acknowledged.get(&stream).copied().unwrap_or_default();
        let head = found.get(&stream).copied().unwrap_or_default();
        assert!(
            is_right(stream, known, head),
            "stream {stream}: acknowledged {known}, found {head}"
        );
        let read: Vec<_> = log
            .records(stream, Sequence::START)
            .try_collect()
            .await
            .unwrap();
        let expected = (1..=head.0)
            .map(Sequence)
            .map(|place| (place, record(stream, place)));
        assert!(
            read.into_iter().eq(expected),
            "stream {stream}: the records are others"
        );
        assert_eq!(log.head(stream).await.unwrap(), head);
    }
    assert!(found.len() <= STREAMS.into(), "unknown streams: {found:?}");
    found
}

fn record(stream: StreamId, sequence: Sequence) -> Vec<u8> {
    let mut record = stream.0.to_vec();
    record.extend(sequence.0.to_be_bytes());
    let len = 50 + usize::try_from(sequence.0 * 37 % 300).unwrap();
    record.resize(len, sequence.0.to_le_bytes()[0]);
    record
}
