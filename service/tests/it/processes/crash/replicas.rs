//! Two services on one database, of which one is killed again and again.

use std::time::Duration;

use super::hall::Hall;
use super::kill::Kill;
use crate::database_server::Server;
use crate::long_run::number_of;
use crate::program::Program;
use crate::random_player::Draws;
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
    let addresses = services.each_ref().map(Program::address);
    let mut hall = Hall::open(&addresses, None, 5101);
    let mut draws = Draws::new(5100);
    for _ in 0..kills {
        hall.hear(draws.below(60)).await;
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
        hall.hear(MEANWHILE).await;
        let again = Program::serve_database_at(&url, address, &[]).await;
        services = if at == 0 {
            [again, left]
        } else {
            [left, again]
        };
    }
    println!("kills {kills}; {}", hall.close().await);
    for program in services {
        program.kill().await;
    }
}
