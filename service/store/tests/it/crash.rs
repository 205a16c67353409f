//! `kill -9` loses nothing that was acknowledged.

use std::env;

use dragontooth_service_store::{EventLog, SledLog};
use futures::executor::block_on;

use crate::{
    child::AppendingProcess,
    random::Random,
    workload::{self, Heads},
};

/// Number of kills unless `STORE_TEST_KILLS` sets another; the nightly run sets 60.
const KILLS: u64 = 4;

#[test]
fn what_was_acknowledged_outlives_kill_9() {
    let kills = env::var("STORE_TEST_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut random = Random::for_test("what_was_acknowledged_outlives_kill_9");
    let folder = tempfile::tempdir().unwrap();
    let mut heads = Heads::new();
    for kill in 0..kills {
        let process = AppendingProcess::start(folder.path());
        // Often early, when the store is being made or recovered.
        let appends = if random.below(3) == 0 {
            random.below(3)
        } else {
            random.below(2000)
        };
        process.await_acknowledged(appends, &mut heads);
        process.kill(&mut heads);

        let log = SledLog::open(folder.path()).unwrap();
        assert_eq!(log.damaged(), [], "a kill does no damage");
        heads = block_on(workload::check(&log, &heads));
        eprintln!("kill {kill} after {appends} acknowledgements: {heads:?}");
    }
}
