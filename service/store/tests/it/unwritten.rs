//! Records that the disk did not take are not trusted, although the kernel's cache shows them.
//!
//! The log is in an ext4 file system in an image file, whose own disk, in memory, has no room left when records are moved
//! into the store. The kernel keeps in its cache what it could not write, until the file system is unmounted.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
    process::Command,
};

use dragontooth_service_store::{AppendError, EventLog, SledLog, SledOptions};

use crate::{
    image,
    mount::{Mount, run, skip},
    workload::{self, Heads, STREAMS},
};

/// Full after some hundred appends.
const JOURNAL_BYTES: u64 = 64 * 1024;

/// The length of the image, more than its disk has room for.
const IMAGE_BYTES: u64 = 64 * 1024 * 1024;

#[tokio::test]
async fn a_restart_after_a_failed_write_loses_nothing() {
    const TEST: &str = "a_restart_after_a_failed_write_loses_nothing";
    let folder = tempfile::tempdir().unwrap();
    let (disk, live) = (folder.path().join("disk"), folder.path().join("live"));
    let (image, path) = (disk.join("image"), live.join("log"));
    // A journal would end the whole file system, and the tables would take their blocks only later.
    let options = "-b 4096 -O ^has_journal -E lazy_itable_init=0";
    let options: Vec<_> = options.split(' ').collect();
    let mounted = Mount::memory("size=32m", &disk).and_then(|disk| {
        image::format(&image, IMAGE_BYTES, &options)?;
        Ok((Mount::image(&image, &live)?, disk))
    });
    let (mounted, _disk) = match mounted {
        Ok(mounted) => mounted,
        Err(why) => return skip(TEST, &format!("it needs root and a loop device: {why}")),
    };
    write_by_blocks(&live);
    let options = SledOptions {
        journal_bytes: JOURNAL_BYTES,
        ..SledOptions::default()
    };
    let log = SledLog::open_with(&path, &options).unwrap();
    let mut heads = Heads::new();
    while !["journal.0", "journal.1"]
        .iter()
        .all(|file| fs::metadata(path.join(file)).unwrap().len() == JOURNAL_BYTES)
    {
        append_to_each(&log, &mut heads).await.unwrap();
    }
    run(Command::new("sync").arg("--file-system").arg(&path)).unwrap();
    let filler = disk.join("filler");
    fill(&filler);
    let failure = loop {
        if let Err(failure) = append_to_each(&log, &mut heads).await {
            break failure;
        }
    };
    assert!(
        matches!(failure, AppendError::Failed(_) | AppendError::Storage(_)),
        "{failure:?}"
    );
    drop(log);
    fs::remove_file(&filler).unwrap();

    check(&path, &heads).await;
    drop(mounted);
    let _mounted = Mount::image(&image, &live).unwrap();
    check(&path, &heads).await;
}

async fn append_to_each(log: &SledLog, heads: &mut Heads) -> Result<(), AppendError> {
    for number in 0..STREAMS {
        let stream = workload::stream(number);
        let head = heads.entry(stream).or_default();
        *head = log
            .append(stream, *head, workload::append_at(stream, *head))
            .await?;
    }
    Ok(())
}

/// Makes the loop device of a mounted image write each block by itself: it reports no error of a write of which a part
/// succeeds.
fn write_by_blocks(live: &Path) {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let mut mounts = mounts.lines().filter_map(|line| line.split_once(' '));
    let of_live = |rest: &str| rest.starts_with(&format!("{} ", live.display()));
    let (device, _) = mounts.find(|(_, rest)| of_live(rest)).unwrap();
    let name = device.strip_prefix("/dev/").unwrap();
    fs::write(format!("/sys/block/{name}/queue/max_sectors_kb"), "4").unwrap();
}

/// Writes a file until there is no room.
fn fill(filler: &Path) {
    let mut file = File::create(filler).unwrap();
    let error = loop {
        if let Err(error) = file.write_all(&[0; 4096]) {
            break error;
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

async fn check(path: &Path, heads: &Heads) {
    let log = SledLog::open(path).unwrap();
    assert_eq!(log.damaged(), []);
    workload::check(&log, heads).await;
}
