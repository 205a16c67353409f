//! Writers that note what was acknowledged.

use std::sync::Arc;

use dragontooth_service_postgres::PostgresLog;
use dragontooth_service_store::{AppendError, EventLog, StreamId};
use dragontooth_service_vocabulary::Sequence;
use tokio::{sync::watch, task::JoinSet};

/// Writers, each of a stream of its own.
#[derive(Debug)]
pub(crate) struct Load {
    writers: JoinSet<(StreamId, Sequence)>,
    acknowledged: watch::Receiver<u64>,
    end: watch::Sender<bool>,
}

pub(crate) fn stream(number: u64) -> StreamId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&number.to_be_bytes());
    StreamId(id)
}

/// The record at a sequence of a stream.
fn record(of: StreamId, sequence: Sequence) -> Vec<u8> {
    [&of.0[..], &sequence.0.to_be_bytes()].concat()
}

impl Load {
    /// Starts writers that append one or two records again and again.
    ///
    /// While the log is away they ask again; any other refusal is a failure.
    pub(crate) fn start(log: &Arc<PostgresLog>, writers: u64) -> Self {
        let (count, acknowledged) = watch::channel(0);
        let (end, ended) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for number in 0..writers {
            let (log, count, ended) = (Arc::clone(log), count.clone(), ended.clone());
            tasks.spawn(async move {
                let of = stream(number);
                let mut available = log.availability().unwrap();
                let mut head = Sequence::START;
                while !*ended.borrow() {
                    let records = 1 + head.0 % 2;
                    let records = (1..=records).map(|more| record(of, Sequence(head.0 + more)));
                    match log.append(of, head, records.collect()).await {
                        Ok(new) => {
                            head = new;
                            count.send_modify(|count| *count += 1);
                        }
                        Err(AppendError::Unavailable(_)) => {
                            available.wait_for(|available| *available).await.unwrap();
                            tokio::task::yield_now().await;
                        }
                        Err(error) => panic!("{of} at {head}: {error:?}"),
                    }
                }
                (of, head)
            });
        }
        Self {
            writers: tasks,
            acknowledged,
            end,
        }
    }

    /// Waits until so many more appends are acknowledged.
    pub(crate) async fn acknowledges(&mut self, more: u64) {
        let before = *self.acknowledged.borrow();
        let reached = |count: &u64| *count >= before + more;
        self.acknowledged.wait_for(reached).await.unwrap();
    }

    /// Ends the writers, and checks that the log has what they were told and no more. Returns the number of appends.
    pub(crate) async fn check(self, log: &Arc<PostgresLog>) -> u64 {
        self.end.send_replace(true);
        for (of, head) in self.writers.join_all().await {
            let mut after = Sequence::START;
            loop {
                let page = log.read(of, after, usize::MAX).await.unwrap();
                for (sequence, read) in &page {
                    assert_eq!(*read, record(of, *sequence), "{of} at {sequence}");
                }
                let Some((last, _)) = page.last() else {
                    break;
                };
                after = *last;
            }
            assert_eq!(after, head, "{of} ends where its writer was told");
            assert_eq!(log.head(of).await.unwrap(), head);
        }
        *self.acknowledged.borrow()
    }
}
