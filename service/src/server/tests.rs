//! Readers do not hold up players: a log whose disk answers nobody, and one that counts what is read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use dragontooth_games::Seat;
use dragontooth_service_client::{
    Answer, Client, ClientError, MatchFilter, MatchResignation, MatchView, Reason, Resume,
};
use dragontooth_service_store::{
    Append, AppendError, Close, Failed, LogAnswer, NumberedRecords, ReadError, StorageError,
    StreamId,
};
use dragontooth_service_vocabulary::{MatchId, NewMatch, Sequence};
use futures::future::{join_all, select_all};
use tokio::task::JoinHandle;

use super::test_service::{self, client, players, serve};
use super::*;
use crate::config::Limits;

/// The time after which a read that nothing releases goes on, so that a test that fails ends.
const PATIENCE: Duration = Duration::from_secs(30);

/// Number of callers that read without pause.
const READERS: usize = 8;

/// A log whose reads wait while the disk is held.
#[derive(Debug, Default)]
struct HeldDisk {
    log: MemoryLog,
    state: Mutex<Held>,
    changed: Condvar,
    /// Number of logs read from their beginning. The end of one is also read in the background, to summarise it.
    replays: AtomicUsize,
}

#[derive(Debug, Default)]
struct Held {
    until_released: bool,
    waiting: usize,
    /// Number of reads that waited in vain.
    gave_up: usize,
}

impl HeldDisk {
    fn hold(&self, until_released: bool) {
        self.state.lock().unwrap().until_released = until_released;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        let waited = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| state.until_released);
        let (mut state, timeout) = waited.unwrap();
        state.waiting -= 1;
        state.gave_up += usize::from(timeout.timed_out());
    }

    /// The numbers of reads that wait, and that waited in vain.
    fn readers(&self) -> (usize, usize) {
        let state = self.state.lock().unwrap();
        (state.waiting, state.gave_up)
    }
}

impl EventLog for HeldDisk {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        self.log.append(stream, expected, records)
    }

    fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        if after == Sequence::START {
            self.replays.fetch_add(1, Ordering::Relaxed);
        }
        self.wait();
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

    fn summary(&self, stream: StreamId) -> LogAnswer<'_, Result<Option<Vec<u8>>, ReadError>> {
        self.wait();
        self.log.summary(stream)
    }

    fn keep_summary(
        &self,
        stream: StreamId,
        summary: Option<Vec<u8>>,
    ) -> LogAnswer<'_, Result<(), StorageError>> {
        self.log.keep_summary(stream, summary)
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

/// A service on such a disk with two ended matches and one under way.
struct Bench {
    disk: Arc<HeldDisk>,
    service: Service,
    players: [Client; 2],
    ended: Vec<MatchId>,
    live: MatchView,
}

impl Bench {
    async fn start(limits: &Limits) -> Self {
        let disk = Arc::<HeldDisk>::default();
        let config = Config {
            limits: *limits,
            ..Config::default()
        };
        let service = serve(&disk, config).await.unwrap();
        let players = players(&service).await;
        let mut ended = Vec::new();
        for _ in 0..2 {
            let view = seat(&players).await;
            let resigned = MatchResignation::by_choice(view.id);
            players[0].resign_match(resigned).await.unwrap();
            ended.push(view.id);
        }
        let live = seat(&players).await;
        // Their summaries are made a moment after they are over.
        for id in &ended {
            let stream = StreamId(id.bytes());
            while disk.log.summary(stream).await.unwrap().is_none() {
                tokio::task::yield_now().await;
            }
        }
        Self {
            disk,
            service,
            players,
            ended,
            live,
        }
    }

