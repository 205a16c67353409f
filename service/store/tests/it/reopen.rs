//! Reopening a log: the state kept from one opening to the next, and the lock on the folder.

use std::{fs, path::Path, sync::Arc};

use dragontooth_service_store::{AppendError, EventLog, OpenError, SledLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio::task::JoinSet;

use crate::{child::AppendingProcess, workload::Heads};

#[tokio::test]
async fn heads_and_records_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    for opening in 0..10_u64 {
        let log = SledLog::open(folder.path()).unwrap();
        for number in 0..20 {
            let stream = StreamId([number; 16]);
            let wrong = log
                .append(stream, Sequence(opening * 2 + 1), vec![vec![1]])
                .await;
            assert!(
                matches!(wrong, Err(AppendError::Conflict { actual, .. }) if actual.0 == opening * 2)
            );
            assert_eq!(log.head(stream).await.unwrap(), Sequence(opening * 2));
            let two = vec![vec![number], opening.to_be_bytes().to_vec()];
            let head = log
                .append(stream, Sequence(opening * 2), two.clone())
                .await
                .unwrap();
            let read = log.read(stream, Sequence(opening * 2), 10).await.unwrap();
            assert!(read.into_iter().map(|(_, record)| record).eq(two));
            assert_eq!(
                log.read(stream, Sequence(0), 1000).await.unwrap().len() as u64,
                head.0
            );
        }
        if opening % 2 == 0 {
            log.close().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_writes_what_has_begun() {
    let folder = tempfile::tempdir().unwrap();
    let log: Arc<dyn EventLog> = Arc::new(SledLog::open(folder.path()).unwrap());
    let mut tasks = JoinSet::new();
    for number in 0..100 {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            log.append(StreamId([number; 16]), Sequence(0), vec![vec![number]])
                .await
                .unwrap();
        });
    }
    drop(log);
    tasks.join_all().await;
    let log = SledLog::open(folder.path()).unwrap();
    assert_eq!(log.streams(None, 1000).await.unwrap().len(), 100);
}

#[test]
fn a_second_log_on_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    assert_in_use(folder.path());
    drop(log);
    SledLog::open(folder.path()).unwrap();
}

#[test]
fn a_second_process_on_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let process = AppendingProcess::start(folder.path());
    process.await_acknowledged(1, &mut Heads::new());
    assert_in_use(folder.path());
    process.kill(&mut Heads::new());
    SledLog::open(folder.path()).unwrap();
}

#[test]
fn a_program_that_locks_only_the_data_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    drop(SledLog::open(folder.path()).unwrap());
    let data = std::fs::File::open(folder.path().join("db")).unwrap();
    data.lock().unwrap();
    assert_in_use(folder.path());
}

fn assert_in_use(path: &Path) {
    let refused = SledLog::open(path).unwrap_err();
    assert!(
        matches!(&refused, OpenError::InUse { path: named } if named == path),
        "{refused:?}"
    );
    assert!(refused.to_string().contains(path.to_str().unwrap()));
}

/// sled writes a file when it opens a store, under a temporary name until it is whole. A kill at that
/// moment must not cost the store.
#[tokio::test]
async fn a_store_whose_opening_was_killed_opens() {
    let folder = tempfile::tempdir().unwrap();
    let log = SledLog::open(folder.path()).unwrap();
    let stream = StreamId([1; 16]);
    log.append(stream, Sequence(0), vec![vec![1]; 3])
        .await
        .unwrap();
    drop(log);
    drop(SledLog::open(folder.path()).unwrap());
    let whole = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("snap.")
        })
        .map(|path| fs::read(path).unwrap())
        .expect("sled keeps where it has got to");
    for len in [0, 1, 12, 13, whole.len() - 1, whole.len()] {
        for name in [
            "snap.0000000000000000.generating",
            "snap.FFFFFFFFFFFFFFFF.generating",
        ] {
            fs::write(folder.path().join(name), &whole[..len]).unwrap();
            let log = SledLog::open(folder.path()).unwrap();
            assert_eq!(log.read(stream, Sequence(0), 10).await.unwrap().len(), 3);
        }
    }
}
