//! A log whose answers have to be waited for, as those of one behind a network.

use std::sync::Mutex;
use std::{future, io};

use dragontooth_service_client::{
    Answer, Client, MatchFilter, MatchResignation, Resume, WatchUpdate, WatchedEvent,
};
use dragontooth_service_store::{
    Append, AppendError, Close, Failed, LogAnswer, NumberedRecords, ReadError, StorageError,
    StreamId, VisitedStream,
};
use dragontooth_service_vocabulary::{MatchId, NewMatch, Sequence, Stage};
use futures::FutureExt;

use super::test_service::{self, players};
use super::*;
use crate::config::Limits;

/// Answers nothing at once. It outlives the services that close it.
#[derive(Debug, Default)]
struct LateLog {
    log: MemoryLog,
    /// The stream that cannot be read at the moment.
    unreadable: Mutex<Option<StreamId>>,
}

fn later<'a, T: Send + 'a>(answer: LogAnswer<'a, T>) -> LogAnswer<'a, T> {
    let late = async {
        // The answer comes from another task.
        let answered = tokio::spawn(tokio::task::yield_now());
        answered.await.unwrap();
        answer.await
    };
    late.boxed().right_future()
}

impl EventLog for LateLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        self.log.append(stream, expected, records)
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        if *self.unreadable.lock().unwrap() == Some(stream) {
            let error = StorageError::new("reach the database", io::Error::other("it is away"));
            return later(future::ready(Err(ReadError::Storage(error))).left_future());
        }
        later(self.log.read(stream, after, limit))
    }

    fn head(&self, stream: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        later(self.log.head(stream))
    }

    fn streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        later(self.log.streams(after, limit))
    }

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        later(self.log.summary(stream))
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        later(self.log.keep_summary(stream, summary))
    }

    fn visit<'a>(
        &'a self,
        each: &'a mut (dyn FnMut(VisitedStream<'_>) + Send),
    ) -> LogAnswer<'a, Result<(), ReadError>> {
        later(self.log.visit(each))
    }

    fn secret_key(&self, fresh: [u8; 32]) -> LogAnswer<'_, Result<[u8; 32], StorageError>> {
        later(self.log.secret_key(fresh))
    }

    fn health(&self) -> Result<(), AppendError> {
        self.log.health()
    }

    fn failed(&self) -> Failed<'_> {
        self.log.failed()
    }

    fn close(&self) -> Close<'_> {
        Box::pin(future::ready(()))
    }
}

async fn serve(log: &Arc<LateLog>) -> Result<Service, StartError> {
    let config = Config {
        limits: Limits {
            // So that what has ended is read.
            kept_states: 0,
            ..Limits::default()
        },
        ..Config::default()
    };
    test_service::serve(log, config).await
}

/// A service with two players.
async fn start(log: &Arc<LateLog>) -> (Service, [Client; 2]) {
    let service = serve(log).await.unwrap();
    let players = players(&service).await;
    (service, players)
}

async fn seat(players: &[Client; 2]) -> MatchId {
    test_service::seat(players, NewMatch::new("kamisado", 1)).await
}

/// Plays this many actions.
async fn act(players: &[Client; 2], id: MatchId, actions: usize) {
    for _ in 0..actions {
        let due = players[0].get_decision(id).await.unwrap();
        let answer = Answer {
            match_id: id,
            decision_id: due.id,
            action: due.legal_actions[0].clone(),
            request_id: None,
            thinking: None,
        };
        let player = &players[due.seat.index()];
        player.submit_action(answer).await.unwrap();
    }
}

/// The events of a match up to one.
async fn watched(player: &Client, id: MatchId, head: Sequence) -> Vec<WatchedEvent> {
    let mut watch = player.watch(id, Sequence::START, Resume::Never);
    let mut events = Vec::new();
    while events.len() as u64 != head.0 {
        if let WatchUpdate::Events(more) = watch.next().await.unwrap().unwrap() {
            events.extend(more);
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_waits_for_a_log_behind_a_network() {
    let log = Arc::<LateLog>::default();
    let (service, players) = start(&log).await;
    let (over, live) = (seat(&players).await, seat(&players).await);
    act(&players, over, 5).await;
    let resigned = MatchResignation::by_choice(over);
    players[1].resign_match(resigned).await.unwrap();
    act(&players, live, 3).await;
    let mut before = Vec::new();
    for id in [over, live] {
        let view = players[0].get_match(id).await.unwrap();
        let events = watched(&players[0], id, view.head_sequence).await;
        before.push((view, events));
    }
    service.stop().await;

    let (service, players) = start(&log).await;
    for (view, events) in before {
        let again = players[0].get_match(view.id).await.unwrap();
        assert_eq!(again.head_hash, view.head_hash);
        assert_eq!(
            (again.position, again.outcome),
            (view.position, view.outcome)
        );
        let head = view.head_sequence;
        assert_eq!(watched(&players[1], view.id, head).await, events);
        let exported = players[0].export_match(view.id, None).await.unwrap();
        assert_eq!(exported.events, events);
        let verified = players[0].verify_match(view.id).await.unwrap();
        assert_eq!(verified.fault, None);
    }
    let ended = MatchFilter {
        state: Some(Stage::Ended),
        ..MatchFilter::default()
    };
    let listed = players[0].list_matches(ended, None).await.unwrap().items;
    let listed: Vec<_> = listed.iter().map(|view| view.id).collect();
    assert_eq!(listed, [over]);
    act(&players, live, 2).await;
    service.stop().await;
}

/// A match is neither left out because the log is away for a moment, nor taken for damaged.
#[tokio::test]
async fn a_service_that_cannot_read_the_log_does_not_start() {
    let log = Arc::<LateLog>::default();
    let (service, players) = start(&log).await;
    let mut open = Vec::new();
    // More than are read at once.
    for _ in 0..40 {
        let created = players[0].create_match(NewMatch::new("linja", 1)).await;
        open.push(created.unwrap().id);
    }
    service.stop().await;

    *log.unreadable.lock().unwrap() = Some(StreamId(open[20].bytes()));
    let refused = serve(&log).await.unwrap_err();
    assert!(matches!(refused, StartError::Read(_)), "{refused:?}");

    *log.unreadable.lock().unwrap() = None;
    let (service, players) = start(&log).await;
    let listed = players[0].list_matches(MatchFilter::default(), None).await;
    let listed = listed.unwrap().items.into_iter().map(|view| view.id);
    assert!(listed.eq(open.into_iter().rev()));
    service.stop().await;
}
