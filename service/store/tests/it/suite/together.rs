//! Many appends at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use dragontooth_service_store::{MAX_QUEUED_APPENDS, MAX_RECORD_BYTES, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::{TryStreamExt, future::join_all};
use tokio::{runtime::Handle, sync::oneshot, task::JoinSet};

use super::given::{Log, all, assert_conflict, numbered, records, stream};

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
        let last = log.read(stream(1), Sequence(head), 2).await.unwrap();
        assert_eq!(last, [(Sequence(head + 1), vec![winners[0]])]);
    }
}

pub(crate) async fn concurrent_appends_to_many_streams_all_succeed(log: Log) {
    let mut tasks = JoinSet::new();
    for number in 0..256 {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            let mut head = Sequence::START;
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
        let read = all(&log, stream(number)).await;
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
            assert_eq!(all(&log, stream(number)).await, numbered(1, &["a", "b"]));
        } else {
            assert_conflict(&answer, stream(number), 7, 0);
            assert_eq!(log.head(stream(number)).await.unwrap(), Sequence::START);
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
    assert_eq!(
        all(&log, stream(1)).await,
        numbered(1, &["a", "b", "c", "d"])
    );
}

pub(crate) async fn more_than_the_queue_holds_waits(log: Log) {
    let appends = MAX_QUEUED_APPENDS as u64 * 2;
    let record = vec![0x5a; MAX_RECORD_BYTES];
    let append = |number| log.append(stream(number), Sequence(0), vec![record.clone()]);
    for answer in join_all((0..appends).map(append)).await {
        assert_eq!(answer.unwrap(), Sequence(1));
    }
    for number in 0..appends {
        let read = log.read(stream(number), Sequence(0), 10).await.unwrap();
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
        let check = async move {
            let mut heads = vec![Sequence::START; 4];
            let mut reading = Some(reading);
            loop {
                let last_round = written.load(Ordering::Acquire);
                for (number, seen) in (0..).zip(&mut heads) {
                    *seen = check_prefix(&log, stream(number), *seen).await;
                }
                let streams: Vec<_> = log.all_streams().try_collect().await.unwrap();
                assert!(streams.iter().all(|(_, head)| head.0 % 3 == 0));
                if let Some(reading) = reading.take() {
                    reading.send(()).unwrap();
                }
                if last_round {
                    return heads;
                }
            }
        };
        // Its answers may be ready, so that it never gives way.
        tokio::task::spawn_blocking(|| Handle::current().block_on(check))
    };
    started.await.unwrap();
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let log = Arc::clone(&log);
        writers.spawn(async move {
            let mut head = Sequence::START;
            for _ in 0..APPENDS {
                head = log
                    .append(stream(number), head, records(&["a", "b", "c"]))
                    .await
                    .unwrap();
                assert_eq!(
                    log.head(stream(number)).await.unwrap(),
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
async fn check_prefix(log: &Log, stream: StreamId, before: Sequence) -> Sequence {
    let read = all(log, stream).await;
    let head = Sequence(read.len() as u64);
    assert!(read.iter().map(|(sequence, _)| sequence.0).eq(1..=head.0));
    assert_eq!(head.0 % 3, 0, "an append is visible whole or not at all");
    assert!(head >= before, "{head} after {before}");
    assert!(log.head(stream).await.unwrap() >= head);
    head
}
