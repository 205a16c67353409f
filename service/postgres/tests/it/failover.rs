//! Losses of the primary.

use std::{env, sync::Arc};

use dragontooth_service_postgres::PostgresLog;

use crate::{
    load::Load,
    server::{Server, options},
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
        let (first, second) = (primary.port(), standby.port());
        let both = format!("postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/postgres");
        let log = Arc::new(PostgresLog::open(&options(&both)).await.unwrap());
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
