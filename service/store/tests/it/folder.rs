//! Which folders a log is opened in.

use std::{
    error::Error,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use dragontooth_service_store::{EventLog, FORMAT_VERSION, OpenError, SledLog, StreamId};
use dragontooth_service_vocabulary::Sequence;

use crate::{mount::Mount, raw::with_sled};

#[test]
fn a_missing_folder_is_made_with_its_parents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/c");
    drop(SledLog::open(&path).unwrap());
    assert!(path.join("db").is_file());
    // The events of a match in progress reveal its seed.
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, "text").unwrap();
    let refused = refusal(&path);
    assert!(
        matches!(refused, OpenError::NotAFolder { .. }),
        "{refused:?}"
    );
    assert!(matches!(
        refusal(&path.join("below")),
        OpenError::Access { .. }
    ));
    assert_eq!(fs::read(&path).unwrap(), b"text");
}

#[test]
fn an_unwritable_folder_is_named_with_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    // Permissions stop everyone but root, a read-only file system stops root too.
    let read_only = Mount::memory("ro", folder.path());
    if read_only.is_err() {
        fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    }
    for path in [folder.path().to_owned(), folder.path().join("new")] {
        let refused = refusal(&path);
        assert!(matches!(refused, OpenError::Access { .. }), "{refused:?}");
        assert!(
            refused.to_string().contains("the right to write"),
            "{refused}"
        );
        assert!(refused.source().is_some());
    }
}

#[test]
fn a_folder_of_something_else_is_left_as_it_is() {
    for name in ["letter.txt", "db"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), "text").unwrap();
        let refused = refusal(folder.path());
        assert!(
            matches!(&refused, OpenError::Foreign { found, .. } if found == name),
            "{refused:?}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"text");
    }
}

#[test]
fn the_root_of_a_file_system_will_do() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lost+found")).unwrap();
    SledLog::open(folder.path()).unwrap();
}

#[test]
fn a_store_of_another_program_is_refused() {
    for tree in [None, Some("accounts"), Some("meta")] {
        let folder = tempfile::tempdir().unwrap();
        with_sled(folder.path(), |db| match tree {
            Some(tree) => db.open_tree(tree).unwrap().insert("key", "value").unwrap(),
            None => db.insert("key", "value").unwrap(),
        });
        let refused = refusal(folder.path());
        assert!(
            matches!(refused, OpenError::Foreign { .. }),
            "{tree:?}: {refused:?}"
        );
    }
}

#[test]
fn an_interrupted_first_start_is_continued() {
    let empty_store = tempfile::tempdir().unwrap();
    fs::write(empty_store.path().join("lock"), "").unwrap();
    with_sled(empty_store.path(), |_| ());
    drop(SledLog::open(empty_store.path()).unwrap());

    let without_version = tempfile::tempdir().unwrap();
    fs::write(without_version.path().join("lock"), "").unwrap();
    with_sled(without_version.path(), |db| {
        drop(db.open_tree("meta").unwrap());
    });
    drop(SledLog::open(without_version.path()).unwrap());

    let before_the_store = tempfile::tempdir().unwrap();
    fs::write(before_the_store.path().join("lock"), "").unwrap();
    fs::write(before_the_store.path().join("conf"), "").unwrap();
    fs::write(before_the_store.path().join("db"), "").unwrap();
    fs::create_dir(before_the_store.path().join("blobs")).unwrap();
    drop(SledLog::open(before_the_store.path()).unwrap());
}

/// sled would overwrite both files as its own.
#[test]
fn files_that_are_called_like_sleds_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("conf"), "x\n").unwrap();
    fs::write(folder.path().join("db"), "a\n").unwrap();
    let refused = SledLog::open(folder.path());
    assert!(
        matches!(refused, Err(OpenError::Foreign { .. })),
        "{refused:?}"
    );
    assert_eq!(fs::read(folder.path().join("conf")).unwrap(), b"x\n");
    assert_eq!(fs::read(folder.path().join("db")).unwrap(), b"a\n");
}

/// sled opens such a store as an empty one and would overwrite it.
#[tokio::test]
async fn a_log_whose_beginning_is_damaged_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    log.append(StreamId([1; 16]), Sequence(0), vec![vec![7; 100]])
        .await
        .unwrap();
    drop(log);
    let db = folder.path().join("db");
    let mut bytes = fs::read(&db).unwrap();
    bytes[..64].fill(0xA5);
    fs::write(&db, &bytes).unwrap();
    for _ in 0..2 {
        let refused = refusal(folder.path());
        assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    }
}

/// The copies are kept just where a disk may have failed, and say nothing of whose folder it is.
#[tokio::test]
async fn a_log_without_data_is_damaged_with_copies_of_its_journal_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    log.append(StreamId([1; 16]), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    drop(log);
    fs::remove_file(folder.path().join("db")).unwrap();
    fs::write(folder.path().join("journal.0.1764290000"), "").unwrap();
    let refused = refusal(folder.path());
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    let alone = tempfile::tempdir().unwrap();
    fs::write(alone.path().join("journal.0.1764290000"), "").unwrap();
    let refused = refusal(alone.path());
    assert!(matches!(refused, OpenError::Foreign { .. }), "{refused:?}");
    fs::write(folder.path().join("journal.0.old"), "").unwrap();
    let refused = refusal(folder.path());
    assert!(matches!(refused, OpenError::Foreign { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_newer_format_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    log.append(StreamId([1; 16]), Sequence(0), vec![vec![1]])
        .await
        .unwrap();
    drop(log);
    let stored = set_format(folder.path(), FORMAT_VERSION + 1);
    assert_eq!(stored, FORMAT_VERSION);

    for _ in 0..2 {
        let refused = refusal(folder.path());
        assert!(
            matches!(refused, OpenError::NewerFormat { found: 4, .. }),
            "{refused:?}"
        );
    }
    set_format(folder.path(), FORMAT_VERSION);
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.head(StreamId([1; 16])).await.unwrap(), Sequence(1));
}

#[tokio::test]
async fn a_folder_of_format_1_is_taken_up_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    let stream = StreamId([1; 16]);
    log.append(stream, Sequence(0), vec![vec![8, 1]])
        .await
        .unwrap();
    drop(log);
    set_format(folder.path(), 1);
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.head(stream).await.unwrap(), Sequence(1));
    drop(log);
    assert_eq!(set_format(folder.path(), 0), FORMAT_VERSION);
    let refused = refusal(folder.path());
    assert!(matches!(refused, OpenError::Foreign { .. }), "{refused:?}");
}

/// Sets the stored format and returns what it was.
fn set_format(path: &Path, version: u32) -> u32 {
    let before = with_sled(path, |db| {
        let meta = db.open_tree("meta").unwrap();
        meta.insert("format", &version.to_be_bytes())
            .unwrap()
            .unwrap()
    });
    u32::from_be_bytes(before.as_ref().try_into().unwrap())
}

/// Why the folder is refused; the message names it.
fn refusal(path: &Path) -> OpenError {
    let refused = SledLog::open(path).unwrap_err();
    assert!(
        refused.to_string().contains(path.to_str().unwrap()),
        "{refused}"
    );
    refused
}
