//! Commits that a database shows although no standby has them.

use std::{sync::Arc, time::Duration};

use dragontooth_service_postgres::{PostgresLog, PostgresOptions};
use dragontooth_service_store::{AppendError, EventLog, ReadError};
use dragontooth_service_vocabulary::Sequence;
use tokio::time::interval;

use crate::{
    interruptions::relayed,
    load::stream,
    relay::Relay,
    server::{Server, options},
};

/// The options for the address that names two servers.
pub(crate) fn both(first: &Server, second: &Server) -> PostgresOptions {
    let (first, second) = (first.port(), second.port());
    let address = format!("postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/postgres");
    options(&address)
}

/// Waits until a session on the server is found by this condition.
async fn until_one(server: &Server, is_found: &str) {
    let waiting = format!(
        "DO $$ BEGIN LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN EXISTS \
         (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {is_found}); END LOOP; END $$"
    );
    server.execute(&waiting).await;
}

pub(crate) async fn is_unread(log: &PostgresLog) {
    let head = log.head(stream(1)).await;
    assert!(matches!(head, Err(ReadError::Storage(_))), "{head:?}");
    let read = log.read(stream(1), Sequence(1), 10).await;
    assert!(matches!(read, Err(ReadError::Storage(_))), "{read:?}");
    let named = log.reserve(b"a match", stream(2)).await;
    assert!(named.is_err(), "{named:?}");
}

/// A primary that starts again shows what waited for its standby, and a promotion of that would lose it.
#[tokio::test]
async fn nothing_is_read_that_no_standby_has() {
    let Some((mut primary, standby)) = Server::start_pair() else {
        return;
    };
    let [first, second, third] = [(); 3].map(async |()| Arc::new(primary.open().await));
    let (first, second, third) = (first.await, second.await, third.await);
    let append = |log: &Arc<PostgresLog>, record: u8| {
        let log = Arc::clone(log);
        tokio::spawn(async move {
            let records = vec![vec![record]];
            log.append(stream(1), Sequence(1), records).await
        })
    };
    let records = vec![vec![1]];
    first.append(stream(1), Sequence(0), records).await.unwrap();
    standby.pause();
    let begun = append(&first, 2);
    until_one(&primary, "wait_event = 'SyncRep'").await;
    assert_eq!(second.head(stream(1)).await.unwrap(), Sequence(1));
    let overtaken = append(&third, 3);
    until_one(&primary, "wait_event_type = 'Lock'").await;

    let mut others = [&second, &third].map(|log| log.availability().unwrap());
    primary.kill();
    for available in &mut others {
        available.wait_for(|available| !available).await.unwrap();
    }
    primary.start_again();
    let barrier = "wait_event = 'SyncRep' AND query LIKE '%barrier%'";
    until_one(&primary, barrier).await;
    until_one(
        &primary,
        "wait_event_type = 'Lock' AND query LIKE '%barrier%'",
    )
    .await;
    let shown = primary.connect().await;
    let shown = shown.query_one("SELECT head FROM dragontooth.stream", &[]);
    assert_eq!(shown.await.unwrap().get::<_, i64>(0), 2);
    is_unread(&second).await;
    is_unread(&third).await;
    assert!(!begun.is_finished());
    assert!(!overtaken.is_finished());

    standby.resume();
    assert_eq!(begun.await.unwrap().unwrap(), Sequence(2));
    let overtaken = overtaken.await.unwrap();
    assert!(
        matches!(
            overtaken,
            Err(AppendError::Conflict {
                actual: Sequence(2),
                ..
            })
        ),
        "{overtaken:?}"
    );
    for available in &mut others {
        available.wait_for(|available| *available).await.unwrap();
    }
    assert_eq!(second.head(stream(1)).await.unwrap(), Sequence(2));
}

/// A server that was promoted may show what only it has, and the log writes to the old one still.
#[tokio::test]
async fn a_log_reads_only_where_it_writes() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let relay = Relay::to(([127, 0, 0, 1], primary.port())).await;
    let log = relayed(&relay).await;
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    standby.promote().await;
    relay.lead_to(([127, 0, 0, 1], standby.port()));
    log.health().unwrap();
    is_unread(&log).await;
}

/// The same where the address names both.
#[tokio::test]
async fn a_log_reads_at_the_host_that_it_writes_to() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let log = PostgresLog::open(&both(&standby, &primary)).await.unwrap();
    log.append(stream(1), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    standby.promote().await;
    standby
        .execute("UPDATE dragontooth.stream SET head = 7")
        .await;
    assert_eq!(log.head(stream(1)).await.unwrap(), Sequence(1));
}

/// A server does not notice that a client is gone whose statement waits there.
#[tokio::test]
async fn waits_for_an_earlier_connection_do_not_add_up() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let log = primary.open().await;
    standby.pause();
    let watch = primary.connect().await;
    let ended = async {
        let waiting = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        let (mut turns, mut first) = (interval(Duration::from_millis(200)), None);
        loop {
            turns.tick().await;
            let rows = watch.query(waiting, &[]).await.unwrap();
            let mut waiting = rows.iter().map(|row| row.get::<_, i32>(0));
            match first {
                None => first = waiting.next(),
                Some(first) if waiting.all(|process| process != first) => break,
                Some(_) => {}
            }
        }
        standby.resume();
    };
    let records = vec![vec![1]];
    let (begun, ()) = tokio::join!(log.append(stream(1), Sequence(0), records), ended);
    assert_eq!(begun.unwrap(), Sequence(1));
}
