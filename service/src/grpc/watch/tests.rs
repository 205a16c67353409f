use std::future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use dragontooth_proto::v1::watch_matches_response::Response as ListResponse;
use dragontooth_service_domain::Command;
use dragontooth_service_store::{
    Append, AppendError, Close, EventLog, Failed, LogAnswer, MatchLog, MemoryLog, NumberedRecords,
    ReadError, StorageError, StreamId, TokenLog,
};
use dragontooth_service_vocabulary::{NewMatch, PlayerName};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::access::{Gate, Tokens};
use crate::config::{AuthMode, Limits};
use crate::grpc::page_tokens::PageTokens;
use crate::grpc::watch_matches::{FirstPage, NewsRelay, watch_matches};
use crate::matches::{Filter, MatchList, Refusal};
use crate::wall_clock::WallClock;

/// A log whose disk is taken away, or whose answers are held back.
#[derive(Debug, Default)]
struct TestLog {
    log: MemoryLog,
    is_lost: AtomicBool,
    is_held: tokio::sync::watch::Sender<bool>,
    is_read_late: AtomicBool,
}

impl EventLog for TestLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(async move {
            let appended = self.log.append(stream, expected, records).await;
            let mut is_held = self.is_held.subscribe();
            let _ = is_held.wait_for(|is_held| !is_held).await;
            appended
        })
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        if self.is_lost.load(Ordering::Relaxed) {
            let source = io::Error::other("it is gone");
            let error = ReadError::Storage(StorageError::new("read", source));
            return future::ready(Err(error)).left_future();
        }
        if self.is_read_late.load(Ordering::Relaxed) {
            return future::pending().boxed().right_future();
        }
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
        self.log.health()
    }

    fn failed(&self) -> Failed<'_> {
        self.log.failed()
    }

    fn close(&self) -> Close<'_> {
        self.log.close()
    }
}

/// The matches of a service on a log, and what ends its streams.
async fn serve(log: Arc<TestLog>) -> (Arc<Matches>, StreamEnds) {
    let log: Arc<dyn EventLog> = log;
    let clock = WallClock::start();
    let tokens = Tokens::open(TokenLog::new(Arc::clone(&log)), clock.clone())
        .await
        .unwrap();
    let limits = Limits {
        kept_states: 0,
        replay_threads: 1,
        ..Limits::default()
    };
    let names = Arc::clone(&tokens);
    let (matches, _) = Matches::recover(MatchLog::new(log), names, clock, &limits)
        .await
        .unwrap();
    let ends = StreamEnds {
        token: Gate::new(AuthMode::Open, None, tokens).watch(None),
        connection_aged: CancellationToken::new(),
    };
    (matches, ends)
}

/// Creates a match.
async fn create(matches: &Arc<Matches>) -> MatchId {
    let creator = PlayerId::from_bytes([1; 16]);
    let new = NewMatch::new("kamisado", 1);
    matches.create(new, creator).await.unwrap()
}

/// A match can still be watched after the disk fails; it is not reported as damaged.
#[tokio::test]
async fn a_lost_disk_is_no_damage() {
    let disk = Arc::new(TestLog::default());
    let (matches, ends) = serve(Arc::clone(&disk)).await;
    let id = create(&matches).await;
    let viewer = Viewer::default();
    let by = (&viewer, CallerKey::SERVICE);
    let audiences = MatchAudiences::new();
    let watched = watch(Arc::clone(&matches), &audiences, ends, id, by, 0).await;
    let mut watched = watched.unwrap();
    let mut received = async || {
        watched
            .next()
            .await
            .map(|message| message.unwrap().response)
    };
    assert!(matches!(received().await, Some(Some(Response::Batch(_)))));
    disk.is_lost.store(true, Ordering::Relaxed);
    let closing = Closing {
        reason: wire::CloseReason::LogUnavailable.into(),
        resume_after_sequence: 1,
    };
    assert_eq!(received().await, Some(Some(Response::Closing(closing))));
    assert_eq!(received().await, None);

    matches.drain(Duration::MAX).await;
    let refusal = matches.find(id, CallerKey::SERVICE).await.err();
    assert!(
        matches!(refusal, Some(Refusal::LogUnavailable(_))),
        "{refusal:?}"
    );
}

