//! What every log must do.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use dragontooth_service_store::{
    AppendError, EventLog, MAX_APPEND_BYTES, MAX_APPEND_RECORDS, MAX_QUEUED_APPENDS,
    MAX_READ_RECORDS, MAX_RECORD_BYTES, Sequence, StreamId,
};
use futures::future::join_all;
use tokio::{sync::oneshot, task::JoinSet};

use crate::random::Random;

type Log = Arc<dyn EventLog>;

pub(crate) async fn an_append_moves_the_head(log: Log) {
    let (one, other) = (stream(1), stream(2));
    assert_eq!(log.head(one).unwrap(), Sequence::EMPTY);
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

    assert_eq!(log.head(one).unwrap(), Sequence(3));
    assert_eq!(log.head(other).unwrap(), Sequence(1));
    assert_eq!(all(&log, one), numbered(1, &["a", "b", ""]));
    assert_eq!(all(&log, other), numbered(1, &["z"]));
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

    assert_eq!(all(&log, stream(1)), numbered(1, &["a", "b"]));
    assert_eq!(log.head(stream(2)).unwrap(), Sequence::EMPTY);
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
    assert_eq!(all(&log, stream(1)), numbered(1, &["a", "b"]));
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
    assert_eq!(log.streams(None, 10).unwrap(), []);

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
    assert_eq!(all(&log, stream(1)), numbered(1, &["a"]));
}

pub(crate) async fn one_of_many_concurrent_appends_wins(log: Log) {
    for head in 0..20 {
        let mut tasks = JoinSet::new();
        for task in 0..32_u8 {
            let log = Arc::clone(&log);
            tasks.spawn(async move {
                (
                    task,
                    log.append(stream(1), Sequence(head), vec![vec![task]])
                        .await,
                )
            });
        }
        let mut winners = Vec::new();
        for (task, answer) in tasks.join_all().await {
            match answer {
                Ok(new) => {
                    assert_eq!(new, Sequence(head + 1));
                    winners.push(task);
                }
                refused @ Err(_) => assert_conflict(&refused, stream(1), head, head + 1),
            }
        }
        assert_eq!(winners.len(), 1, "winners: {winners:?}");
        let last = log.read(stream(1), Sequence(head), 2).unwrap();
        assert_eq!(last, [(Sequence(head + 1), vec![winners[0]])]);
    }
}

pub(crate) async fn concurrent_appends_to_many_streams_all_succeed(log: Log) {
    let mut tasks = JoinSet::new();
    for number in 0..256 {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            let mut head = Sequence::EMPTY;
            for round in 0..20_u8 {
                head = log
                    .append(stream(number), head, vec![vec![round]])
                    .await
                    .unwrap();
            }
            head
        });
    }
    assert!(
        tasks
            .join_all()
            .await
            .into_iter()
            .all(|head| head == Sequence(20))
    );
    let expected: Vec<_> = (0..20_u8).map(|round| vec![round]).collect();
    for number in 0..256 {
        let read = all(&log, stream(number));
        assert_eq!(
            read.into_iter()
                .map(|(_, record)| record)
                .collect::<Vec<_>>(),
            expected
        );
    }
}

pub(crate) async fn a_refused_append_disturbs_no_other(log: Log) {
    let right = |number: u64| !number.is_multiple_of(3);
    let answers = join_all((0..300).map(|number| {
        let expected = Sequence(if right(number) { 0 } else { 7 });
        log.append(stream(number), expected, records(&["a", "b"]))
    }))
    .await;
    for (number, answer) in (0..300).zip(answers) {
        if right(number) {
            assert_eq!(answer.unwrap(), Sequence(2));
            assert_eq!(all(&log, stream(number)), numbered(1, &["a", "b"]));
        } else {
            assert_conflict(&answer, stream(number), 7, 0);
            assert_eq!(log.head(stream(number)).unwrap(), Sequence::EMPTY);
        }
    }
}

pub(crate) async fn an_append_builds_on_the_ones_before_it(log: Log) {
    let (first, early, second, late, nothing, third) = tokio::join!(
        biased;
        log.append(stream(1), Sequence(0), records(&["a"])),
        log.append(stream(1), Sequence(0), records(&["x"])),
        log.append(stream(1), Sequence(1), records(&["b", "c"])),
        log.append(stream(1), Sequence(9), records(&["y"])),
        log.append(stream(1), Sequence(3), vec![]),
        log.append(stream(1), Sequence(3), records(&["d"])),
    );
    assert_eq!(first.unwrap(), Sequence(1));
    assert_conflict(&early, stream(1), 0, 1);
    assert_eq!(second.unwrap(), Sequence(3));
    assert_conflict(&late, stream(1), 9, 3);
    assert_eq!(nothing.unwrap(), Sequence(3));
    assert_eq!(third.unwrap(), Sequence(4));
    assert_eq!(all(&log, stream(1)), numbered(1, &["a", "b", "c", "d"]));
}

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
        let read = log.read(stream(1), Sequence(after), limit).unwrap();
        let expected: Vec<_> = expected
            .map(|number| (Sequence(number), number.to_be_bytes().to_vec()))
            .collect();
        assert_eq!(read, expected, "at most {limit} after {after}");
    }
    for (after, limit) in [(0, 0), (len, 1), (len + 1, 10), (u64::MAX, 10)] {
        assert_eq!(log.read(stream(1), Sequence(after), limit).unwrap(), []);
    }
    assert_eq!(
        log.read(stream(2), Sequence(0), 10).unwrap(),
        [],
        "an unknown stream"
    );
    let paged = log
        .records(stream(1), Sequence(7))
        .map(|record| record.unwrap().0);
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
            all(&log, id),
            [(Sequence(1), record.clone()), (Sequence(2), record)]
        );
        assert_eq!(log.head(id).unwrap(), Sequence(2));
    }
    middle[15] = 0x81;
    assert_eq!(log.head(StreamId(middle)).unwrap(), Sequence::EMPTY);
    assert_eq!(log.read(StreamId(middle), Sequence(0), 10).unwrap(), []);
}

