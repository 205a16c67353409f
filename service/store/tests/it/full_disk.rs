//! A full disk is an error, and nothing acknowledged is lost to it.

use dragontooth_service_store::{AppendError, EventLog, ReadError, Sequence, SledLog, StreamId};

use crate::mount::{Mount, announce};

const TEST: &str = "a_full_disk_fails_the_log_and_loses_nothing";

#[tokio::test]
async fn a_full_disk_fails_the_log_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let disk = match Mount::memory("size=8m", folder.path()) {
        Ok(disk) => disk,
        Err(why) => return announce(TEST, &format!("SKIPPED, it needs root: {why}")),
    };
    let stream = StreamId([1; 16]);
    let record = |sequence: u64| vec![sequence.to_le_bytes()[0]; 1000];
    let path = folder.path().join("log");
    let log = SledLog::open(&path).unwrap();
    let mut head = Sequence::EMPTY;
    let failure = loop {
        match log.append(stream, head, vec![record(head.get() + 1)]).await {
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
    match log.head(stream) {
        Ok(shown) => assert_eq!(shown, head, "what was not acknowledged is not shown"),
        Err(error) => assert!(matches!(error, ReadError::Storage(_)), "{error:?}"),
    }
    drop(log);

    disk.remount("size=64m");
    let log = SledLog::open(&path).unwrap();
    let found = log.head(stream).unwrap();
    assert!(
        found == head || found == Sequence(head.get() + 1),
        "{head}, then {found}"
    );
    for (sequence, found) in
        (1..=head.get()).zip((&log as &dyn EventLog).records(stream, Sequence(0)))
    {
        assert_eq!(found.unwrap(), (Sequence(sequence), record(sequence)));
    }
    log.append(stream, found, vec![record(1)]).await.unwrap();
}
