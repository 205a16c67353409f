//! The end of a service whose log answers nobody.

use std::sync::atomic::{AtomicUsize, Ordering};

use dragontooth_service_client::{
    Answer, Client, ClientError, Closing, MatchResignation, PlayEvent, PlayOptions, PlayReceiver,
    PlaySender, Reason,
};
use dragontooth_service_store::{
    Append, AppendError, Close, Failed, LogAnswer, NumberedRecords, ReadError, StreamId,
};
use dragontooth_service_vocabulary::{CloseReason, MatchId, NewMatch, PlayerId, Sequence};
use tokio::sync::watch;

use super::test_service::{players, seat, serve};
use super::*;

/// A log in memory whose appends wait while it is held.
#[derive(Debug, Default)]
struct HeldLog {
    log: MemoryLog,
    is_held: watch::Sender<bool>,
    waiting: AtomicUsize,
}

impl HeldLog {
    /// Waits until an append waits.
    async fn has_waiting(&self) {
        while self.waiting.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl EventLog for HeldLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(async move {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let mut is_held = self.is_held.subscribe();
            is_held.wait_for(|is_held| !is_held).await.unwrap();
            self.waiting.fetch_sub(1, Ordering::SeqCst);
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
        self.log.health()
    }

    fn failed(&self) -> Failed<'_> {
        self.log.failed()
    }

    fn close(&self) -> Close<'_> {
        self.log.close()
    }
}

/// A service on such a log, with two players in a match. The first has a stream open.
struct Bench {
    log: Arc<HeldLog>,
    service: Service,
    players: [Client; 2],
    id: MatchId,
    sender: PlaySender,
    stream: PlayReceiver,
}

async fn start() -> Bench {
    // No test waits for it: what has begun ends when the log is released.
    start_with(Duration::from_secs(15)).await
}

async fn start_with(shutdown_timeout: Duration) -> Bench {
    let log = Arc::<HeldLog>::default();
    let config = Config {
        shutdown_timeout,
        ..Config::default()
    };
    let service = serve(&log, config).await.unwrap();
    let players = players(&service).await;
    let id = seat(&players, NewMatch::new("kamisado", 1)).await;
    let stream = players[0].play(PlayOptions::default()).await.unwrap();
    log.is_held.send_replace(true);
    Bench {
        log,
        service,
        players,
        id,
        sender: stream.sender,
        stream: stream.receiver,
    }
}

/// Reads a stream to its end, and gives the reason.
async fn closing(stream: &mut PlayReceiver) -> Closing {
    loop {
        let event = stream.next().await.expect("a reason for the end").unwrap();
        if let PlayEvent::Closing(closing) = event {
            return closing;
        }
    }
}

fn assert_draining<T>(answer: Result<T, ClientError>) {
    let Err(ClientError::Refused(refusal)) = answer else {
        panic!("it is not refused");
    };
    assert_eq!(refusal.reason, Reason::Draining);
}

#[tokio::test]
async fn a_change_of_tokens_that_waits_for_the_log_does_not_hold_the_drain() {
    let mut bench = start().await;
    let [first, second] = bench.players.clone();
    let block = |player: &Client, byte| {
        let player = player.clone();
        tokio::spawn(async move { player.block_player(PlayerId::from_bytes([byte; 16])).await })
    };
    let begun = block(&first, 1);
    bench.log.has_waiting().await;
    let waits = block(&second, 2);
    let stopped = tokio::spawn(bench.service.stop());
    let draining = Closing::Reason(CloseReason::Draining);
    assert_eq!(closing(&mut bench.stream).await, draining);
    assert_draining(waits.await.unwrap());
    assert_draining(first.create_match(NewMatch::new("kamisado", 1)).await);
    assert_draining(second.block_player(PlayerId::from_bytes([3; 16])).await);
    bench.log.is_held.send_replace(false);
    begun.await.unwrap().unwrap();
    assert!(stopped.await.unwrap());
}

#[tokio::test]
async fn a_match_that_waits_for_the_log_does_not_hold_the_streams() {
    let mut bench = start().await;
    let (player, id) = (bench.players[1].clone(), bench.id);
    let resigning =
        tokio::spawn(async move { player.resign_match(MatchResignation::by_choice(id)).await });
    bench.log.has_waiting().await;
    let stopped = tokio::spawn(bench.service.stop());
    let draining = Closing::Reason(CloseReason::Draining);
    assert_eq!(closing(&mut bench.stream).await, draining);
    bench.log.is_held.send_replace(false);
    resigning.await.unwrap().unwrap();
    assert!(stopped.await.unwrap());
}

#[tokio::test]
async fn a_log_that_answers_nobody_is_not_closed() {
    let bench = start_with(Duration::from_millis(100)).await;
    let (player, id) = (bench.players[1].clone(), bench.id);
    let resigning =
        tokio::spawn(async move { player.resign_match(MatchResignation::by_choice(id)).await });
    bench.log.has_waiting().await;
    assert!(!bench.service.stop().await);
    resigning.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn what_a_match_has_received_is_answered_before_the_end() {
    let mut bench = start().await;
    let decision = loop {
        let event = bench.stream.next().await.unwrap().unwrap();
        if let PlayEvent::Decision(decision) = event {
            break decision;
        }
    };
    let answer = Answer {
        match_id: bench.id,
        decision_id: decision.id,
        action: decision.legal_actions[0].clone(),
        request_id: None,
        thinking: None,
    };
    let unknown = Answer {
        match_id: MatchId::from_bytes([9; 16]),
        ..answer.clone()
    };
    bench.sender.answer(answer.clone()).await.unwrap();
    bench.log.has_waiting().await;
    for _ in 0..10 {
        bench.sender.answer(answer.clone()).await.unwrap();
    }
    // Requests of a stream are taken in order, and this one is refused without waiting.
    bench.sender.answer(unknown.clone()).await.unwrap();
    let refused = loop {
        let event = bench.stream.next().await.unwrap().unwrap();
        if let PlayEvent::Refused(refused) = event {
            break refused;
        }
    };
    assert_eq!(refused.match_id, Some(unknown.match_id));
    let stopped = tokio::spawn(bench.service.stop());
    let resignation = MatchResignation::by_choice(unknown.match_id);
    while bench.players[1].resign_match(resignation.clone()).await.is_err_and(|error| {
        !matches!(error, ClientError::Refused(refusal) if refusal.reason == Reason::Draining)
    }) {}
    bench.log.is_held.send_replace(false);
    let mut answers = 0;
    let closing = loop {
        let event = bench.stream.next().await.unwrap().unwrap();
        if let PlayEvent::Closing(closing) = event {
            break closing;
        }
        // The first is accepted; the others are stale then.
        let is_answer = matches!(event, PlayEvent::Accepted(_) | PlayEvent::Refused(_));
        answers += usize::from(is_answer);
    };
    assert_eq!(closing, Closing::Reason(CloseReason::Draining));
    assert_eq!(answers, 11);
    assert!(stopped.await.unwrap());
}