    /// Lets callers list, export, verify and watch ended matches, each without waiting for the others.
    async fn read_without_pause(&self) -> Vec<JoinHandle<Result<(), ClientError>>> {
        let mut calls = Vec::new();
        for number in 0..READERS {
            let reader = client(&self.service, &format!("the-reader-{number:08}")).await;
            let id = self.ended[number % self.ended.len()];
            let lists = reader.clone();
            calls.push(tokio::spawn(async move {
                let listed = lists.list_matches(MatchFilter::default(), None);
                listed.await.map(drop)
            }));
            let exports = reader.clone();
            calls.push(tokio::spawn(async move {
                exports.export_match(id, None).await.map(drop)
            }));
            let verifies = reader.clone();
            calls.push(tokio::spawn(async move {
                verifies.verify_match(id).await.map(drop)
            }));
            let gets = reader.clone();
            calls.push(tokio::spawn(
                async move { gets.get_match(id).await.map(drop) },
            ));
            calls.push(tokio::spawn(async move {
                let mut watch = reader.watch(id, Sequence::START, Resume::Never);
                watch.next().await.expect("a match has events").map(drop)
            }));
        }
        calls
    }

    /// Waits until this many reads wait for the disk.
    async fn held(&self, waiting: usize) {
        while self.disk.readers().0 < waiting {
            tokio::task::yield_now().await;
        }
    }
}

async fn seat(players: &[Client; 2]) -> MatchView {
    let id = test_service::seat(players, NewMatch::new("kamisado", 1)).await;
    players[0].get_match(id).await.unwrap()
}

/// The states of ended matches are not cached, so that each read goes to the disk.
fn uncached() -> Limits {
    Limits {
        kept_states: 0,
        ..Limits::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_acts_while_all_readers_wait_for_the_disk() {
    let bench = Bench::start(&uncached()).await;
    bench.disk.hold(true);
    let reading = bench.read_without_pause().await;
    bench.held(uncached().replay_threads).await;
    for (player, seat) in bench.players.iter().zip(Seat::BOTH) {
        let due = player.get_decision(bench.live.id).await.unwrap();
        assert_eq!(due.seat, seat);
        let answer = Answer {
            match_id: bench.live.id,
            decision_id: due.id,
            action: due.legal_actions[0].clone(),
            request_id: None,
            thinking: None,
        };
        player.submit_action(answer).await.unwrap();
    }
    let (waiting, gave_up) = bench.disk.readers();
    assert_eq!(gave_up, 0, "the players have waited for the readers");
    assert_eq!(waiting, uncached().replay_threads);
    bench.disk.hold(false);
    for read in join_all(reading).await {
        read.unwrap().unwrap();
    }
    bench.service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_the_disk_is_bounded_for_each_caller() {
    let limits = Limits {
        replay_threads: 1,
        replays_of_caller: 1,
        ..uncached()
    };
    let bench = Bench::start(&limits).await;
    bench.disk.hold(true);
    let [one, other] = [
        client(&bench.service, "the-greedy-reader").await,
        client(&bench.service, "the-modest-reader").await,
    ];
    let id = bench.ended[0];
    let get = |client: &Client| {
        let client = client.clone();
        tokio::spawn(async move { client.get_match(id).await })
    };
    let first = get(&one);
    bench.held(1).await;
    // One of them waits for its turn.
    let mut more = vec![get(&one), get(&one), get(&one)];
    while more.len() > 1 {
        let (refused, _, rest) = select_all(more).await;
        more = rest;
        let Err(ClientError::Refused(refusal)) = refused.unwrap() else {
            panic!("another read waits");
        };
        assert_eq!(refusal.reason, Reason::LimitReached);
        assert_eq!(refusal.metadata["limit"], "replays_of_caller");
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(1)));
    }
    let modest = get(&other);
    bench.disk.hold(false);
    for granted in more.into_iter().chain([first, modest]) {
        granted.await.unwrap().unwrap();
    }
    bench.service.stop().await;
}

#[tokio::test]
async fn lists_of_ended_matches_read_no_log() {
    let bench = Bench::start(&uncached()).await;
    let replays = || bench.disk.replays.load(Ordering::Relaxed);
    let before = replays();
    let reader = client(&bench.service, "the-reader-of-lists").await;
    let listed = reader.list_matches(MatchFilter::default(), None).await;
    let listed = listed.unwrap().items;
    assert_eq!(listed.len(), bench.ended.len() + 1);
    for id in &bench.ended {
        let view = reader.get_match(*id).await.unwrap();
        assert!(listed.contains(&view));
    }
    assert_eq!(replays(), before, "a list has read a log");
    reader.verify_match(bench.ended[0]).await.unwrap();
    assert!(replays() > before, "a verification has read no log");
    bench.service.stop().await;
}
