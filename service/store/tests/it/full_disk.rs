//! A full disk is an error, and nothing acknowledged is lost to it.

use std::sync::Arc;

use dragontooth_service_store::{
    AppendError, Backup, ChainHead, EventLog, MAX_READ_RECORDS, OpenError, ReadError, SledLog,
    SledOptions, StreamId,
};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::TryStreamExt;

use futures::future::join_all;

use crate::mount::{Mount, skip};

const TEST: &str = "a_full_disk_fails_the_log_and_loses_nothing";

#[tokio::test]
async fn a_full_disk_fails_the_log_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let disk = match Mount::memory("size=8m", folder.path()) {
        Ok(disk) => disk,
        Err(why) => return skip(TEST, &format!("it needs root: {why}")),
    };
    let stream = StreamId([1; 16]);
    let record = |sequence: u64| vec![sequence.to_le_bytes()[0]; 1000];
    let path = folder.path().join("log");
    let log = SledLog::open(&path).unwrap();
    let mut head = Sequence::START;
    let failure = loop {
        match log.append(stream, head, vec![record(head.0 + 1)]).await {
            Ok(new) => head = new,
            Err(failure) => break failure,
        }
    };
    assert!(matches!(failure, AppendError::Storage(_)), "{failure:?}");
    assert!(head > Sequence(100), "the disk was full at once");
    for refused in [
        log.append(stream, head, vec![]).await,
        log.append(stream, head, vec![record(1)]).await,
    ] {
        assert!(
            matches!(refused, Err(AppendError::Failed(_))),
            "{refused:?}"
        );
    }
    assert!(matches!(log.health(), Err(AppendError::Failed(_))));
    match log.head(stream).await {
        Ok(shown) => assert_eq!(shown, head, "what was not acknowledged is not shown"),
        Err(error) => assert!(matches!(error, ReadError::Storage(_)), "{error:?}"),
    }
    drop(log);
    for _ in 0..3 {
        let refused = SledLog::open(&path);
        assert!(
            matches!(refused, Err(OpenError::Full { .. })),
            "{refused:?}"
        );
    }

    disk.remount("size=64m");
    let log = SledLog::open(&path).unwrap();
    let found = log.head(stream).await.unwrap();
    assert!(
        found == head || found == Sequence(head.0 + 1),
        "{head}, then {found}"
    );
    let records = (&log as &dyn EventLog).records(stream, Sequence(0));
    let records: Vec<_> = records.try_collect().await.unwrap();
    for (sequence, found) in (1..=head.0).zip(records) {
        assert_eq!(found, (Sequence(sequence), record(sequence)));
    }
    log.append(stream, found, vec![record(1)]).await.unwrap();
}

/// A record that cannot be read back because it could not be written out is not damaged: the read fails, the stream
/// is not reported as damaged, and no backup leaves it out.
#[tokio::test]
async fn on_a_full_disk_nothing_is_called_damaged() {
    const TEST: &str = "on_a_full_disk_nothing_is_called_damaged";
    let folder = tempfile::tempdir().unwrap();
    let disk = match Mount::memory("size=8m", folder.path()) {
        Ok(disk) => disk,
        Err(why) => return skip(TEST, &format!("it needs root: {why}")),
    };
    let path = folder.path().join("log");
    let options = SledOptions {
        // So little that what was just written has to come from the disk.
        cache_bytes: 1 << 16,
        ..SledOptions::default()
    };
    let log = Arc::new(SledLog::open_with(&path, &options).unwrap());
    let streams: Vec<StreamId> = (1..=40).map(|number| StreamId([number; 16])).collect();
    let mut heads: Vec<ChainHead> = streams.iter().copied().map(ChainHead::start).collect();
    // All at once, so that much waits to be written when there is no room left.
    while log.health().is_ok() {
        let appends = streams.iter().zip(&mut heads).map(async |(stream, head)| {
            let mut next = *head;
            let records = (0..4).map(|_| next.seal(&[7; 1000])).collect();
            if log.append(*stream, head.sequence, records).await.is_ok() {
                *head = next;
            }
        });
        join_all(appends).await;
    }
    for stream in &streams {
        let read = log.read(*stream, Sequence::START, MAX_READ_RECORDS).await;
        // Mostly some cannot be read.
        assert!(
            matches!(read, Ok(_) | Err(ReadError::Storage(_))),
            "{read:?}"
        );
    }
    let mut whole = backup(Arc::clone(&log));
    let end = read_all(&mut whole).await;
    assert!(
        matches!(end, Ok(()) | Err(ReadError::Storage(_))),
        "{end:?}"
    );
    assert_eq!(whole.counts().damaged, 0);

    drop(whole);
    drop(log);
    disk.remount("size=64m");
    let log = Arc::new(SledLog::open(&path).unwrap());
    assert_eq!(log.damaged(), []);
    for (stream, head) in streams.iter().zip(heads) {
        assert!(
            log.head(*stream).await.unwrap() >= head.sequence,
            "{stream}"
        );
    }
    read_all(&mut backup(log)).await.unwrap();
}

async fn read_all(backup: &mut Backup) -> Result<(), ReadError> {
    while backup.next_chunk().await?.is_some() {}
    Ok(())
}

fn backup(log: Arc<SledLog>) -> Backup {
    Backup::new(log, Timestamp::from_micros(0), "test")
}
