//! A loss of power of the database loses nothing that was acknowledged.
//!
//! The data of the server are in an ext4 file system in an image file. When it is killed the image is copied: the copy
//! holds what has reached the "disk" and lacks what only the kernel's cache holds. What the disk itself holds in a
//! cache that a loss of power empties is not simulated: all that the kernel has written to the image stays there, in
//! the order in which it wrote.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::hall::Hall;
use crate::database_server::Server;
use crate::image;
use crate::long_run::number_of;
use crate::mount::{Mount, announce, run, skip};
use crate::program::{Program, ask};
use crate::random_player::Draws;

/// Number of power losses unless `SERVICE_TEST_POWER_LOSSES` sets another.
const LOSSES: usize = 2;

const IMAGE_BYTES: u64 = 384 * 1024 * 1024;

/// The log of the server stays small, and checkpoints are frequent.
const SETTINGS: &[&str] = &[
    "wal_keep_size=0",
    "min_wal_size=32MB",
    "max_wal_size=32MB",
    "checkpoint_timeout=30s",
];

/// Acknowledgements that show that the matches go on.
const MEANWHILE: u64 = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_with_the_power_of_the_database() {
    let test = "nothing_is_lost_with_the_power_of_the_database";
    let folder = tempfile::tempdir().unwrap();
    // The user for servers has to reach the disk.
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (mut image, disk) = (folder.path().join("live"), folder.path().join("disk"));
    let mounted =
        image::format(&image, IMAGE_BYTES, &[]).and_then(|()| Mount::image(&image, &disk));
    let mut mounted = match mounted {
        Ok(mounted) => mounted,
        Err(why) => return skip(test, &format!("it needs root and a loop device: {why}")),
    };
    let Some(mut server) = Server::start_on(&disk, SETTINGS) else {
        return;
    };
    // What a cluster begins with is on the disk, as `initdb` leaves it.
    let mut sync = Command::new("sync");
    run(sync.arg("--file-system").arg(&disk)).unwrap();
    let losses = number_of("SERVICE_TEST_POWER_LOSSES", LOSSES);
    let url = server.address();
    let program = Program::serve_database(&url).await;
    let mut hall = Hall::open(&[program.address()], None, 5301);
    let mut draws = Draws::new(5300);
    for loss in 0..losses {
        hall.hear(MEANWHILE + draws.below(400)).await;
        server.kill();
        // A new file each time: the loop device of the last one may still be about to end, with what it had cached.
        let copy = folder.path().join(format!("copy-{loss}"));
        image::copy_at_rest(&image, &copy).unwrap();
        drop(mounted);
        fs::remove_file(&image).unwrap();
        mounted = Mount::image(&copy, &disk).unwrap();
        image = copy;
        server.start_again();
        hall.hear(MEANWHILE).await;
    }
    let played = hall.close().await;
    announce(test, &format!("{losses} losses of power; {played}"));
    let (code, said, errors) = ask(&["verify", "--log", &url], &[]).await;
    assert_eq!(code, 0, "{said}{errors}");
    program.kill().await;
    server.kill();
    drop(mounted);
}
