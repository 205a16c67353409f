//! Databases that go away and come back, and answers that are lost.

use std::sync::Arc;

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{AppendError, EventLog, ReadError};
use dragontooth_service_vocabulary::Sequence;

use crate::{
    load::{Load, stream},
    relay::Relay,
    server::{Server, options},
};

pub(crate) async fn relayed(relay: &Relay) -> PostgresLog {
    let address = format!("postgres://postgres@{}/postgres", relay.address());
    PostgresLog::open(&options(&address)).await.unwrap()
}

#[tokio::test]
async fn an_append_whose_answer_is_lost_is_found_again() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let relay = Relay::to(([127, 0, 0, 1], server.port())).await;
    let log = relayed(&relay).await;
    let records = |number: u64| vec![vec![1, number.to_le_bytes()[0]], vec![2]];
    for number in 0..20 {
        relay.lose_the_next_answer();
        let head = log
            .append(stream(1), Sequence(2 * number), records(number))
            .await;
        assert_eq!(head.unwrap(), Sequence(2 * number + 2));
        assert_eq!(relay.lost(), number + 1, "the answer was lost");
    }
    let read = log.read(stream(1), Sequence(0), 100).await.unwrap();
    let written: Vec<_> = (0..20).flat_map(records).collect();
    assert!(read.into_iter().map(|(_, record)| record).eq(written));

    // A conflict is one, however often it is asked.
    relay.lose_the_next_answer();
    let refused = log.append(stream(1), Sequence(38), records(7)).await;
    let Err(AppendError::Conflict { actual, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(actual, Sequence(40));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_lost_under_load_change_nothing() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let relay = Relay::to(([127, 0, 0, 1], server.port())).await;
    let log = Arc::new(relayed(&relay).await);
    let mut load = Load::start(&log, 32);
    for _ in 0..10 {
        load.acknowledges(200).await;
        relay.lose_the_next_answer();
    }
    load.acknowledges(200).await;
    load.check(&log).await;
    assert!(relay.lost() > 0);
}

#[tokio::test]
async fn a_database_that_is_away_is_reported_and_comes_back() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    let mut available = log.availability().unwrap();
    assert!(*available.borrow_and_update());

    server.kill();
    available.wait_for(|available| !available).await.unwrap();
    assert!(matches!(log.health(), Err(AppendError::Unavailable(_))));
    let refused = log.append(stream(1), Sequence(1), vec![vec![2]]).await;
    assert!(
        matches!(refused, Err(AppendError::Unavailable(_))),
        "{refused:?}"
    );
    let unread = log.read(stream(1), Sequence(0), 10).await;
    assert!(matches!(unread, Err(ReadError::Storage(_))), "{unread:?}");

    server.start_again();
    available.wait_for(|available| *available).await.unwrap();
    log.health().unwrap();
    let head = log
        .append(stream(1), Sequence(1), vec![vec![3]])
        .await
        .unwrap();
    assert_eq!(head, Sequence(2));
    // The refused append has left nothing.
    let first = (Sequence(1), vec![1]);
    let second = (Sequence(2), vec![3]);
    assert_eq!(
        log.read(stream(1), Sequence(0), 10).await.unwrap(),
        [first, second]
    );
}

#[tokio::test]
async fn a_log_closes_while_its_database_is_away() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    let mut available = log.availability().unwrap();
    server.kill();
    available.wait_for(|available| !available).await.unwrap();
    log.close().await;
    assert!(matches!(log.health(), Err(AppendError::Closed)));
}

#[tokio::test]
async fn a_database_that_hangs_while_nothing_is_written_is_away() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    let mut available = log.availability().unwrap();
    server.pause();
    available.wait_for(|available| !available).await.unwrap();
    server.resume();
    available.wait_for(|available| *available).await.unwrap();
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_database_that_hangs_is_away_until_it_answers() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    let mut available = log.availability().unwrap();

    server.pause();
    let hanging = Arc::clone(&log);
    let begun =
        tokio::spawn(async move { hanging.append(stream(1), Sequence(1), vec![vec![2]]).await });
    available.wait_for(|available| !available).await.unwrap();
    let refused = log.append(stream(2), Sequence(0), vec![vec![3]]).await;
    assert!(
        matches!(refused, Err(AppendError::Unavailable(_))),
        "{refused:?}"
    );

    server.resume();
    assert_eq!(begun.await.unwrap().unwrap(), Sequence(2));
    available.wait_for(|available| *available).await.unwrap();
    log.health().unwrap();
    assert_eq!(log.head(stream(2)).await.unwrap(), Sequence(0));
}

#[tokio::test]
async fn nothing_is_acknowledged_without_the_standby() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let log = Arc::new(primary.open().await);
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    let mut available = log.availability().unwrap();
    standby.pause();
    let waiting = Arc::clone(&log);
    let mut begun =
        tokio::spawn(async move { waiting.append(stream(1), Sequence(1), vec![vec![2]]).await });
    available.wait_for(|available| !available).await.unwrap();
    assert!(!begun.is_finished());

    // The administrator cancels the wait: the server then says that it is done, and only another commit shows that it is.
    primary
        .execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        .await;
    let waits_again = "DO $$ BEGIN LOOP PERFORM pg_stat_clear_snapshot(); \
        EXIT WHEN EXISTS (SELECT FROM pg_stat_activity \
            WHERE wait_event = 'SyncRep' AND query LIKE '%barrier%' AND pid <> pg_backend_pid()); END LOOP; END $$";
    tokio::select! {
        answer = &mut begun => panic!("answered without the standby: {answer:?}"),
        () = primary.execute(waits_again) => {}
    }
    standby.resume();
    assert_eq!(begun.await.unwrap().unwrap(), Sequence(2));
    // The standby has it on its disk, and shows it a moment later.
    let written = "SELECT pg_current_wal_lsn()::text";
    let written = primary.connect().await.query_one(written, &[]).await;
    let written: String = written.unwrap().get(0);
    let is_shown = format!(
        "DO $$ BEGIN LOOP EXIT WHEN pg_last_wal_replay_lsn() >= '{written}'; END LOOP; END $$"
    );
    standby.execute(&is_shown).await;
    let on_standby = standby.connect().await;
    let found = on_standby
        .query_one("SELECT head FROM dragontooth.stream", &[])
        .await
        .unwrap();
    assert_eq!(found.get::<_, i64>(0), 2);
}
