//! A loss of power loses nothing that was acknowledged.
//!
//! The log is in an ext4 file system in an image file. While a process appends, the process is
//! stopped and the image is copied: the copy holds what has reached the "disk" and lacks what only
//! the kernel's cache holds. The log in the copy must hold all that was acknowledged by then.

use std::{
    env,
    fs::{self, File},
    io::{self, Read},
    path::Path,
    process::Command,
};

use dragontooth_service_store::{EventLog, SledLog};
use futures::executor::block_on;

use crate::{
    child::AppendingProcess,
    mount::{Mount, announce, run, skip},
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
        let mounted = format(&image).and_then(|()| Mount::image(&image, &live));
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
        copy_at_rest(&image, &copy).unwrap();
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

/// Makes an image with an empty file system.
fn format(image: &Path) -> Result<(), String> {
    let _ = fs::remove_file(image);
    File::create(image)
        .and_then(|file| file.set_len(IMAGE_BYTES))
        .unwrap();
    run(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(image))
}

/// Copies an image as of one moment, although the kernel may be writing to it.
fn copy_at_rest(image: &Path, copy: &Path) -> io::Result<()> {
    loop {
        fs::copy(image, copy)?;
        if is_equal(image, copy)? {
            return Ok(());
        }
    }
}

fn is_equal(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let mut buffers = (vec![0; 1 << 20], vec![0; 1 << 20]);
    for _ in 0..IMAGE_BYTES >> 20 {
        one.read_exact(&mut buffers.0)?;
        other.read_exact(&mut buffers.1)?;
        if buffers.0 != buffers.1 {
            return Ok(false);
        }
    }
    Ok(true)
}
