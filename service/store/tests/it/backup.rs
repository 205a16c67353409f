//! Backups and what is made of them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use dragontooth_service_store::{
    Backup, BackupCounts, BackupError, BackupReader, ChainHead, EventLog, MAX_APPEND_RECORDS,
    MAX_RECORD_BYTES, MemoryLog, OpenError, RestoreError, SledLog, StreamId, check_backup, restore,
};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::{StreamExt, TryStreamExt};

use crate::random::Random;

type Heads = BTreeMap<StreamId, ChainHead>;

const TIME: Timestamp = Timestamp::from_micros(1_763_700_000_000_000);

#[tokio::test]
async fn what_is_backed_up_is_restored() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let mut heads = Heads::new();
    for (number, records) in [(1, 1), (2, 700), (3, MAX_APPEND_RECORDS), (255, 3)] {
        append(&*log, &mut heads, StreamId([number; 16]), records, 100).await;
    }
    append(
        &*log,
        &mut heads,
        StreamId([4; 16]),
        40,
        MAX_RECORD_BYTES - 33,
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let file = write(&log, folder.path()).await;
    let counts = BackupCounts {
        streams: 5,
        records: 1 + 700 + 256 + 3 + 40,
        damaged: 0,
    };
    assert_eq!(check_backup(&file).unwrap(), (counts, vec![]));

    let data = folder.path().join("data");
    assert_eq!(restore(&file, &data).await.unwrap(), (counts, vec![]));
    let restored: Arc<dyn EventLog> = Arc::new(SledLog::open(&data).unwrap());
    assert_eq!(restored.all_streams().count().await, 5);
    for (stream, head) in &mut heads {
        assert_eq!(
            records(&*restored, *stream).await,
            records(&*log, *stream).await
        );
        let record = head.seal(b"more");
        let before = Sequence(head.sequence.0 - 1);
        restored
            .append(*stream, before, vec![record])
            .await
            .unwrap();
    }
    // Of what has been made of it the same backup can be made, but for the time.
    drop(restored);
    let refused = restore(&file, &data).await;
    assert!(
        matches!(refused, Err(RestoreError::NotEmpty { .. })),
        "{refused:?}"
    );
}

/// The header is read back, and an empty log makes a backup too.
#[tokio::test]
async fn a_backup_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let file = write(&log, folder.path()).await;
    let reader = BackupReader::new(fs::File::open(&file).unwrap()).unwrap();
    let header = reader.header().clone();
    assert_eq!((header.time, &*header.program), (TIME, "1.2.3"));
    assert_eq!(header.stored_format, 3);
    assert_eq!(
        restore(&file, &folder.path().join("data")).await.unwrap(),
        (BackupCounts::default(), vec![])
    );
}

#[tokio::test]
async fn a_backup_that_was_cut_or_changed_is_refused() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let mut heads = Heads::new();
    for number in 1..4 {
        append(&*log, &mut heads, StreamId([number; 16]), 2, 10).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = write(&log, folder.path()).await;
    let whole = fs::read(&file).unwrap();
    let data = folder.path().join("data");
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        let refused = check_backup(&file);
        assert!(
            matches!(refused, Err(BackupError::Cut)),
            "{length}: {refused:?}"
        );
    }
    for bit in 0..whole.len() * 8 {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, changed).unwrap();
        assert!(check_backup(&file).is_err(), "bit {bit}");
    }
    fs::write(&file, [&whole[..], b"E"].concat()).unwrap();
    let refused = restore(&file, &data).await;
    assert!(
        matches!(refused, Err(RestoreError::Backup(BackupError::Changed(_)))),
        "{refused:?}"
    );
    assert!(!data.exists(), "nothing has been written");
}

#[tokio::test]
async fn a_newer_backup_and_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let file = write(&log, folder.path()).await;
    let whole = fs::read(&file).unwrap();
    for byte in [11, 15] {
        let mut newer = whole.clone();
        newer[byte] += 1;
        fs::write(&file, newer).unwrap();
        let refused = check_backup(&file);
        assert!(
            matches!(refused, Err(BackupError::Newer { .. })),
            "{refused:?}"
        );
    }
    fs::write(&file, "a letter to my mother").unwrap();
    assert!(matches!(check_backup(&file), Err(BackupError::Foreign)));
}

