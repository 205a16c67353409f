//! Closing.

use std::sync::Arc;

use dragontooth_service_store::AppendError;
use dragontooth_service_vocabulary::Sequence;
use tokio::task::JoinSet;

use super::given::{Log, all, numbered, records, stream};

pub(crate) async fn a_closed_log_refuses_appends_and_reads_on(log: Log) {
    log.append(stream(1), Sequence(0), records(&["a"]))
        .await
        .unwrap();
    log.health().unwrap();
    log.close().await;
    log.close().await;
    let refused = log.append(stream(1), Sequence(1), records(&["b"])).await;
    assert!(matches!(refused, Err(AppendError::Closed)), "{refused:?}");
    assert!(matches!(log.health(), Err(AppendError::Closed)));
    assert_eq!(all(&log, stream(1)).await, numbered(1, &["a"]));
    assert_eq!(log.head(stream(1)).await.unwrap(), Sequence(1));
    assert_eq!(
        log.streams(None, 10).await.unwrap(),
        [(stream(1), Sequence(1))]
    );
}

pub(crate) async fn closing_answers_what_has_begun(log: Log) {
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let log = Arc::clone(&log);
        tasks.spawn(async move {
            let mut head = Sequence::START;
            loop {
                match log.append(stream(number), head, records(&["a"])).await {
                    Ok(new) => head = new,
                    Err(AppendError::Closed) => return (number, head),
                    Err(error) => panic!("{error}"),
                }
            }
        });
    }
    log.append(stream(1000), Sequence(0), records(&["a"]))
        .await
        .unwrap();
    tokio::join!(log.close(), log.close());
    for (number, head) in tasks.join_all().await {
        assert_eq!(log.head(stream(number)).await.unwrap(), head);
    }
}
