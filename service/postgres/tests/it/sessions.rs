//! The players' sessions at several logs on one database.

use std::sync::Arc;
use std::time::Duration;

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{EventLog, PlayerSession, SessionBoard};
use dragontooth_service_vocabulary::{PlayerId, Timestamp};
use tokio::{net::TcpListener, time::interval};

use crate::server::{Server, options};

fn board(log: &PostgresLog) -> Arc<dyn SessionBoard> {
    log.sessions().unwrap()
}

fn session(player: u8, opened: Option<u64>, seen: u64) -> PlayerSession {
    PlayerSession {
        player: PlayerId::from_bytes([player; 16]),
        opened: opened.map(Timestamp::from_micros),
        seen: Timestamp::from_micros(seen),
        offer: opened.map(|opened| opened.to_string().as_bytes().into()),
    }
}

/// Exchanges whenever there is news until a player's session is this one.
async fn hears(board: &dyn SessionBoard, expected: PlayerSession) {
    loop {
        board.has_news().await;
        // One that fails is repeated; the loop has the deadline of the test.
        let heard = board.exchange().await.unwrap_or_default();
        if heard.contains(&expected) {
            return;
        }
    }
}

#[tokio::test]
async fn each_hears_of_the_others_streams() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let logs = [
        server.open().await,
        server.open().await,
        server.open().await,
    ];
    let [first, second, third] = logs.each_ref().map(board);
    for board in [&first, &second, &third] {
        board.exchange().await.unwrap();
    }
    first.post(session(1, Some(10), 10));
    first.exchange().await.unwrap();
    hears(&*second, session(1, Some(10), 10)).await;
    hears(&*third, session(1, Some(10), 10)).await;
    second.post(session(1, Some(20), 20));
    second.exchange().await.unwrap();
    hears(&*first, session(1, Some(20), 20)).await;
    hears(&*third, session(1, Some(20), 20)).await;
    // What has not changed is not heard again.
    assert_eq!(third.exchange().await.unwrap(), []);
    second.post(session(1, None, 30));
    second.exchange().await.unwrap();
    hears(&*third, session(1, Some(10), 30)).await;
    hears(&*first, session(1, None, 30)).await;
}

#[tokio::test]
async fn who_comes_later_hears_of_all_streams() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    let first = board(&log);
    for player in 1..=100 {
        first.post(session(player, Some(10), 10));
    }
    first.exchange().await.unwrap();
    let later = server.open().await;
    let heard = board(&later).exchange().await.unwrap();
    let expected: Vec<_> = (1..=100)
        .map(|player| session(player, Some(10), 10))
        .collect();
    assert_eq!(heard, expected);
}

/// The other host that the address names does not answer.
#[tokio::test]
async fn services_meet_at_a_primary_that_acknowledges_nothing() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, other) = (server.port(), silent.local_addr().unwrap().port());
    let address = format!("postgres://postgres@127.0.0.1:{port},127.0.0.1:{other}/postgres");
    let log = PostgresLog::open(&options(&address)).await.unwrap();
    let board = board(&log);
    let away = "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (nobody)'";
    server.execute(away).await;
    server.execute("SELECT pg_reload_conf()").await;
    let mut turns = interval(Duration::from_millis(200));
    let _passed_over = loop {
        tokio::select! {
            tried = silent.accept() => break tried.unwrap(),
            _ = turns.tick() => assert_eq!(board.exchange().await.unwrap(), []),
        }
    };
    let shown = server.connect().await;
    let renewed = async || {
        let row = shown.query_one("SELECT renewed_at::text FROM dragontooth.replica", &[]);
        row.await.unwrap().get::<_, String>(0)
    };
    let before = renewed().await;
    while renewed().await == before {
        turns.tick().await;
        assert_eq!(board.exchange().await.unwrap(), []);
    }
}

/// A service and its row may go at the same time: the tables of the sessions are empty after a failover.
#[tokio::test]
async fn the_streams_of_a_service_end_with_it_even_if_its_row_is_lost() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (log, left) = (server.open().await, server.open().await);
    let (first, second) = (board(&log), board(&left));
    first.post(session(1, Some(10), 10));
    first.exchange().await.unwrap();
    let heard = second.exchange().await.unwrap();
    assert_eq!(heard, [session(1, Some(10), 10)]);
    drop((first, log));
    server
        .execute("TRUNCATE dragontooth.replica, dragontooth.session")
        .await;
    // As the service does, again and again, until the time has come.
    let mut turns = interval(Duration::from_millis(200));
    let ended = loop {
        turns.tick().await;
        let heard = second.exchange().await.unwrap();
        if let Some(ended) = heard.into_iter().next() {
            break ended;
        }
    };
    assert_eq!(
        (ended.player, ended.opened),
        (session(1, None, 0).player, None)
    );
}

/// The tables of the sessions are empty after a crash of the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_the_server_loses_no_stream() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let logs = [server.open().await, server.open().await];
    let [first, second] = logs.each_ref().map(board);
    first.post(session(1, Some(10), 10));
    first.post(session(2, Some(10), 10));
    first.exchange().await.unwrap();
    assert_eq!(second.exchange().await.unwrap().len(), 2);
    first.post(session(2, None, 20));
    first.exchange().await.unwrap();
    server.kill();
    assert!(first.exchange().await.is_err());
    assert!(second.exchange().await.is_err());
    server.start_again();
    let heard = async |board: &dyn SessionBoard| loop {
        if let Ok(heard) = board.exchange().await {
            return heard;
        }
    };
    // The first writes its row, hears that it is new, and writes its streams.
    heard(&*first).await;
    heard(&*first).await;
    let heard = heard(&*second).await;
    assert_eq!(heard[0], session(1, Some(10), 10));
    assert_eq!(
        (heard[1].player, heard[1].opened),
        (session(2, None, 0).player, None)
    );
}
