//! Reads from a damaged store, and the limits that keep a store from damage.

use std::{fs, path::Path};

use dragontooth_service_store::{
    AppendError, Damage, EventLog, Loss, MAX_RECORD_BYTES, OpenError, ReadError, SledLog, StreamId,
};
use dragontooth_service_vocabulary::Sequence;
use futures::{StreamExt, future::join_all};
use sled::{IVec, Tree};

use crate::{
    random::Random,
    raw::{separate, with_sled},
};

const STREAM: StreamId = StreamId([7; 16]);

#[tokio::test]
async fn a_missing_record_is_an_error() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.remove(key(5)).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.read(STREAM, Sequence(0), 4).await.unwrap().len(), 4);
    for (after, limit) in [(0, 5), (0, 100), (4, 1)] {
        let read = log.read(STREAM, Sequence(after), limit).await;
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
    assert_eq!(log.read(STREAM, Sequence(5), 100).await.unwrap().len(), 5);
    let records = (&log as &dyn EventLog).records(STREAM, Sequence(0));
    let records: Vec<_> = records.map(|record| record.is_ok()).collect().await;
    assert_eq!(records, [false]);
}

/// Streams that are read together have their own errors.
#[tokio::test]
async fn a_damaged_stream_does_not_hide_another() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.remove(key(5)).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    let sound = StreamId([9; 16]);
    log.append(sound, Sequence(0), vec![b"x".to_vec()])
        .await
        .unwrap();
    let after = [STREAM, sound].map(|stream| (stream, Sequence(0)));
    let read = log.read_many(after.to_vec(), 100).await.unwrap();
    let damaged = &read[&STREAM];
    assert!(matches!(damaged, Err(ReadError::Gap { .. })), "{damaged:?}");
    let read = read[&sound].as_ref().unwrap();
    assert_eq!(read[..], [(Sequence(1), b"x".to_vec())]);
}

#[tokio::test]
async fn a_missing_beginning_is_an_error() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.remove(key(1)).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    let error = log.read(STREAM, Sequence(0), 10).await.unwrap_err();
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
    // The others are not stopped by it.
    assert_eq!(
        log.streams(None, 10).await.unwrap(),
        [(STREAM, Sequence(10))]
    );
}

/// Where the end of a stream is gone, the witness has seen it.
#[tokio::test]
async fn a_missing_end_is_a_damaged_stream() {
    let other = StreamId([8; 16]);
    for kept in [0, 1, 7, 9] {
        let folder = ten_records().await;
        let log = SledLog::open(folder.path()).unwrap();
        log.append(other, Sequence(0), vec![vec![1]; 3])
            .await
            .unwrap();
        drop(log);
        damage(folder.path(), |events| {
            for sequence in kept + 1..=10 {
                events.remove(key(sequence)).unwrap().unwrap();
            }
        });
        // The witness has to be remembered from one opening to the next.
        for _ in 0..3 {
            let log = SledLog::open(folder.path()).unwrap();
            let expected = Damage {
                stream: STREAM,
                from: Sequence(kept + 1),
                loss: Loss::Missing {
                    known: Sequence(10),
                },
            };
            assert_eq!(log.damaged(), std::slice::from_ref(&expected));
            let refusals = [
                log.read(STREAM, Sequence(0), 1).await.map(|_| ()),
                log.head(STREAM).await.map(|_| ()),
            ];
            for refused in refusals {
                assert!(
                    matches!(&refused, Err(ReadError::Damaged(damage)) if *damage == expected),
                    "{refused:?}"
                );
            }
            for head in [kept, 10] {
                let refused = log.append(STREAM, Sequence(head), vec![vec![2]]).await;
                assert!(
                    matches!(&refused, Err(AppendError::Damaged(damage)) if *damage == expected),
                    "{refused:?}"
                );
            }
            let head = log.head(other).await.unwrap();
            assert_eq!(log.streams(None, 10).await.unwrap(), [(other, head)]);
            log.append(other, head, vec![vec![1]]).await.unwrap();
        }
    }
}

#[tokio::test]
async fn another_record_at_the_head_is_a_damaged_stream() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.insert(key(10), vec![9]).unwrap().unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    let expected = Damage {
        stream: STREAM,
        from: Sequence(10),
        loss: Loss::Changed,
    };
    assert_eq!(log.damaged(), [expected]);
    assert_eq!(log.streams(None, 10).await.unwrap(), []);
}

