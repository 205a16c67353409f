use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::program::{Program, arguments, run};

const NOT_STARTED: i32 = 3;
const WRONG_USAGE: i32 = 2;

#[tokio::test]
async fn a_data_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve(folder.path()).await;
    let line = refused(folder.path(), "127.0.0.1:0").await;
    assert!(line.contains("in use"), "{line}");
    assert!(line.contains(folder.path().to_str().unwrap()), "{line}");
    program.kill().await;
    // A killed process leaves nothing behind that blocks the next one.
    Program::serve(folder.path()).await.kill().await;
}

#[tokio::test]
async fn a_port_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let line = refused(folder.path(), &address).await;
    assert!(line.contains(&address), "{line}");
    assert!(line.to_lowercase().contains("in use"), "{line}");
}

#[tokio::test]
async fn a_file_is_not_a_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    let line = refused(&file, "127.0.0.1:0").await;
    assert!(line.contains("is a file"), "{line}");
    let line = refused(&file.join("below"), "127.0.0.1:0").await;
    assert!(line.contains("cannot use the data folder"), "{line}");
    assert_eq!(fs::read(&file).unwrap(), b"text");
}

#[tokio::test]
async fn an_unwritable_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    // Permissions do not bind the superuser, but a folder in /proc cannot be created.
    let is_superuser = fs::write(folder.path().join("probe"), "").is_ok();
    let unwritable = if is_superuser {
        Path::new("/proc/dragontooth")
    } else {
        folder.path()
    };
    let line = refused(unwritable, "127.0.0.1:0").await;
    assert!(line.contains("cannot use the data folder"), "{line}");
    assert!(line.contains(unwritable.to_str().unwrap()), "{line}");
}

#[tokio::test]
async fn a_folder_with_other_files_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("photo.jpg"), "a photo").unwrap();
    let line = refused(folder.path(), "127.0.0.1:0").await;
    assert!(line.contains("photo.jpg"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn an_invalid_command_line_is_refused() {
    for (arguments, named) in [
        (&["serve", "--in-memory", "--prot", "1"][..], "--prot"),
        (&["serve"], "--data"),
        (&["serve", "--in-memory", "--data", "folder"], "--data"),
        (&["serve", "--in-memory", "--listen", "here"], "here"),
        (&["serve", "--in-memory", "--max-live-matches", "-1"], "-1"),
        (
            &["serve", "--in-memory", "--max-waiting-messages", "0"],
            "0",
        ),
        (&["serve", "--in-memory", "--log-format", "xml"], "xml"),
        (&["play"], "play"),
        (&[], "Usage"),
    ] {
        let (code, words) = run(arguments).await;
        assert_eq!(code, WRONG_USAGE, "{arguments:?}");
        assert!(words.contains(named), "{arguments:?}: {words}");
    }
}

/// Tries to serve and returns the one line that says why it cannot.
async fn refused(folder: &Path, address: &str) -> String {
    let (code, words) = run(arguments(folder, address.parse().unwrap())).await;
    assert_eq!(code, NOT_STARTED, "{words}");
    let lines: Vec<&str> = words.lines().collect();
    let [line] = lines[..] else {
        panic!("it is one line: {words}");
    };
    let line = line
        .strip_prefix("dragontooth-service: ")
        .expect("it says who speaks");
    line.to_owned()
}
