//! Logs that are opened again.

use std::collections::HashMap;

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{AppendError, EventLog, MatchBrief, MatchEntry, VisitedStream};
use dragontooth_service_vocabulary::{MatchId, PlayerId, Sequence, Visibility};

use tokio_postgres::Client;

use crate::{load::stream, server::Server};

/// The streams that a log visits: those that its catalogue does not know.
async fn visited(log: &PostgresLog) -> Vec<(u64, u64)> {
    let mut visited = Vec::new();
    let mut each = |seen: VisitedStream<'_>| {
        let number = u64::from_be_bytes(*seen.stream.0.first_chunk().unwrap());
        assert_eq!(seen.brief, None);
        visited.push((number, seen.head.0));
    };
    log.visit(&mut each).await.unwrap();
    visited
}

#[tokio::test]
async fn what_was_kept_is_there_again() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    for number in 0..5 {
        let records = vec![vec![7]; 2];
        log.append(stream(number), Sequence(0), records)
            .await
            .unwrap();
    }
    let key = log.secret_key([1; 32]).await.unwrap();
    assert_eq!(key, [1; 32]);
    log.keep_summary(stream(1), Some(vec![1; 9])).await.unwrap();
    log.keep_summary(stream(1), Some(vec![2; 9])).await.unwrap();
    log.keep_summary(stream(2), Some(vec![3])).await.unwrap();
    let ended = MatchEntry::ended(MatchBrief {
        game: "kamisado".to_owned(),
        variant: "standard".to_owned(),
        players: [None; 2],
        creator: PlayerId::from_bytes([3; 16]),
        visibility: Visibility::Public,
        seed_mark: None,
        request_id: None,
    });
    for number in [1, 4] {
        let id = MatchId::from_bytes(stream(number).0);
        let catalogue = log.catalogue().unwrap();
        catalogue.enter(id, &ended, None).await.unwrap();
    }
    log.close().await;
    drop(log);

    let log = server.open().await;
    assert_eq!(log.secret_key([2; 32]).await.unwrap(), key);
    assert_eq!(log.summary(stream(1)).await.unwrap(), Some(vec![2; 9]));
    assert_eq!(log.summary(stream(0)).await.unwrap(), None);
    let summaries = log.summaries([0, 1, 2].map(stream).to_vec()).await.unwrap();
    let kept = [(stream(1), vec![2; 9]), (stream(2), vec![3])];
    assert_eq!(summaries, HashMap::from(kept));
    assert_eq!(visited(&log).await, [(0, 2), (2, 2), (3, 2)]);

    log.keep_summary(stream(1), None).await.unwrap();
    assert_eq!(log.summary(stream(1)).await.unwrap(), None);
    let again = visited(&log).await;
    assert!(again.contains(&(1, 2)), "it is examined again: {again:?}");
}

/// Takes the database for a connection of its own alone, so that the log cannot connect again.
async fn take_from(server: &Server) -> Client {
    let other = server.connect().await;
    // Waits behind the log to have the database alone, and has it when the connection of the log is cut.
    let taking = tokio::spawn(async move {
        let taken = other
            .batch_execute("SELECT pg_advisory_lock(1146375239, 1)")
            .await;
        taken.unwrap();
        other
    });
    let waits = "DO $$ BEGIN LOOP PERFORM pg_stat_clear_snapshot(); \
        EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted); END LOOP; END $$";
    server.execute(waits).await;
    server
        .execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted",
        )
        .await;
    taking.await.unwrap()
}

#[tokio::test]
async fn a_log_whose_database_was_taken_over_fails() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    // As `restore` does, once it has the database.
    server
        .execute("UPDATE dragontooth.log SET restoring = true")
        .await;
    let _other = take_from(&server).await;
    log.failed().await;
    let refused = log.append(stream(1), Sequence(0), vec![vec![1]]).await;
    assert!(
        matches!(refused, Err(AppendError::Failed(_))),
        "{refused:?}"
    );
}

/// Another service holds the database while it makes its tables ready, and is slow.
#[tokio::test]
async fn a_log_waits_for_another_one_that_holds_the_database() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    let other = take_from(&server).await;
    let tries_again = "DO $$ DECLARE first int; BEGIN LOOP PERFORM pg_stat_clear_snapshot(); \
        first = coalesce(first, (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted LIMIT 1)); \
        EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid <> first); \
        END LOOP; END $$";
    tokio::select! {
        () = server.execute(tries_again) => {}
        () = log.failed() => panic!("the log has failed: {:?}", log.health()),
    }
    assert!(matches!(log.health(), Err(AppendError::Unavailable(_))));
    drop(other);
    let mut available = log.availability().unwrap();
    available.wait_for(|available| *available).await.unwrap();
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
}
