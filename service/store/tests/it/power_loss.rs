//! A loss of power loses nothing that was acknowledged.
//!
//! The log is in an ext4 file system in an image file. While a process appends, the process is
//! stopped and the image is copied: the copy holds what has reached the "disk" and lacks what only
//! the kernel's cache holds. The log in the copy must hold all that was acknowledged by then.

use std::{env, fs, path::Path};

use dragontooth_service_store::{EventLog, SledLog};
use futures::executor::block_on;

use crate::{
    child::AppendingProcess,
    image,
    mount::{Mount, announce, skip},
    random::Random,
    workload::{self, Heads},
};

/// Number of power losses unless `STORE_TEST_POWER_LOSSES` sets another; the nightly run sets 60.
const LOSSES: u64 = 3;

const IMAGE_BYTES: u64 = 96 * 1024 * 1024;

#[test]
fn what_was_acknowledged_outlives_a_loss_of_power() {
    lose_power(
        "what_was_acknowledged_outlives_a_loss_of_power",
        AppendingProcess::start,
        |log, heads| block_on(workload::check(log, heads)),
    );
}

/// Of what was answered early a loss of power may cost the end, and nothing is damaged by that.
#[test]
fn what_was_answered_early_does_not_cost_what_was_acknowledged() {
    lose_power(
        "what_was_answered_early_does_not_cost_what_was_acknowledged",
        AppendingProcess::start_early,
        |log, heads| block_on(workload::check_early(log, heads)),
    );
}

fn lose_power(
    test: &str,
    start: fn(&Path) -> AppendingProcess,
    check: fn(&dyn EventLog, &Heads) -> Heads,
) {
    let losses =
        env::var("STORE_TEST_POWER_LOSSES").map_or(LOSSES, |losses| losses.parse().unwrap());
    let mut random = Random::for_test(test);
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("live.img");
    let (live, after) = (folder.path().join("live"), folder.path().join("after"));

    let mut acknowledged = 0;
    for loss in 0..losses {
        let mounted =
            image::format(&image, IMAGE_BYTES, &[]).and_then(|()| Mount::image(&image, &live));
        let _live = match mounted {
            Ok(live) => live,
            Err(why) => return skip(test, &format!("it needs root and a loop device: {why}")),
        };
        let mut heads = Heads::new();
        let process = start(&live.join("log"));
        let appends = 1 + random.below(if loss.is_multiple_of(3) { 20 } else { 4000 });
        process.await_acknowledged(appends, &mut heads);
        process.stop();
        // A new file each time: the loop device of the last one may still be about to end, with what it had cached.
        let copy = folder.path().join(format!("copy-{loss}.img"));
        image::copy_at_rest(&image, &copy).unwrap();
        // Only at its end is everything read that it had written.
        process.kill(&mut heads);

        let _after = Mount::image(&copy, &after).unwrap();
        let log = SledLog::open(after.join("log"))
            .unwrap_or_else(|error| panic!("loss {loss} after {appends} appends: {error:?}"));
        assert_eq!(log.damaged(), []);
        check(&log, &heads);
        drop(log);
        fs::remove_file(&copy).unwrap();
        acknowledged += heads.values().map(|head| head.0).sum::<u64>();
    }
    announce(
        test,
        &format!("{losses} losses of power, all {acknowledged} acknowledged records there"),
    );
}
