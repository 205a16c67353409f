//! Settings of a server that change while a log is connected, and what a crash after that leaves.

use dragontooth_service_postgres::{PostgresError, PostgresLog};
use dragontooth_service_store::EventLog;
use dragontooth_service_vocabulary::Sequence;
use tokio::sync::watch;

use crate::{load::stream, refused_writes::is_away_because, server::Server};

/// With it, what is committed without waiting is not on the disk for long.
const LATE: &str = "wal_writer_delay=10s";

/// Changes a setting, and waits until new connections have it.
async fn reload(server: &Server, change: &str, setting: &str, value: &str) {
    server.execute(change).await;
    server.execute("SELECT pg_reload_conf()").await;
    loop {
        let client = server.connect().await;
        let shown = client
            .query_one("SELECT current_setting($1)", &[&setting])
            .await;
        if shown.unwrap().get::<_, String>(0) == value {
            return;
        }
    }
}

/// Kills a server, starts it again, and waits until the log has noticed both.
async fn crash(server: &mut Server, mut available: watch::Receiver<bool>) {
    server.kill();
    available.wait_for(|available| !available).await.unwrap();
    server.start_again();
    available.wait_for(|available| *available).await.unwrap();
}

#[tokio::test]
async fn a_name_outlives_a_crash() {
    let Some(mut server) = Server::start(&[LATE]) else {
        return;
    };
    let log = server.open().await;
    let named = log.reserve(b"a match", stream(1)).await.unwrap();
    assert_eq!(named, stream(1));
    crash(&mut server, log.availability().unwrap()).await;
    let again = log.reserve(b"a match", stream(2)).await.unwrap();
    assert_eq!(again, stream(1));
}

#[tokio::test]
async fn an_event_outlives_a_crash_whatever_the_server_was_told_meanwhile() {
    let Some(mut server) = Server::start(&[LATE]) else {
        return;
    };
    let log = server.open().await;
    let change = "ALTER SYSTEM SET synchronous_commit = off";
    reload(&server, change, "synchronous_commit", "off").await;
    for number in 0..5 {
        let appended = log.append(stream(number), Sequence(0), vec![vec![1]]);
        assert_eq!(appended.await.unwrap(), Sequence(1));
    }
    server.kill();
    server.start_again();
    let client = server.connect().await;
    let kept = client.query_one("SELECT count(*) FROM dragontooth.event", &[]);
    assert_eq!(kept.await.unwrap().get::<_, i64>(0), 5);
}

#[tokio::test]
async fn a_server_that_is_not_safe_any_more_is_away_until_it_is() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let log = server.open().await;
    let off = "ALTER SYSTEM SET full_page_writes = off";
    reload(&server, off, "full_page_writes", "off").await;
    is_away_because(&log, "full_page_writes").await;
    let on = "ALTER SYSTEM RESET full_page_writes";
    reload(&server, on, "full_page_writes", "on").await;
    let mut available = log.availability().unwrap();
    available.wait_for(|available| *available).await.unwrap();
    let appended = log.append(stream(1), Sequence(0), vec![vec![1]]);
    assert_eq!(appended.await.unwrap(), Sequence(1));
}

#[tokio::test]
async fn tables_of_an_older_format_are_not_changed_by_the_way() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    drop(server.open().await);
    let older = "UPDATE dragontooth.log SET format = 4";
    server.execute(older).await;
    for refused in [
        PostgresLog::open_existing(&server.options()).await,
        PostgresLog::open_unchanged(&server.options()).await,
    ] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, PostgresError::Older { found: 4, .. }),
            "{refused:?}"
        );
    }
    let client = server.connect().await;
    let format = client.query_one("SELECT format FROM dragontooth.log", &[]);
    assert_eq!(format.await.unwrap().get::<_, i32>(0), 4);
}
