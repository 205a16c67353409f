//! Backups from a folder into a database and back.

use std::{collections::BTreeMap, fs, sync::Arc};

use dragontooth_service_postgres::{
    PostgresError, PostgresLog, PostgresRestoreError, restore_to_postgres,
};
use dragontooth_service_store::{Backup, ChainHead, EventLog, SledLog, restore};
use dragontooth_service_vocabulary::{Sequence, Timestamp};

use crate::{load::stream, server::Server};

/// Writes a backup of a log.
pub(crate) async fn back_up(log: Arc<dyn EventLog>, file: &std::path::Path) {
    let mut backup = Backup::new(log, Timestamp::from_micros(7), "test");
    let mut bytes = Vec::new();
    while let Some(chunk) = backup.next_chunk().await.unwrap() {
        bytes.extend(chunk);
    }
    fs::write(file, bytes).unwrap();
}

/// All records of a log.
async fn all(log: &dyn EventLog) -> BTreeMap<[u8; 16], Vec<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for (stream, head) in log.streams(None, usize::MAX).await.unwrap() {
        let read = log.read(stream, Sequence(0), usize::MAX).await.unwrap();
        assert_eq!(read.len() as u64, head.0);
        let records = read.into_iter().map(|(_, record)| record).collect();
        all.insert(stream.0, records);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_moves_into_a_database_and_back() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let sled = SledLog::open(file("first")).unwrap();
    for number in 0..300_u64 {
        let mut head = ChainHead::start(stream(number));
        for length in 0..=number % 5 {
            let before = head.sequence;
            let records = (0..=length * 60).map(|_| head.seal(b"payload")).collect();
            sled.append(stream(number), before, records).await.unwrap();
        }
    }
    let before = all(&sled).await;
    back_up(Arc::new(sled), &file("backup")).await;

    let (counts, _) = restore_to_postgres(&file("backup"), &server.options())
        .await
        .unwrap();
    assert_eq!(counts.streams, 300);
    let log = server.open().await;
    assert_eq!(all(&log).await, before);
    back_up(Arc::new(log), &file("second")).await;
    restore(&file("second"), &file("third")).await.unwrap();
    assert_eq!(all(&SledLog::open(file("third")).unwrap()).await, before);

    let again = restore_to_postgres(&file("backup"), &server.options()).await;
    assert!(
        matches!(again, Err(PostgresRestoreError::NotEmpty)),
        "{again:?}"
    );
    server
        .execute("UPDATE dragontooth.log SET restoring = true")
        .await;
    let unfinished = PostgresLog::open(&server.options()).await;
    assert!(
        matches!(unfinished, Err(PostgresError::Unfinished)),
        "{unfinished:?}"
    );
}
