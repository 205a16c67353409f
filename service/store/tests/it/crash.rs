//! `kill -9` loses nothing that was acknowledged.

use std::{env, fs};

use dragontooth_service_store::{EventLog, SledLog};
use futures::executor::block_on;

use crate::{
    child::AppendingProcess,
    random::Random,
    raw::with_sled,
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

/// Records of a stream that cannot be read for now stay in the journal, and are there once it can be.
#[test]
fn a_journal_that_cannot_be_moved_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut heads = Heads::new();
    let process = AppendingProcess::start(folder.path());
    process.await_acknowledged(500, &mut heads);
    process.kill(&mut heads);
    let unreadable = workload::stream(1);
    // Ends neither with a record's sequence nor with a chunk's number.
    let key = [&unreadable.0[..], &u64::MAX.to_be_bytes(), &[1]].concat();
    with_sled(folder.path(), |db| {
        let events = db.open_tree("events").unwrap();
        events.insert(&key, &[][..]).unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    let damaged: Vec<_> = log.damaged().iter().map(|damage| damage.stream).collect();
    assert_eq!(damaged, [unreadable]);
    drop(log);

    with_sled(folder.path(), |db| {
        let events = db.open_tree("events").unwrap();
        events.remove(&key).unwrap();
    });
    let mut kept = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap();
        if name == "journal.0" || name == "journal.1" {
            fs::rename(&path, folder.path().join(name)).unwrap();
            kept += 1;
        }
    }
    assert_eq!(kept, 2);
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.damaged(), []);
    block_on(workload::check(&log, &heads));
}