/// Of a stream in several chunks, each is lost in turn.
#[tokio::test]
async fn a_missing_chunk_is_found() {
    let mut chunk = 0;
    loop {
        let folder = in_chunks(30, &[5; 1000]).await;
        let mut places = Vec::new();
        damage(folder.path(), |events| {
            places = chunks(events);
            if let Some((key, _)) = places.get(chunk) {
                events.remove(key).unwrap().unwrap();
            }
        });
        assert!(places.len() > 3, "{places:?}");
        let Some((_, first)) = places.get(chunk) else {
            break;
        };
        let (first, next) = (*first, places.get(chunk + 1).map(|(_, first)| *first));
        let log = SledLog::open(folder.path()).unwrap();
        if let Some(next) = next {
            for after in [0, first - 1] {
                let read = log.read(STREAM, Sequence(after), 30).await;
                let (expected, found) = (Sequence(first), Sequence(next));
                assert!(
                    matches!(&read, Err(ReadError::Gap { expected: e, found: f, .. })
                        if (*e, *f) == (expected, found)),
                    "{read:?}"
                );
            }
            let read = log.read(STREAM, Sequence(0), 1).await;
            assert_eq!(read.is_ok(), first > 1);
            let rest = log.read(STREAM, Sequence(next - 1), 30).await.unwrap();
            assert_eq!(rest.len() as u64, 31 - next);
        } else {
            let expected = Damage {
                stream: STREAM,
                from: Sequence(first),
                loss: Loss::Missing {
                    known: Sequence(30),
                },
            };
            assert_eq!(log.damaged(), [expected]);
        }
        chunk += 1;
    }
}

/// A chunk whose records are not as many as its key says is damaged, wherever it is.
#[tokio::test]
async fn a_malformed_chunk_is_a_damaged_stream() {
    for from_the_end in 0..2 {
        let folder = in_chunks(30, &[5; 1000]).await;
        let mut first = 0;
        damage(folder.path(), |events| {
            let chunks = chunks(events);
            let (key, at) = &chunks[chunks.len() - 1 - from_the_end];
            first = *at;
            let value = events.get(key).unwrap().unwrap();
            events.insert(key, &value[..value.len() - 1]).unwrap();
        });
        let log = SledLog::open(folder.path()).unwrap();
        let read = log.read(STREAM, Sequence(first - 2), 30).await;
        let Err(ReadError::Damaged(damage)) = read else {
            panic!("{read:?}");
        };
        assert_eq!(
            (damage.from, damage.loss),
            (Sequence(first), Loss::Unreadable)
        );
    }
}

/// The witness may lag, by any number of lines, or be gone.
#[tokio::test]
async fn a_witness_that_has_seen_less_finds_no_damage() {
    let folder = ten_records().await;
    let log = SledLog::open(folder.path()).unwrap();
    for head in 10..20 {
        log.append(STREAM, Sequence(head), vec![vec![2]])
            .await
            .unwrap();
    }
    drop(log);
    let witness = fs::read(folder.path().join("heads")).unwrap();
    assert!(!witness.is_empty());
    for length in 0..=witness.len() {
        fs::write(folder.path().join("heads"), &witness[..length]).unwrap();
        if length == 0 {
            fs::remove_file(folder.path().join("heads")).unwrap();
        }
        if length % 29 == 0 {
            let log = SledLog::open(folder.path()).unwrap();
            assert_eq!(log.damaged(), []);
            assert_eq!(log.head(STREAM).await.unwrap(), Sequence(20));
        }
    }
}

/// The witness knows the streams that a listing cannot come to.
#[tokio::test]
async fn a_key_of_another_length_stops_no_listing() {
    let folder = ten_records().await;
    damage(folder.path(), |events| {
        events.insert(&key(3)[..20], "value").unwrap();
        events.insert("short", "value").unwrap();
    });
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(
        log.streams(None, 10).await.unwrap(),
        [(STREAM, Sequence(10))]
    );
    assert_eq!(log.streams(Some(STREAM), 10).await.unwrap(), []);
}

/// Some records may be gone; each one that is read is the one written, or there is an error.
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
                let records: Vec<_> = records.collect().await;
                for (expected, record) in (1..).zip(records) {
                    match record {
                        Ok(record) => assert_eq!(record, (Sequence(expected), vec![1])),
                        Err(error) => assert!(!error.to_string().is_empty()),
                    }
                }
            }
            Err(error) => assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}"),
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
            head = answer.unwrap().0;
        }
    }
    drop(log);
    drop(SledLog::open(folder.path()).unwrap());
    assert_eq!(
        fs::read_dir(folder.path().join("blobs")).unwrap().count(),
        0
    );
}

/// A folder with ten records that are stored each by itself.
async fn ten_records() -> tempfile::TempDir {
    let folder = in_chunks(10, &[1]).await;
    damage(folder.path(), |events| separate(events, STREAM));
    folder
}

/// A folder with records that are stored in chunks.
async fn in_chunks(records: usize, record: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    log.append(STREAM, Sequence(0), vec![record.to_vec(); records])
        .await
        .unwrap();
    folder
}

/// The keys of all chunks, each with the sequence of its first record.
fn chunks(events: &Tree) -> Vec<(IVec, u64)> {
    let keys = events.iter().keys().map(Result::unwrap);
    keys.map(|key| {
        let first = u64::from_be_bytes(key[16..24].try_into().unwrap());
        (key, first)
    })
    .collect()
}

fn damage(path: &Path, how: impl FnOnce(&Tree)) {
    with_sled(path, |db| how(&db.open_tree("events").unwrap()));
}

fn key(sequence: u64) -> Vec<u8> {
    [&STREAM.0[..], &sequence.to_be_bytes()].concat()
}
