//! What is read from a damaged store, and what keeps a store from damage.

use std::{fs, path::Path};

use dragontooth_service_store::{
    EventLog, MAX_RECORD_BYTES, OpenError, ReadError, Sequence, SledLog, StreamId,
};
use futures::future::join_all;
use sled::Tree;

use crate::{random::Random, raw::with_sled};

const STREAM: StreamId = StreamId([7; 16]);

#[tokio::test]
async fn a_missing_record_is_an_error() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.remove(key(5)).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.read(STREAM, Sequence(0), 4).unwrap().len(), 4);
    for (after, limit) in [(0, 5), (0, 100), (4, 1)] {
        let read = log.read(STREAM, Sequence(after), limit);
        let Err(ReadError::Gap {
            stream: STREAM,
            expected,
            found,
        }) = read
        else {
            panic!("{read:?}");
        };
        assert_eq!((expected, found), (Sequence(5), Sequence(6)));
    }
    assert_eq!(log.read(STREAM, Sequence(5), 100).unwrap().len(), 5);
    let records = (&log as &dyn EventLog).records(STREAM, Sequence(0));
    assert_eq!(
        records.map(|record| record.is_ok()).collect::<Vec<_>>(),
        [false]
    );
}

#[tokio::test]
async fn a_missing_beginning_is_an_error() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.remove(key(1)).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    for error in [
        log.read(STREAM, Sequence(0), 10).unwrap_err(),
        log.streams(None, 10).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                ReadError::Gap {
                    expected: Sequence(1),
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_key_of_another_length_is_an_error() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.insert(&key(3)[..20], "value").unwrap();
        events.insert("short", "value").unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    assert!(matches!(
        log.streams(None, 10),
        Err(ReadError::Key { len_bytes: 20 })
    ));
    let after = log.streams(Some(STREAM), 10);
    assert!(
        matches!(after, Err(ReadError::Key { len_bytes: 5 })),
        "{after:?}"
    );
}

/// What is left of the records may be fewer; what is read is theirs, or there is an error.
#[tokio::test]
async fn damaged_files_are_refused_or_read_without_a_panic() {
    let mut random = Random::for_test("damaged_files_are_refused_or_read_without_a_panic");
    let folder = ten_records().await;
    drop(SledLog::open(folder.path()).unwrap());
    for _ in 0..60 {
        let damaged = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for entry in fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            if entry.metadata().unwrap().len() > 0 && entry.file_type().unwrap().is_file() {
                let copy = damaged.path().join(entry.file_name());
                fs::copy(entry.path(), &copy).unwrap();
                files.push(copy);
            }
        }
        files.sort_unstable();
        let file = &files[random.index(files.len())];
        let mut bytes = fs::read(file).unwrap();
        // Most of the data file is empty.
        let len = bytes.len().min(4000);
        let first = random.index(len);
        match random.below(3) {
            0 => bytes.truncate(first),
            1 => bytes[first..len.min(first + 100)].fill(0),
            _ => bytes[first] ^= 0x55,
        }
        fs::write(file, bytes).unwrap();
        match SledLog::open(damaged.path()) {
            Ok(log) => {
                let records = (&log as &dyn EventLog).records(STREAM, Sequence(0));
                for (expected, record) in (1..).zip(records) {
                    match record {
                        Ok(record) => assert_eq!(record, (Sequence(expected), vec![1])),
                        Err(error) => assert!(!error.to_string().is_empty()),
                    }
                }
            }
            Err(error) => assert!(matches!(error, OpenError::Storage { .. }), "{error:?}"),
        }
    }
}

/// sled does not sync the files that it moves large leaves to.
#[tokio::test]
async fn the_largest_records_stay_in_the_synced_file() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    let record = vec![0x5a; MAX_RECORD_BYTES];
    for stream in 0..4 {
        for head in 0..100 {
            let stream = StreamId([stream; 16]);
            log.append(stream, Sequence(head), vec![record.clone()])
                .await
                .unwrap();
        }
    }
    let mut head = 0;
    for _ in 0..50 {
        let appends = (0..16).map(|place| {
            log.append(
                STREAM,
                Sequence(head + place * 16),
                vec![record.clone(); 16],
            )
        });
        for answer in join_all(appends).await {
            head = answer.unwrap().get();
        }
    }
    drop(log);
    drop(SledLog::open(folder.path()).unwrap());
    assert_eq!(
        fs::read_dir(folder.path().join("blobs")).unwrap().count(),
        0
    );
}

async fn ten_records() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    log.append(STREAM, Sequence(0), vec![vec![1]; 10])
        .await
        .unwrap();
    folder
}

fn damage(path: &Path, how: impl FnOnce(&Tree)) {
    with_sled(path, |db| how(&db.open_tree("events").unwrap()));
}

fn key(sequence: u64) -> Vec<u8> {
    [&STREAM.0[..], &sequence.to_be_bytes()].concat()
}