#[tokio::test]
async fn an_unfinished_restore_is_no_log() {
    let folder = tempfile::tempdir().unwrap();
    drop(SledLog::open(folder.path()).unwrap());
    fs::write(folder.path().join("restoring"), "").unwrap();
    let refused = SledLog::open(folder.path());
    assert!(
        matches!(refused, Err(OpenError::Unfinished { .. })),
        "{refused:?}"
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let file = write(&log, elsewhere.path()).await;
    let refused = restore(&file, folder.path()).await;
    assert!(
        matches!(
            refused,
            Err(RestoreError::Open(OpenError::Unfinished { .. }))
        ),
        "{refused:?}"
    );
}

/// A stream that is damaged is named and left out; the others are there.
#[tokio::test]
async fn a_damaged_stream_is_named() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let mut heads = Heads::new();
    let (sound, damaged) = (StreamId([1; 16]), StreamId([2; 16]));
    append(&*log, &mut heads, sound, 5, 10).await;
    append(&*log, &mut heads, damaged, 5, 10).await;
    let mut record = heads.get_mut(&damaged).unwrap().seal(b"true");
    *record.last_mut().unwrap() ^= 1;
    log.append(damaged, Sequence(5), vec![record])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = write(&log, folder.path()).await;
    let (counts, missing) = check_backup(&file).unwrap();
    assert_eq!(missing, [(damaged, Sequence(6))]);
    assert_eq!((counts.streams, counts.records, counts.damaged), (1, 5, 1));
    let data = folder.path().join("data");
    restore(&file, &data).await.unwrap();
    let restored = SledLog::open(&data).unwrap();
    assert_eq!(
        restored.streams(None, 10).await.unwrap(),
        [(sound, Sequence(5))]
    );
}

/// More appends of one stream than a task polls at once.
#[tokio::test]
async fn a_long_stream_is_restored() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new());
    let stream = StreamId([1; 16]);
    let mut head = ChainHead::start(stream);
    for _ in 0..150 {
        let before = head.sequence;
        let records = (0..256).map(|_| head.seal(&[1])).collect();
        log.append(stream, before, records).await.unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = write(&log, folder.path()).await;
    let data = folder.path().join("data");
    restore(&file, &data).await.unwrap();
    let restored = SledLog::open(&data).unwrap();
    assert_eq!(restored.head(stream).await.unwrap(), head.sequence);
}

/// While others append, a backup has all that was acknowledged before it began, and of every stream a
/// beginning.
/// The most events of a stream for each backup: where syncs cost nothing, the log would outgrow the reads.
const EVENTS_OF_ROUND: u64 = 2000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_has_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder.path().join("data")).unwrap());
    let allowed = Arc::<std::sync::atomic::AtomicU64>::default();
    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged: Arc<[_]> = (0..16)
        .map(|_| std::sync::atomic::AtomicU64::new(0))
        .collect();
    let writers: Vec<_> = (0..16_u8)
        .map(|number| {
            let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
            let acknowledged = Arc::clone(&acknowledged);
            let allowed = Arc::clone(&allowed);
            tokio::spawn(async move {
                let stream = StreamId([number; 16]);
                let mut head = ChainHead::start(stream);
                let mut random = Random::new(number.into());
                while !stop.load(Ordering::Acquire) {
                    let before = head.sequence;
                    if before.0 >= allowed.load(Ordering::Acquire) {
                        tokio::task::yield_now().await;
                        continue;
                    }
                    let records = (0..=random.below(4))
                        .map(|_| head.seal(&[0x5a; 80]))
                        .collect();
                    log.append(stream, before, records).await.unwrap();
                    acknowledged[usize::from(number)].store(head.sequence.0, Ordering::Release);
                }
            })
        })
        .collect();
    for round in 0..6 {
        allowed.store((round + 1) * EVENTS_OF_ROUND, Ordering::Release);
        while acknowledged[0].load(Ordering::Acquire) < (round + 1) * 20 {
            tokio::task::yield_now().await;
        }
        let before: Vec<u64> = acknowledged
            .iter()
            .map(|head| head.load(Ordering::Acquire))
            .collect();
        let file = write(&log, folder.path()).await;
        let data = folder.path().join(format!("restored-{round}"));
        restore(&file, &data).await.unwrap();
        let restored = SledLog::open(&data).unwrap();
        for (number, known) in (0..16_u8).zip(before) {
            let stream = StreamId([number; 16]);
            let head = restored.head(stream).await.unwrap().0;
            assert!(head >= known, "stream {number}: {head} of {known}");
            // The restored records are those of the log, from the first on.
            let all = records(&*log, stream).await;
            let first = &all[..usize::try_from(head).unwrap()];
            assert_eq!(records(&restored, stream).await, first);
        }
    }
    stop.store(true, Ordering::Release);
    for writer in writers {
        writer.await.unwrap();
    }
}

/// Writes a backup into a folder.
async fn write(log: &Arc<dyn EventLog>, folder: &Path) -> PathBuf {
    let file = folder.join("backup");
    let mut backup = Backup::new(Arc::clone(log), TIME, "1.2.3");
    let mut bytes = Vec::new();
    while let Some(chunk) = backup.next_chunk().await.unwrap() {
        bytes.extend(chunk);
    }
    fs::write(&file, bytes).unwrap();
    file
}

async fn records(log: &dyn EventLog, stream: StreamId) -> Vec<(Sequence, Vec<u8>)> {
    log.records(stream, Sequence::START)
        .try_collect()
        .await
        .unwrap()
}

/// Appends sealed records to a new stream.
async fn append(
    log: &dyn EventLog,
    heads: &mut Heads,
    stream: StreamId,
    records: usize,
    len_bytes: usize,
) {
    let mut head = ChainHead::start(stream);
    for _ in 0..records {
        let before = head.sequence;
        let record = head.seal(&vec![0x77; len_bytes]);
        log.append(stream, before, vec![record]).await.unwrap();
    }
    heads.insert(stream, head);
}
