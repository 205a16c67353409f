//! Losses of the primary.

use std::{env, sync::Arc};

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::EventLog;
use dragontooth_service_vocabulary::Sequence;

use crate::{
    doubt::{both, is_unread},
    load::{Load, stream},
    server::Server,
};

/// The number of primaries that are killed: `POSTGRES_TEST_KILLS`, or 2.
fn kills() -> u32 {
    env::var("POSTGRES_TEST_KILLS").map_or(2, |times| times.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_with_the_primary() {
    for kill in 1..=kills() {
        let Some((mut primary, standby)) = Server::start_pair() else {
            return;
        };
        let both = both(&primary, &standby);
        let log = Arc::new(PostgresLog::open(&both).await.unwrap());
        let mut load = Load::start(&log, 64);
        load.acknowledges(2_000).await;
        primary.kill();
        standby.promote().await;
        load.acknowledges(2_000).await;
        let appends = load.check(&log).await;
        println!("kill {kill}: {appends} appends acknowledged, all found");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_with_a_crash() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let log = Arc::new(server.open().await);
    let mut load = Load::start(&log, 64);
    for _ in 0..kills() {
        load.acknowledges(2_000).await;
        server.kill();
        server.start_again();
    }
    load.acknowledges(2_000).await;
    load.check(&log).await;
}

/// A primary that goes on without its standby after that was promoted says that it accepts writes, and acknowledges none.
#[tokio::test]
async fn a_primary_that_acknowledges_nothing_hides_no_other() {
    let Some((primary, standby)) = Server::start_pair() else {
        return;
    };
    let both = both(&primary, &standby);
    let running = PostgresLog::open(&both).await.unwrap();
    let append = |log, head: u64| {
        let record = vec![head.to_le_bytes().to_vec()];
        EventLog::append(log, stream(1), Sequence(head), record)
    };
    assert_eq!(append(&running, 0).await.unwrap(), Sequence(1));
    standby.promote().await;
    let (begun, started) = tokio::join!(
        append(&running, 1),
        PostgresLog::open_to_serve(&both, |_| {})
    );
    assert_eq!(begun.unwrap(), Sequence(2));
    let started = started.unwrap();
    for log in [&running, &started] {
        log.sessions().unwrap().exchange().await.unwrap();
    }

    // The old primary still works for the connection that was given up.
    let successor = standby.connect().await;
    let meet = successor
        .query("SELECT FROM dragontooth.replica", &[])
        .await;
    assert_eq!(meet.unwrap().len(), 2);
    let allow = async |what: &str| {
        let allow = format!("UPDATE pg_database SET datallowconn = {what}");
        successor.batch_execute(&allow).await.unwrap();
    };
    allow("false").await;
    is_unread(&running).await;
    allow("true").await;
    assert_eq!(append(&started, 2).await.unwrap(), Sequence(3));

    // The old primary has a standby again, and acknowledges what nobody asks it for any more.
    let _late = primary.start_standby("standby");
    primary.execute("CREATE TABLE acknowledged ()").await;
    assert_eq!(append(&running, 3).await.unwrap(), Sequence(4));
    let known = standby.open().await;
    for log in [&running, &started, &known] {
        let read = log.read(stream(1), Sequence(0), 10).await.unwrap();
        let read: Vec<_> = read.into_iter().map(|(_, record)| record).collect();
        assert_eq!(
            read,
            [0_u64, 1, 2, 3].map(|head| head.to_le_bytes().to_vec())
        );
    }
}
