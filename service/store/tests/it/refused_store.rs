//! Damaged stores: refused by name, or opened with exactly the streams refused that have lost records.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use dragontooth_service_store::{EventLog, OpenError, SledLog, StreamId};
use dragontooth_service_vocabulary::Sequence;

use crate::raw::with_sled;

/// Streams in the store, each with as many records as its number.
const STREAMS: u8 = 40;

#[tokio::test]
async fn a_store_that_sled_refuses_is_refused_by_name_and_left_as_it_was() {
    for name in ["snap.", "conf"] {
        let folder = store().await;
        change(&file_of(folder.path(), name));
        let before = files(folder.path());
        for _ in 0..2 {
            assert_refused(folder.path());
            assert_eq!(files(folder.path()), before, "{name}");
        }
    }
}

#[tokio::test]
async fn a_missing_configuration_costs_nothing() {
    let folder = store().await;
    fs::remove_file(folder.path().join("conf")).unwrap();
    assert_whole(&SledLog::open(folder.path()).unwrap()).await;
}

#[tokio::test]
async fn a_missing_or_empty_lock_costs_nothing() {
    let folder = store().await;
    let lock = folder.path().join("lock");
    fs::remove_file(&lock).unwrap();
    assert_whole(&SledLog::open(folder.path()).unwrap()).await;
    fs::write(&lock, "").unwrap();
    assert_whole(&SledLog::open(folder.path()).unwrap()).await;
}

/// sled takes what follows a changed byte for the end that a crash leaves, and clears it.
#[tokio::test]
async fn what_sled_clears_behind_a_changed_byte_is_found_by_the_witness() {
    let sound = store().await;
    let used = {
        let bytes = fs::read(sound.path().join("db")).unwrap();
        bytes.iter().rposition(|byte| *byte != 0).unwrap()
    };
    let (mut opened_with_loss, mut refused) = (0, 0);
    for part in 1..20 {
        let folder = tempfile::tempdir().unwrap();
        copy(sound.path(), folder.path());
        let db = folder.path().join("db");
        let mut bytes = fs::read(&db).unwrap();
        bytes[used * part / 20] ^= 0x10;
        fs::write(&db, &bytes).unwrap();
        if let Ok(log) = SledLog::open(folder.path()) {
            opened_with_loss += usize::from(!log.damaged().is_empty());
            assert_rest_whole(&log).await;
        } else {
            assert_refused(folder.path());
            refused += 1;
        }
    }
    assert!(
        opened_with_loss > 0,
        "{opened_with_loss} opened, {refused} refused"
    );
}

#[tokio::test]
async fn a_data_file_that_was_cut_short_is_refused_or_its_loss_is_known() {
    let sound = store().await;
    let bytes = fs::read(sound.path().join("db")).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    let mut refused = 0;
    for part in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        copy(sound.path(), folder.path());
        fs::write(folder.path().join("db"), &bytes[..used * part / 10]).unwrap();
        if let Ok(log) = SledLog::open(folder.path()) {
            assert!(!log.damaged().is_empty());
            assert_rest_whole(&log).await;
        } else {
            assert_refused(folder.path());
            refused += 1;
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_store_of_which_nothing_is_left_is_refused() {
    let folder = store().await;
    with_sled(folder.path(), |db| {
        db.open_tree("events").unwrap().clear().unwrap();
    });
    for _ in 0..2 {
        assert_refused(folder.path());
    }
}

/// The folder is refused with the command that restores a backup.
fn assert_refused(folder: &Path) {
    let refused = SledLog::open(folder).unwrap_err();
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    let text = refused.to_string();
    for part in [
        folder.to_str().unwrap(),
        "is damaged",
        "`dragontooth-service restore --from BACKUP --data NEW_FOLDER`",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Every stream is whole or refused.
async fn assert_rest_whole(log: &SledLog) {
    let damaged: Vec<StreamId> = log.damaged().iter().map(|each| each.stream).collect();
    for number in 1..=STREAMS {
        let stream = StreamId([number; 16]);
        let read = log.read(stream, Sequence(0), 100).await;
        if damaged.contains(&stream) {
            read.unwrap_err();
        } else if let Ok(read) = read {
            // What cannot be read is refused when it is read.
            assert_eq!(read.len(), usize::from(number));
            assert!(read.iter().all(|(_, bytes)| *bytes == record(number)));
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        fs::write(to.join(name), bytes).unwrap();
    }
}

async fn store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    make_store(folder.path()).await;
    folder
}

async fn make_store(folder: &Path) {
    // Twice, so that there is a snapshot and something after it.
    for number in (1..=STREAMS).collect::<Vec<_>>().chunks(20) {
        let log = SledLog::open(folder).unwrap();
        for number in number {
            let records = (0..*number).map(|_| record(*number)).collect();
            log.append(StreamId([*number; 16]), Sequence(0), records)
                .await
                .unwrap();
        }
    }
}

fn record(number: u8) -> Vec<u8> {
    vec![number; 200]
}

async fn assert_whole(log: &SledLog) {
    assert_eq!(log.damaged(), []);
    for number in 1..=STREAMS {
        let read = log
            .read(StreamId([number; 16]), Sequence(0), 100)
            .await
            .unwrap();
        assert_eq!(read.len(), usize::from(number));
        assert!(read.iter().all(|(_, bytes)| *bytes == record(number)));
    }
}

/// Changes a byte in the middle of a file.
fn change(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// The file whose name begins so.
fn file_of(folder: &Path, beginning: &str) -> PathBuf {
    let mut names = files(folder).into_keys();
    let name = names.find(|name| name.to_string_lossy().starts_with(beginning));
    folder.join(name.unwrap())
}

/// The files of a folder but for the one that is locked.
fn files(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().unwrap().is_file() && entry.file_name() != "lock")
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
        .collect()
}
