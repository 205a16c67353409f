//! A log that goes away and comes back: no clock runs meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use dragontooth_service_client::MatchView;
use dragontooth_service_store::{
    Append, AppendError, Close, Failed, LogAnswer, NumberedRecords, ReadError, StorageError,
    StreamId,
};
use dragontooth_service_vocabulary::{NewMatch, Sequence, Stage, Termination, TimeControl};
use tokio::sync::watch;

use super::test_service::{players, seat, serve};
use super::*;

const LIMIT: Duration = Duration::from_secs(20);

/// A log in memory that may be away.
#[derive(Debug)]
struct AwayLog {
    log: MemoryLog,
    available: watch::Sender<bool>,
    refused: AtomicUsize,
}

impl EventLog for AwayLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(async move {
            if let Err(away) = self.health() {
                self.refused.fetch_add(1, Ordering::SeqCst);
                return Err(away);
            }
            self.log.append(stream, expected, records).await
        })
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        self.log.read(stream, after, limit)
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        self.log.head(stream)
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        self.log.streams(after, limit)
    }

    fn health(&self) -> Result<(), AppendError> {
        if *self.available.borrow() {
            return Ok(());
        }
        let away = std::io::Error::from(std::io::ErrorKind::NotConnected);
        let away = StorageError::new("reach the log", away);
        Err(AppendError::Unavailable(away))
    }

    fn failed(&self) -> Failed<'_> {
        self.log.failed()
    }

    fn availability(&self) -> Option<watch::Receiver<bool>> {
        Some(self.available.subscribe())
    }

    fn close(&self) -> Close<'_> {
        self.log.close()
    }
}

#[tokio::test]
async fn no_clock_runs_while_the_log_is_away() {
    let log = Arc::new(AwayLog {
        log: MemoryLog::new(),
        available: watch::Sender::new(true),
        refused: AtomicUsize::new(0),
    });
    tokio::time::pause();
    // A paused clock runs ahead while the runtime only waits, except during a blocking call.
    let (_held, dropped) = mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || dropped.recv());
    let service = serve(&log, Config::default()).await.unwrap();
    let players = players(&service).await;
    let limit = TimeControl::PerAction { limit: LIMIT };
    let new = NewMatch {
        time_controls: [Some(limit); 2],
        ..NewMatch::new("kamisado", 1)
    };
    let id = seat(&players, new).await;
    let view = async || players[0].get_match(id).await.unwrap();
    let before = view().await;

    log.available.send_replace(false);
    tokio::time::advance(LIMIT * 10).await;
    // The clock runs out, and nothing can be made of it.
    while log.refused.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    log.available.send_replace(true);
    let after = loop {
        let after: MatchView = view().await;
        if after.deadline != before.deadline {
            break after;
        }
    };
    assert_eq!(after.state, Stage::Active);
    let waited = after
        .deadline
        .unwrap()
        .duration_since(before.deadline.unwrap());
    assert!(waited.unwrap() >= LIMIT * 10);

    tokio::time::advance(LIMIT + Duration::from_millis(2)).await;
    let ended = loop {
        let ended = view().await;
        if ended.state == Stage::Ended {
            break ended;
        }
    };
    assert_eq!(ended.outcome.unwrap().termination, Termination::Timeout);
    tokio::time::resume();
}
