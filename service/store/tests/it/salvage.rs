//! Stores that sled refuses and that are opened all the same.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use dragontooth_service_store::{EventLog, OpenError, Sequence, SledLog, StreamId};

/// Streams in the store, each with as many records as its number says.
const STREAMS: u8 = 40;

#[tokio::test]
async fn a_changed_snapshot_costs_nothing() {
    let folder = store().await;
    let snapshot = file_of(folder.path(), "snap.");
    change(&snapshot);
    let before = files(folder.path());

    assert_whole(&SledLog::open(folder.path()).unwrap());
    let kept = folder.path().join("damaged-1");
    assert_eq!(files(&kept), before, "the files as they were are kept");
    assert_eq!(mode(&kept), 0o700, "for nobody else");
    for name in before.keys() {
        assert_eq!(mode(&kept.join(name)), 0o600, "{}", name.display());
    }
    // It is sound from then on.
    assert_whole(&SledLog::open(folder.path()).unwrap());
    assert!(!folder.path().join("damaged-2").exists());
}

#[tokio::test]
async fn every_copy_that_is_kept_has_a_folder_of_its_own() {
    let folder = store().await;
    for number in 1..=3 {
        change(&file_of(folder.path(), "snap."));
        assert_whole(&SledLog::open(folder.path()).unwrap());
        assert!(folder.path().join(format!("damaged-{number}")).is_dir());
    }
}

#[tokio::test]
async fn a_changed_or_missing_configuration_costs_nothing() {
    let folder = store().await;
    let conf = folder.path().join("conf");
    change(&conf);
    assert_whole(&SledLog::open(folder.path()).unwrap());
    fs::remove_file(&conf).unwrap();
    assert_whole(&SledLog::open(folder.path()).unwrap());
}

#[tokio::test]
async fn a_missing_or_empty_lock_costs_nothing() {
    let folder = store().await;
    let lock = folder.path().join("lock");
    fs::remove_file(&lock).unwrap();
    assert_whole(&SledLog::open(folder.path()).unwrap());
    fs::write(&lock, "").unwrap();
    change(&file_of(folder.path(), "snap."));
    assert_whole(&SledLog::open(folder.path()).unwrap());
}

/// sled would take what follows for the end that a crash leaves, and clear it.
#[tokio::test]
async fn one_changed_byte_costs_no_more_than_its_record() {
    let sound = store().await;
    let used = {
        let bytes = fs::read(sound.path().join("db")).unwrap();
        bytes.iter().rposition(|byte| *byte != 0).unwrap()
    };
    for part in 1..10 {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files(sound.path()) {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let db = folder.path().join("db");
        let mut bytes = fs::read(&db).unwrap();
        bytes[used * part / 10] ^= 0x10;
        fs::write(&db, &bytes).unwrap();
        let log = SledLog::open(folder.path()).unwrap();
        let damaged = log.damaged().len();
        assert!(damaged <= 1, "{damaged} streams at {part}/10");
        if let Some(kept) = log.kept_files() {
            assert_eq!(
                fs::read(kept.join("db")).unwrap(),
                bytes,
                "it is kept as it was"
            );
        }
    }
}

/// Whatever is gone is known, and all else is served.
#[tokio::test]
async fn of_a_data_file_that_was_cut_short_the_rest_is_served() {
    let folder = store().await;
    let db = folder.path().join("db");
    let bytes = fs::read(&db).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    fs::write(&db, &bytes[..used / 2]).unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    let damaged: Vec<StreamId> = log.damaged().iter().map(|each| each.stream).collect();
    let whole = (1..=STREAMS).filter(|number| !damaged.contains(&StreamId([*number; 16])));
    let mut count = 0;
    for number in whole {
        let read = log.read(StreamId([number; 16]), Sequence(0), 100).unwrap();
        assert_eq!(read.len(), usize::from(number));
        assert!(read.iter().all(|(_, bytes)| *bytes == record(number)));
        count += 1;
    }
    assert!(count > 0 && !damaged.is_empty(), "{count} are whole");
}

/// What a try that was broken off has left is no hindrance, and nothing that anybody misses.
#[tokio::test]
async fn a_try_that_was_broken_off_is_gone_on_with() {
    let folder = store().await;
    change(&file_of(folder.path(), "snap."));
    for name in ["damaged.copying", "damaged.new"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("db"), "half").unwrap();
    }
    assert_whole(&SledLog::open(folder.path()).unwrap());
    assert!(!folder.path().join("damaged.copying").exists());
    assert!(!folder.path().join("damaged.new").exists());
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_either_way_is_left_as_it_was() {
    let folder = store().await;
    let db = folder.path().join("db");
    let mut bytes = fs::read(&db).unwrap();
    bytes.fill(0xa5);
    fs::write(&db, bytes).unwrap();
    change(&folder.path().join("conf"));
    let before = files(folder.path());
    for _ in 0..2 {
        let refused = SledLog::open(folder.path());
        assert!(
            matches!(refused, Err(OpenError::Storage { .. })),
            "{refused:?}"
        );
        assert_eq!(files(folder.path()), before);
        assert!(!folder.path().join("damaged-1").exists());
    }
}

async fn store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    make_store(folder.path()).await;
    folder
}

pub(crate) async fn make_store(folder: &Path) {
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

pub(crate) fn assert_whole(log: &SledLog) {
    assert_eq!(log.damaged(), []);
    for number in 1..=STREAMS {
        let read = log.read(StreamId([number; 16]), Sequence(0), 100).unwrap();
        assert_eq!(read.len(), usize::from(number));
        assert!(read.iter().all(|(_, bytes)| *bytes == record(number)));
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Changes a byte in the middle of a file.
pub(crate) fn change(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// The file whose name begins so.
pub(crate) fn file_of(folder: &Path, beginning: &str) -> PathBuf {
    let mut names = files(folder).into_keys();
    let name = names.find(|name| name.to_string_lossy().starts_with(beginning));
    folder.join(name.unwrap())
}

/// The files of a folder but for the one that is locked.
pub(crate) fn files(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().unwrap().is_file() && entry.file_name() != "lock")
        .map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap()))
        .collect()
}
