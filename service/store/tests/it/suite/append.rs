//! Appending.

use dragontooth_service_store::{
    AppendError, MAX_APPEND_BYTES, MAX_APPEND_RECORDS, MAX_RECORD_BYTES,
};
use dragontooth_service_vocabulary::Sequence;

use super::given::{Log, all, assert_conflict, numbered, records, stream};

pub(crate) async fn an_append_moves_the_head(log: Log) {
    let (one, other) = (stream(1), stream(2));
    assert_eq!(log.head(one).await.unwrap(), Sequence::START);
    assert_eq!(
        log.append(one, Sequence(0), records(&["a", "b"]))
            .await
            .unwrap(),
        Sequence(2)
    );
    assert_eq!(
        log.append(one, Sequence(2), records(&[""])).await.unwrap(),
        Sequence(3)
    );
    assert_eq!(
        log.append(other, Sequence(0), records(&["z"]))
            .await
            .unwrap(),
        Sequence(1)
    );

    assert_eq!(log.head(one).await.unwrap(), Sequence(3));
    assert_eq!(log.head(other).await.unwrap(), Sequence(1));
    assert_eq!(all(&log, one).await, numbered(1, &["a", "b", ""]));
    assert_eq!(all(&log, other).await, numbered(1, &["z"]));
}

pub(crate) async fn a_wrong_expectation_is_refused(log: Log) {
    log.append(stream(1), Sequence(0), records(&["a", "b"]))
        .await
        .unwrap();
    for expected in [0, 1, 3, u64::MAX] {
        let refused = log
            .append(stream(1), Sequence(expected), records(&["x"]))
            .await;
        assert_conflict(&refused, stream(1), expected, 2);
    }
    let refused = log.append(stream(2), Sequence(1), records(&["x"])).await;
    assert_conflict(&refused, stream(2), 1, 0);

    assert_eq!(all(&log, stream(1)).await, numbered(1, &["a", "b"]));
    assert_eq!(log.head(stream(2)).await.unwrap(), Sequence::START);
    assert_eq!(
        log.append(stream(1), Sequence(2), records(&["c"]))
            .await
            .unwrap(),
        Sequence(3)
    );
}

pub(crate) async fn the_same_append_twice_is_refused(log: Log) {
    log.append(stream(1), Sequence(0), records(&["a", "b"]))
        .await
        .unwrap();
    let again = log
        .append(stream(1), Sequence(0), records(&["a", "b"]))
        .await;
    assert_conflict(&again, stream(1), 0, 2);
    assert_eq!(all(&log, stream(1)).await, numbered(1, &["a", "b"]));
}

pub(crate) async fn appending_nothing_checks_the_head_and_writes_nothing(log: Log) {
    assert_eq!(
        log.append(stream(1), Sequence(0), vec![]).await.unwrap(),
        Sequence(0)
    );
    assert_conflict(
        &log.append(stream(1), Sequence(1), vec![]).await,
        stream(1),
        1,
        0,
    );
    assert_eq!(log.streams(None, 10).await.unwrap(), []);

    log.append(stream(1), Sequence(0), records(&["a"]))
        .await
        .unwrap();
    assert_eq!(
        log.append(stream(1), Sequence(1), vec![]).await.unwrap(),
        Sequence(1)
    );
    assert_conflict(
        &log.append(stream(1), Sequence(0), vec![]).await,
        stream(1),
        0,
        1,
    );
    assert_eq!(all(&log, stream(1)).await, numbered(1, &["a"]));
}

pub(crate) async fn limits_are_kept(log: Log) {
    let too_long = vec![vec![1], vec![2; MAX_RECORD_BYTES + 1]];
    let Err(AppendError::RecordTooLarge {
        index: 1,
        len_bytes,
    }) = log.append(stream(1), Sequence(0), too_long).await
    else {
        panic!("a record above the limit is refused");
    };
    assert_eq!(len_bytes, MAX_RECORD_BYTES + 1);
    let many = vec![vec![]; MAX_APPEND_RECORDS + 1];
    let refused = log.append(stream(1), Sequence(0), many).await;
    assert!(
        matches!(refused, Err(AppendError::TooManyRecords { count: 257 })),
        "{refused:?}"
    );
    let mut large = vec![vec![3; MAX_RECORD_BYTES]; MAX_APPEND_BYTES / MAX_RECORD_BYTES];
    large.push(vec![3]);
    let refused = log.append(stream(1), Sequence(0), large.clone()).await;
    assert!(matches!(
        refused,
        Err(AppendError::AppendTooLarge { len_bytes: 65_537 })
    ));
    assert_eq!(log.head(stream(1)).await.unwrap(), Sequence::START);

    large.pop();
    let head = log
        .append(stream(1), Sequence(0), large.clone())
        .await
        .unwrap();
    assert_eq!(head, Sequence(large.len() as u64));
    let head = log
        .append(stream(1), head, vec![vec![]; MAX_APPEND_RECORDS])
        .await
        .unwrap();
    assert_eq!(log.head(stream(1)).await.unwrap(), head);
    let read = log.read(stream(1), Sequence(0), large.len()).await.unwrap();
    assert!(read.into_iter().map(|(_, record)| record).eq(large));
}
