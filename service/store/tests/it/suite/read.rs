//! Reading.

use dragontooth_service_store::{MAX_READ_RECORDS, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::TryStreamExt;

use super::given::{Log, all, append_numbers, stream};

pub(crate) async fn reads_are_contiguous_and_limited(log: Log) {
    let len = MAX_READ_RECORDS as u64 + 100;
    append_numbers(&log, stream(1), len).await;
    for (after, limit, expected) in [
        (0, 1, 1..=1),
        (0, 10, 1..=10),
        (5, 3, 6..=8),
        (len - 1, 10, len..=len),
        (0, usize::MAX, 1..=MAX_READ_RECORDS as u64),
        (100, usize::MAX, 101..=len),
    ] {
        let read = log.read(stream(1), Sequence(after), limit).await.unwrap();
        let expected: Vec<_> = expected
            .map(|number| (Sequence(number), number.to_be_bytes().to_vec()))
            .collect();
        assert_eq!(read, expected, "at most {limit} after {after}");
    }
    for (after, limit) in [(0, 0), (len, 1), (len + 1, 10), (u64::MAX, 10)] {
        assert_eq!(
            log.read(stream(1), Sequence(after), limit).await.unwrap(),
            []
        );
    }
    assert_eq!(
        log.read(stream(2), Sequence(0), 10).await.unwrap(),
        [],
        "an unknown stream"
    );
    let paged: Vec<_> = log
        .records(stream(1), Sequence(7))
        .try_collect()
        .await
        .unwrap();
    let paged = paged.into_iter().map(|(sequence, _)| sequence);
    assert!(paged.eq((8..=len).map(Sequence)));
}

pub(crate) async fn neighbouring_streams_stay_apart(log: Log) {
    let mut middle = [0x7f; 16];
    let ids = [[0; 16], [0xff; 16], middle, {
        middle[15] = 0x80;
        middle
    }];
    for id in ids {
        log.append(StreamId(id), Sequence(0), vec![id.to_vec(), id.to_vec()])
            .await
            .unwrap();
    }
    for id in ids {
        let id = StreamId(id);
        let record = id.0.to_vec();
        assert_eq!(
            all(&log, id).await,
            [(Sequence(1), record.clone()), (Sequence(2), record)]
        );
        assert_eq!(log.head(id).await.unwrap(), Sequence(2));
    }
    middle[15] = 0x81;
    assert_eq!(log.head(StreamId(middle)).await.unwrap(), Sequence::START);
    assert_eq!(
        log.read(StreamId(middle), Sequence(0), 10).await.unwrap(),
        []
    );
}

pub(crate) async fn streams_are_listed_in_pages(log: Log) {
    assert_eq!(log.streams(None, 10).await.unwrap(), []);
    let mut expected = Vec::new();
    for number in 0..50 {
        let head = number % 7 * 20 + 1;
        append_numbers(&log, stream(number), head).await;
        expected.push((stream(number), Sequence(head)));
    }
    expected.sort_unstable();

    assert_eq!(log.streams(None, usize::MAX).await.unwrap(), expected);
    assert_eq!(log.streams(None, 0).await.unwrap(), []);
    assert_eq!(log.streams(None, 3).await.unwrap(), expected[..3]);
    assert_eq!(
        log.streams(Some(expected[2].0), 5).await.unwrap(),
        expected[3..8]
    );
    assert_eq!(
        log.streams(Some(expected[48].0), 5).await.unwrap(),
        expected[49..]
    );
    assert_eq!(log.streams(Some(expected[49].0), 5).await.unwrap(), []);
    assert_eq!(
        log.streams(Some(StreamId([0xff; 16])), 5).await.unwrap(),
        []
    );
    let all: Vec<_> = log.all_streams().try_collect().await.unwrap();
    assert_eq!(all, expected);
}
