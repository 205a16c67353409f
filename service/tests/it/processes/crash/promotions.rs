//! Two services on a database whose primary is lost, and for which Patroni promotes a standby.

use std::time::Duration;

use super::hall::Hall;
use super::kill::Kill;
use super::patroni::Cluster;
use crate::long_run::number_of;
use crate::mount::announce;
use crate::program::Program;
use crate::random_player::Draws;
use crate::served::lone_address;

/// Number of primaries that are killed unless `SERVICE_TEST_FAILOVERS` sets another.
const FAILOVERS: usize = 1;

/// Acknowledgements that show that the matches go on.
const MEANWHILE: u64 = 20;

/// The time for an action.
const LIMIT: Duration = Duration::from_secs(5);

/// The least time of a failover that shows that the clocks stand: a service counts on hearing of an event within 6 s.
const LONG: Duration = Duration::from_secs(5 + 6);

/// Every acknowledged action is there, in its place and once, and nobody loses on time, although nobody can play while
/// the cluster has no primary.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_patroni_promotes() {
    let test = "nothing_is_lost_when_patroni_promotes";
    let Some(mut cluster) = Cluster::start(test).await else {
        return;
    };
    let failovers = number_of("SERVICE_TEST_FAILOVERS", FAILOVERS);
    let url = cluster.url();
    let flags = ["--log-requires-standby"];
    let services = [
        Program::serve_database_at(&url, lone_address(), &flags).await,
        Program::serve_database_at(&url, lone_address(), &flags).await,
    ];
    let addresses = services.each_ref().map(Program::address);
    let mut hall = Hall::open(&addresses, Some(LIMIT), 5201);
    let mut draws = Draws::new(5200);
    let mut pauses = Vec::new();
    for _ in 0..failovers {
        hall.hear(MEANWHILE + draws.below(200)).await;
        let moment = Kill::moment_of(Duration::from_millis(5), &mut draws);
        let killed = cluster.kill_primary(moment).await;
        cluster.promotes().await;
        let pause = hall.hear(MEANWHILE).await;
        assert!(
            pause > LONG,
            "the clocks of {pause:?} would not have run out"
        );
        pauses.push(pause);
        cluster.start_again(killed).await;
    }
    pauses.sort();
    let played = hall.close().await;
    let (least, most) = (pauses[0], pauses[failovers - 1]);
    let median = pauses[failovers / 2];
    announce(
        test,
        &format!(
            "{failovers} failovers; without an acknowledgement for {least:.1?} to {most:.1?}, \
             half of them for up to {median:.1?}; {played}"
        ),
    );
    for program in services {
        program.kill().await;
    }
    cluster.stop().await;
}
