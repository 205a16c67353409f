//! Two services on one database, of which one is killed again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

use super::TABLES;
use super::kill::Kill;
use super::ledger::{Acknowledged, Ledger};
use super::table::{Table, Way};
use crate::database_server::Server;
use crate::long_run::number_of;
use crate::program::Program;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::replayed::assert_replays;
use crate::served::lone_address;

/// Number of kills unless `SERVICE_TEST_REPLICA_KILLS` sets another.
const KILLS: usize = 8;

/// Acknowledgements that show, after a kill, that the matches go on at the other service.
const MEANWHILE: u64 = 20;

/// The players of every match are at both services. They go to the other one when theirs is killed, and every match continues while it
/// is away. What was acknowledged is there, in its place and once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_go_on_while_a_replica_is_away() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let kills = number_of("SERVICE_TEST_REPLICA_KILLS", KILLS);
    let url = server.address();
    let mut services = [
        Program::serve_database_at(&url, lone_address(), &[]).await,
        Program::serve_database_at(&url, lone_address(), &[]).await,
    ];
    let [one, other] = services.each_ref().map(Program::address);
    let ledger = Arc::<Mutex<Ledger>>::default();
    let stop = Arc::<AtomicBool>::default();
    let (tell, mut told) = unbounded_channel();
    let mut playing = JoinSet::new();
    for number in 0..2 * TABLES {
        let way = if number < TABLES {
            Way::Calls
        } else {
            Way::Streams
        };
        let ways_in = [&[one, other][..], &[other, one]];
        let table = Table::new(ways_in, number, way, Draws::new(5101 + number));
        let (tell, ledger, stop) = (tell.clone(), Arc::clone(&ledger), Arc::clone(&stop));
        playing.spawn(async move { table.play_on(tell, &ledger, &stop).await });
    }
    drop(tell);
    let mut draws = Draws::new(5100);
    for _ in 0..kills {
        hear(&mut told, &ledger, draws.below(60)).await;
        let at = usize::try_from(draws.below(2)).unwrap();
        let address = services[at].address();
        let [first, second] = services;
        let (killed, left) = if at == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let moment = Kill::moment_of(Duration::from_millis(5), &mut draws);
        killed.kill_after(moment).await;
        hear(&mut told, &ledger, MEANWHILE).await;
        let again = Program::serve_database_at(&url, address, &[]).await;
        services = if at == 0 {
            [again, left]
        } else {
            [left, again]
        };
    }
    stop.store(true, Ordering::Relaxed);
    while let Some(last) = told.recv().await {
        ledger.lock().await.acknowledge(last);
    }
    playing.join_all().await;
    let mut ledger = ledger.lock().await;
    let (at_one, at_other) = (
        Raw::connect(one, "anyone").await,
        Raw::connect(other, "anyone").await,
    );
    for id in ledger.matches() {
        let record = at_one.export(&id.to_string()).await.unwrap();
        assert_eq!(at_other.export(&id.to_string()).await.unwrap(), record);
        assert_replays(&record);
        ledger.compare(&record);
    }
    println!("kills {kills}; {ledger}");
    ledger.assert_balanced();
    for program in services {
        program.kill().await;
    }
}

/// Waits for acknowledgements.
async fn hear(told: &mut UnboundedReceiver<Acknowledged>, ledger: &Mutex<Ledger>, count: u64) {
    for _ in 0..count {
        let told = told.recv().await.expect("the matches continue");
        ledger.lock().await.acknowledge(told);
    }
}