/// An event that is durable is shown once it is part of the match, so that a watcher finds the decision after it.
#[tokio::test]
async fn a_watcher_sees_what_the_match_has() {
    let log = Arc::new(TestLog::default());
    let (matches, ends) = serve(Arc::clone(&log)).await;
    let id = create(&matches).await;
    let join = async |number: u8| {
        let command = Command::Join {
            player: PlayerId::from_bytes([number; 16]),
            seat: None,
            name: PlayerName::new("ann").unwrap().into(),
            seed: None,
            request_id: None,
        };
        matches.ask(id, command).await
    };
    join(1).await.unwrap();
    log.is_held.send_replace(true);
    let look = async {
        while log.head(id.bytes().into()).await.unwrap() == Sequence(2) {
            tokio::task::yield_now().await;
        }
        let viewer = Viewer::default();
        let by = (&viewer, CallerKey::SERVICE);
        let audiences = MatchAudiences::new();
        let watched = watch(Arc::clone(&matches), &audiences, ends, id, by, 0).await;
        let mut watched = watched.unwrap();
        let mut next = async || watched.next().await.unwrap().unwrap().response.unwrap();
        let Response::Batch(early) = next().await else {
            panic!("events come first");
        };
        assert_eq!(early.events.len(), 2);
        let head_sequence = 2;
        assert_eq!(next().await, Response::CaughtUp(CaughtUp { head_sequence }));
        assert!(matches!(next().await, Response::Heartbeat(_)));
        log.is_held.send_replace(false);
        let Response::Batch(rest) = next().await else {
            panic!("the rest follows");
        };
        assert!(rest.events.len() > 1, "the game begins");
    };
    let (joined, ()) = tokio::join!(join(2), look);
    joined.unwrap();
}

/// The next message of a watch, which waits for something: a heartbeat by then.
async fn next_in_silence<T>(watched: &mut BoxStream<'static, Result<T, Status>>) -> T {
    let mut next = watched.next();
    assert!(futures::poll!(&mut next).is_pending());
    tokio::time::advance(HEARTBEAT_INTERVAL).await;
    next.await.unwrap().unwrap()
}

/// A watcher whose events, or matches, wait for a thread of the pool hears that the service is there.
#[tokio::test]
async fn a_read_that_waits_is_no_silence() {
    let (matches, ends) = serve(Arc::default()).await;
    let id = create(&matches).await;
    let command = Command::Abort {
        player: PlayerId::from_bytes([1; 16]),
        request_id: None,
    };
    matches.ask(id, command).await.unwrap();
    let viewer = Viewer::default();
    let by = (&viewer, CallerKey::SERVICE);
    let audiences = MatchAudiences::new();
    let watched = watch(Arc::clone(&matches), &audiences, ends.clone(), id, by, 0).await;
    let mut watched = watched.unwrap();
    let (filter, pages) = (Filter::default(), PageTokens::new([1; 32]));
    let first = FirstPage {
        size: 10,
        pages: pages.matches(&viewer, &filter),
    };
    let (caller, relay) = (CallerKey::SERVICE, NewsRelay::new());
    let list = MatchList { viewer, filter };
    let mut listed = watch_matches(
        Arc::clone(&matches),
        &relay,
        ends,
        caller,
        list,
        first,
        false,
    );

    let (end, ended) = std::sync::mpsc::channel::<()>();
    let (started, start) = tokio::sync::oneshot::channel();
    let other = Arc::clone(&matches);
    let busy = tokio::spawn(async move {
        let wait = async move |_: &Reader| {
            started.send(()).unwrap();
            ended.recv().unwrap_err();
        };
        other.read_anyway(CallerKey::SERVICE, wait).await;
    });
    start.await.unwrap();
    tokio::time::pause();
    for _ in 0..3 {
        let Response::Heartbeat(sent) = next_in_silence(&mut watched).await.response.unwrap()
        else {
            panic!("a heartbeat is due");
        };
        assert_eq!(sent.head_sequence, 0);
        let sent = next_in_silence(&mut listed).await.response.unwrap();
        assert!(matches!(sent, ListResponse::Heartbeat(_)), "{sent:?}");
    }
    drop(end);
    busy.await.unwrap();
    let Response::Batch(batch) = watched.next().await.unwrap().unwrap().response.unwrap() else {
        panic!("the read goes on");
    };
    assert_eq!(batch.events.len(), 2);
    let ListResponse::Batch(batch) = listed.next().await.unwrap().unwrap().response.unwrap() else {
        panic!("the list goes on");
    };
    assert_eq!(batch.changes.len(), 1);
}

/// A watcher whose next events are few, but whose log does not answer, hears that the service is there.
#[tokio::test]
async fn a_log_that_does_not_answer_is_no_silence() {
    let log = Arc::new(TestLog::default());
    let (matches, ends) = serve(Arc::clone(&log)).await;
    let id = create(&matches).await;
    let viewer = Viewer::default();
    let by = (&viewer, CallerKey::SERVICE);
    let audiences = MatchAudiences::new();
    let watched = watch(Arc::clone(&matches), &audiences, ends, id, by, 0).await;
    let mut watched = watched.unwrap();
    log.is_read_late.store(true, Ordering::Relaxed);
    tokio::time::pause();
    for _ in 0..3 {
        let sent = next_in_silence(&mut watched).await.response.unwrap();
        assert!(matches!(sent, Response::Heartbeat(_)), "{sent:?}");
    }
    log.is_read_late.store(false, Ordering::Relaxed);
    let sent = watched.next().await.unwrap().unwrap().response.unwrap();
    assert!(matches!(sent, Response::Batch(_)), "{sent:?}");
}