pub(crate) async fn streams_are_listed_in_pages(log: Log) {
    assert_eq!(log.streams(None, 10).unwrap(), []);
    let mut expected = Vec::new();
    for number in 0..50 {
        let head = number % 7 * 20 + 1;
        append_numbers(&log, stream(number), head).await;
        expected.push((stream(number), Sequence(head)));
    }
    expected.sort_unstable();

    assert_eq!(log.streams(None, usize::MAX).unwrap(), expected);
    assert_eq!(log.streams(None, 0).unwrap(), []);
    assert_eq!(log.streams(None, 3).unwrap(), expected[..3]);
    assert_eq!(log.streams(Some(expected[2].0), 5).unwrap(), expected[3..8]);
    assert_eq!(
        log.streams(Some(expected[48].0), 5).unwrap(),
        expected[49..]
    );
    assert_eq!(log.streams(Some(expected[49].0), 5).unwrap(), []);
    assert_eq!(log.streams(Some(StreamId([0xff; 16])), 5).unwrap(), []);
    assert_eq!(
        log.all_streams().collect::<Result<Vec<_>, _>>().unwrap(),
        expected
    );
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
    assert_eq!(log.head(stream(1)).unwrap(), Sequence::EMPTY);

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
    assert_eq!(log.head(stream(1)).unwrap(), head);
    let read = log.read(stream(1), Sequence(0), large.len()).unwrap();
    assert!(read.into_iter().map(|(_, record)| record).eq(large));
}

pub(crate) async fn more_than_the_queue_holds_waits(log: Log) {
    let appends = MAX_QUEUED_APPENDS as u64 * 2;
    let record = vec![0x5a; MAX_RECORD_BYTES];
    let append = |number| log.append(stream(number), Sequence(0), vec![record.clone()]);
    for answer in join_all((0..appends).map(append)).await {
        assert_eq!(answer.unwrap(), Sequence(1));
    }
    for number in 0..appends {
        let read = log.read(stream(number), Sequence(0), 10).unwrap();
        assert_eq!(read, [(Sequence(1), record.clone())]);
    }
}

pub(crate) async fn readers_see_whole_prefixes_while_writers_write(log: Log) {
    const WRITERS: u64 = 4;
    const APPENDS: u64 = 100;
    let written = Arc::new(AtomicBool::new(false));
    let (reading, started) = oneshot::channel();
    let reader = {
        let (log, written) = (Arc::clone(&log), Arc::clone(&written));
        tokio::task::spawn_blocking(move || {
            let mut heads = vec![Sequence::EMPTY; 4];
            let mut reading = Some(reading);
            loop {
                let last_round = written.load(Ordering::Acquire);
                for (number, seen) in (0..).zip(&mut heads) {
                    *seen = check_prefix(&log, stream(number), *seen);
                }
                assert!(
                    log.all_streams()
                        .all(|stream| stream.unwrap().1.get() % 3 == 0)
                );
                if let Some(reading) = reading.take() {
                    reading.send(()).unwrap();
                }
                if last_round {
                    return heads;
                }
            }
        })
    };
    started.await.unwrap();
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let log = Arc::clone(&log);
        writers.spawn(async move {
            let mut head = Sequence::EMPTY;
            for _ in 0..APPENDS {
                head = log
                    .append(stream(number), head, records(&["a", "b", "c"]))
                    .await
                    .unwrap();
                assert_eq!(
                    log.head(stream(number)).unwrap(),
                    head,
                    "what is answered is visible"
                );
            }
        });
    }
    writers.join_all().await;
    written.store(true, Ordering::Release);
    assert_eq!(reader.await.unwrap(), [Sequence(APPENDS * 3); 4]);
}

