//! Several logs on one database.

use std::{collections::HashMap, sync::Arc};

use dragontooth_service_postgres::{
    PostgresError, PostgresLog, PostgresRestoreError, restore_to_postgres,
};
use dragontooth_service_store::{AppendError, EventLog, MemoryLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use futures::future::join_all;

use crate::{backup::back_up, load::stream, server::Server};

async fn append(log: &PostgresLog, to: StreamId, after: u64) -> Result<Sequence, AppendError> {
    log.append(to, Sequence(after), vec![after.to_be_bytes().to_vec()])
        .await
}

/// Waits until a log has heard of these heads.
async fn hears(log: &PostgresLog, heads: &[(StreamId, u64)]) {
    let feed = log.feed().unwrap();
    let mut heard = HashMap::new();
    while !heads
        .iter()
        .all(|(stream, head)| heard.get(stream) == Some(&Sequence(*head)))
    {
        heard.extend(feed.take().await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_hears_what_the_others_append() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (first, second) = (server.open().await, server.open().await);
    append(&first, stream(1), 0).await.unwrap();
    append(&second, stream(2), 0).await.unwrap();
    append(&first, stream(1), 1).await.unwrap();
    hears(&second, &[(stream(1), 2)]).await;
    hears(&first, &[(stream(2), 1)]).await;
    let after = vec![(stream(1), Sequence(1)), (stream(2), Sequence(0))];
    let read = second.read_many(after, 10).await.unwrap();
    let record = |number: u64| number.to_be_bytes().to_vec();
    assert_eq!(read[&stream(1)], [(Sequence(2), record(1))]);
    assert_eq!(read[&stream(2)], [(Sequence(1), record(0))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_appended_while_nobody_listened_is_heard_later() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    append(&log, stream(1), 0).await.unwrap();
    hears(&log, &[(stream(1), 1)]).await;
    let other = server.connect().await;
    // Nobody is told of these, as if the message had been lost; the second has ended.
    let lost = "INSERT INTO dragontooth.event VALUES ($1, 2, ''), ($2, 1, '');";
    let ids = [stream(1), stream(2)].map(|stream| uuid::Uuid::from_bytes(stream.0));
    other.execute(lost, &[&ids[0], &ids[1]]).await.unwrap();
    let moved = "WITH moved AS (UPDATE dragontooth.stream SET head = 2 WHERE id = $1), \
        ended AS (INSERT INTO dragontooth.stream VALUES ($2, 1, true)) \
        INSERT INTO dragontooth.summary (stream, head, brief, place) VALUES ($2, 1, '', nextval('dragontooth.place'))";
    other.execute(moved, &[&ids[0], &ids[1]]).await.unwrap();
    hears(&log, &[(stream(1), 2), (stream(2), 1)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_appends_at_one_head_one_wins() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let logs = [server.open().await, server.open().await];
    let races = (0..400_u64).map(async |number| {
        let mut wins = [0; 2];
        for after in 0..5 {
            let raced = logs
                .each_ref()
                .map(|log| append(log, stream(number), after));
            let raced = join_all(raced).await;
            for (log, appended) in raced.into_iter().enumerate() {
                match appended {
                    Ok(head) => {
                        assert_eq!(head, Sequence(after + 1));
                        wins[log] += 1;
                    }
                    Err(AppendError::Conflict { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
        wins
    });
    let wins = join_all(races).await;
    assert!(wins.iter().all(|[first, second]| first + second == 5));
    for log in 0..2 {
        assert!(wins.iter().any(|wins| wins[log] > 0), "both have some");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_stands_for_one_stream() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let logs = [server.open().await, server.open().await];
    let claims = (0..50_u64).map(|number| {
        let log = &logs[usize::from(number % 2 == 0)];
        log.reserve(b"a match", stream(number))
    });
    let kept: Vec<_> = join_all(claims)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(kept.iter().all(|stream| *stream == kept[0]), "{kept:?}");
    let other = logs[0].reserve(b"another", stream(99)).await.unwrap();
    assert_eq!(other, stream(99));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_in_use_is_not_changed() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    server
        .execute("UPDATE dragontooth.log SET format = 1")
        .await;
    let refused = PostgresLog::open(&server.options()).await.unwrap_err();
    let PostgresError::Outdated {
        found: 1, holder, ..
    } = refused
    else {
        panic!("{refused:?}");
    };
    assert!(holder.starts_with("dragontooth-service "), "{holder}");

    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    back_up(Arc::new(MemoryLog::new()), &backup).await;
    let refused = restore_to_postgres(&backup, &server.options()).await;
    server
        .execute("UPDATE dragontooth.log SET format = 2")
        .await;
    let again = restore_to_postgres(&backup, &server.options()).await;
    for refused in [refused, again] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(
                refused,
                PostgresRestoreError::Open(
                    PostgresError::Outdated { .. } | PostgresError::NotAlone { .. }
                )
            ),
            "{refused:?}"
        );
    }
    append(&log, stream(1), 0).await.unwrap();
}