/// Checks what a reader sees of appends of three records, which saw `before` last.
fn check_prefix(log: &Log, stream: StreamId, before: Sequence) -> Sequence {
    let read = all(log, stream);
    let head = Sequence(read.len() as u64);
    assert!(
        read.iter()
            .map(|(sequence, _)| sequence.get())
            .eq(1..=head.get())
    );
    assert_eq!(
        head.get() % 3,
        0,
        "an append is visible whole or not at all"
    );
    assert!(head >= before, "{head} after {before}");
    assert!(log.head(stream).unwrap() >= head);
    head
}

pub(crate) async fn a_closed_log_refuses_appends_and_reads_on(log: Log) {
    log.append(stream(1), Sequence(0), records(&["a"]))
        .await
        .unwrap();
    log.health().unwrap();
    log.close().await;
    log.close().await;
    let refused = log.append(stream(1), Sequence(1), records(&["b"])).await;
    assert!(matches!(refused, Err(AppendError::Closed)), "{refused:?}");
    assert!(matches!(log.health(), Err(AppendError::Closed)));
    assert_eq!(all(&log, stream(1)), numbered(1, &["a"]));
    assert_eq!(log.head(stream(1)).unwrap(), Sequence(1));
    assert_eq!(log.streams(None, 10).unwrap(), [(stream(1), Sequence(1))]);
}

pub(crate) async fn closing_answers_what_has_begun(log: Log) {
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            let mut head = Sequence::EMPTY;
            loop {
                match log.append(stream(number), head, records(&["a"])).await {
                    Ok(new) => head = new,
                    Err(AppendError::Closed) => return (number, head),
                    Err(error) => panic!("{error}"),
                }
            }
        });
    }
    log.append(stream(1000), Sequence(0), records(&["a"]))
        .await
        .unwrap();
    tokio::join!(log.close(), log.close());
    for (number, head) in tasks.join_all().await {
        assert_eq!(log.head(stream(number)).unwrap(), head);
    }
}

pub(crate) async fn random_operations_agree_with_a_model(log: Log) {
    let mut random = Random::for_test("random_operations_agree_with_a_model");
    let mut model: BTreeMap<StreamId, Vec<Vec<u8>>> = BTreeMap::new();
    for _ in 0..1500 {
        let stream = stream(random.below(12));
        let known = model.get(&stream).map_or(0, |records| records.len() as u64);
        match random.below(4) {
            0 | 1 => {
                let expected = known + random.below(8).saturating_sub(6);
                let record = |random: &mut Random| {
                    let len = usize::try_from(random.below(300)).unwrap();
                    vec![u8::try_from(random.below(256)).unwrap(); len]
                };
                let count = random.below(6);
                let appended: Vec<_> = (0..count).map(|_| record(&mut random)).collect();
                let answer = log
                    .append(stream, Sequence(expected), appended.clone())
                    .await;
                if expected == known {
                    assert_eq!(answer.unwrap(), Sequence(known + count));
                    if count > 0 {
                        model.entry(stream).or_default().extend(appended);
                    }
                } else {
                    assert_conflict(&answer, stream, expected, known);
                }
            }
            2 => {
                let after = usize::try_from(random.below(known + 3)).unwrap();
                let limit = usize::try_from(random.below(40)).unwrap();
                let read = log.read(stream, Sequence(after as u64), limit).unwrap();
                let records = model.get(&stream).into_iter().flatten().cloned();
                assert!(
                    read.into_iter()
                        .eq((1..).map(Sequence).zip(records).skip(after).take(limit))
                );
                assert_eq!(log.head(stream).unwrap(), Sequence(known));
            }
            _ => {
                let after = (random.below(3) > 0).then_some(stream);
                let listed = log.streams(after, 5).unwrap();
                let expected = model
                    .iter()
                    .filter(|(id, _)| after.is_none_or(|after| **id > after))
                    .map(|(id, records)| (*id, Sequence(records.len() as u64)));
                assert!(listed.into_iter().eq(expected.take(5)));
            }
        }
    }
}

/// Ids in an order of their own, some with long common beginnings.
fn stream(number: u64) -> StreamId {
    let mut id = [0; 16];
    id[0] = number.to_le_bytes()[0].reverse_bits() & 0xf0;
    id[8..].copy_from_slice(&number.to_be_bytes());
    StreamId(id)
}

fn records(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn numbered(first: u64, texts: &[&str]) -> Vec<(Sequence, Vec<u8>)> {
    (first..).map(Sequence).zip(records(texts)).collect()
}

fn all(log: &Log, stream: StreamId) -> Vec<(Sequence, Vec<u8>)> {
    log.records(stream, Sequence::EMPTY)
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Appends to an empty stream `len` records, each its own sequence.
async fn append_numbers(log: &Log, stream: StreamId, len: u64) {
    let numbers: Vec<_> = (1..=len)
        .map(|number| number.to_be_bytes().to_vec())
        .collect();
    let mut head = Sequence::EMPTY;
    for chunk in numbers.chunks(MAX_APPEND_RECORDS) {
        head = log.append(stream, head, chunk.to_vec()).await.unwrap();
    }
    assert_eq!(head, Sequence(len));
}

fn assert_conflict(
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
        (*stream, expected.get(), actual.get()),
        (of, was_expected, was_there)
    );
}
