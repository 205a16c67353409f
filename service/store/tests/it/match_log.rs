use std::{
    error::Error,
    sync::{Arc, Mutex},
    time::Duration,
};

use dragontooth_games::Seat;
use dragontooth_games::chance::Seed;
use dragontooth_service_domain::{Command, Decided, MatchState, Misfit, create, decide};
use dragontooth_service_store::{
    Append, AppendError, ChainHead, Close, Durability, EventLog, Failed, LogAnswer,
    MAX_APPEND_RECORDS, MatchLog, MatchLogError, MemoryLog, NumberedRecords, ReadError, SEAL_BYTES,
    StoredMatch, StreamId, decode,
};
use dragontooth_service_vocabulary::{
    MatchEvent, MatchId, MatchSeed, NewMatch, PlayerId, PlayerName, Recorded, RequestId, SeedText,
    Sequence, Termination, TimeControl, Timestamp, Title,
};
use futures::TryStreamExt;

use crate::{
    corpus,
    golden::{self, ID},
};

const ANN: PlayerId = PlayerId::from_bytes([0xaa; 16]);
const BOB: PlayerId = PlayerId::from_bytes([0xbb; 16]);
const HOST: PlayerId = PlayerId::from_bytes([0xc0; 16]);
const NOON: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

/// Notes which appends may be answered early.
#[derive(Debug, Default)]
struct NotedLog {
    log: MemoryLog,
    early: Mutex<Vec<bool>>,
}

impl EventLog for NotedLog {
    fn append(&self, stream: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        self.early.lock().unwrap().push(false);
        self.log.append(stream, expected, records)
    }

    fn append_early(
        &self,
        stream: StreamId,
        expected: Sequence,
        records: Vec<Vec<u8>>,
    ) -> Append<'_> {
        self.early.lock().unwrap().push(true);
        self.log.append(stream, expected, records)
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

/// The end of a match is durable before anyone sees it, and without being asked for something else every event is.
#[tokio::test]
async fn durability_by_the_match_is_that_of_its_end() {
    for durability in [Durability::Action, Durability::Match] {
        let noted = Arc::new(NotedLog::default());
        let log = MatchLog::new(noted.clone()).with_durability(durability);
        let events = corpus::play("kamisado", ID, 1);
        let mut head = MatchLog::start(ID);
        for Recorded { time, event, .. } in &events {
            let event = std::slice::from_ref(event);
            head = log.append(ID, head, *time, event).await.unwrap();
        }
        let mut expected = vec![durability == Durability::Match; events.len()];
        *expected.last_mut().unwrap() = false;
        assert_eq!(*noted.early.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn the_golden_match_replays() {
    let log = stored(golden::a_match()).await;
    let state = log.replay(ID).await.unwrap().unwrap();
    let result = state.result().unwrap();
    assert_eq!(result.winner, Some(Seat::Second));
    assert_eq!(result.termination, Termination::Normal);
    assert_eq!(
        state.ended_at(),
        Some(NOON.after(Duration::from_millis(8_250)))
    );
    assert_eq!(state.head(), Sequence(11));
    assert_eq!(state.ply(), 3);
    assert_eq!(state.play().score().to_string(), "0-1");
    let remaining = Seat::BOTH.map(|seat| state.clocks().remaining(seat));
    let left = [1_000, 5_750].map(|ms| Some(Duration::from_millis(ms)));
    assert_eq!(remaining, left);
}

/// The same commands at the same times lead to the same events. (The version that wrote the golden
/// match did not record when an action was received, nor for how many matches a seed is.)
#[tokio::test]
async fn the_golden_match_is_played_again() {
    let log = Arc::new(MemoryLog::new());
    let matches = MatchLog::new(Arc::clone(&log) as Arc<dyn EventLog>);
    let new = NewMatch {
        target: 1,
        time_controls: [Some(TimeControl::Fischer {
            base: Duration::from_secs(5),
            increment: Duration::from_secs(1),
        }); 2],
        title: Title::new("a golden match").unwrap(),
        reserved: [Some(ANN), Some(BOB)],
        request_id: Some(request("create-1")),
        ..to_three("standard")
    };
    let mut live = Live::start(&matches, &new).await;
    live.ask(1_000, &join(ANN, "Ann")).await;
    live.ask(1_000, &join(BOB, "Bob")).await;
    live.ask(1_500, &act(ANN, 4, "c1a3", "1")).await;
    live.ask(250, &act(BOB, 5, "b8h2", "1")).await;
    live.ask(4_500, &act(ANN, 6, "a3e7", "2")).await;
    let records = log
        .read(StreamId(ID.bytes()), 0.into(), 100)
        .await
        .unwrap()
        .into_iter()
        .map(|(_, record)| as_now(&record[SEAL_BYTES..]));
    let golden = golden::a_match();
    let golden = golden.iter().map(|record| as_now(record));
    assert_eq!(records.collect::<Vec<_>>(), golden.collect::<Vec<_>>());
}

fn as_now(record: &[u8]) -> (Timestamp, MatchEvent) {
    let (time, mut event) = decode(record).unwrap();
    if let MatchEvent::ActionPlayed { received, .. } = &mut event {
        *received = None;
    }
    if let MatchEvent::Created(created) = &mut event
        && let MatchSeed::Given(text) = &created.seed
    {
        created.seed = MatchSeed::Shared(text.clone().into());
    }
    (time, event)
}

#[tokio::test]
async fn a_match_that_was_stored_replays_to_the_match_as_it_is() {
    for variant in ["standard", "random"] {
        let matches = MatchLog::new(Arc::new(MemoryLog::new()));
        let mut live = Live::start(&matches, &to_three(variant)).await;
        live.ask(0, &join(ANN, "Ann")).await;
        live.ask(0, &join(BOB, "Bob")).await;
        let mut turn = 0;
        while let Some(due) = live.state.due() {
            let player = live.state.seated(due.seat).unwrap().player;
            let mut actions = live.state.play().legal_actions();
            turn += 1;
            let action = actions.swap_remove(turn * 7 % actions.len());
            let id = format!("request-{turn}");
            let command = act(player, due.decision.0, &action, &id);
            live.ask(turn as u64 % 900, &command).await;
            let replayed = matches.replay(ID).await.unwrap().unwrap();
            assert_eq!(format!("{replayed:?}"), format!("{:?}", live.state));
            assert_eq!(replayed.chain_head(), live.state.chain_head());
        }
        assert!(live.state.result().is_some());
        assert!(live.longest_append < MAX_APPEND_RECORDS);
    }
}

#[tokio::test]
async fn events_are_read_in_pages() {
    let log = stored(golden::a_match()).await;
    let start = MatchLog::start(ID);
    let all = log.read(ID, start, 100).await.unwrap();
    assert_eq!(all.len(), 11);
    for (sequence, entry) in (1..).map(Sequence).zip(&all) {
        assert_eq!(entry.recorded.sequence, sequence);
        assert_eq!(entry.head.sequence.0, sequence.0);
        let payload = &golden::a_match()[index(sequence)];
        assert_eq!(&entry.payload, payload);
        let decoded = (entry.recorded.time, entry.recorded.event.clone());
        assert_eq!(decode(payload).unwrap(), decoded);
    }
    assert_eq!(log.read(ID, all[2].head, 4).await.unwrap(), all[3..7]);
    assert_eq!(log.read(ID, all[9].head, 100).await.unwrap(), all[10..]);
    for (after, limit) in [(all[10].head, 100), (start, 0)] {
        assert_eq!(log.read(ID, after, limit).await.unwrap(), []);
    }
}

#[tokio::test]
async fn there_is_nothing_of_an_unknown_match() {
    let log = stored(golden::a_match()).await;
    let other = MatchId::from_bytes([2; 16]);
    let start = MatchLog::start(other);
    assert_eq!(log.read(other, start, 10).await.unwrap(), []);
    assert!(log.replay(other).await.unwrap().is_none());
    assert_eq!(ids(&log).await, [ID]);
    assert_eq!(ids(&MatchLog::new(Arc::new(MemoryLog::new()))).await, []);
}

#[tokio::test]
async fn matches_are_listed_in_the_order_of_their_ids() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    let new = to_three("standard");
    for byte in [9, 1, 200, 5] {
        let id = MatchId::from_bytes([byte; 16]);
        let first = [create(&new, HOST, id, &drawn()).unwrap()];
        let start = MatchLog::start(id);
        log.append(id, start, NOON, &first).await.unwrap();
    }
    let expected = [1, 5, 9, 200].map(|byte| MatchId::from_bytes([byte; 16]));
    assert_eq!(ids(&log).await, expected);
}

#[tokio::test]
async fn an_append_says_what_it_follows() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    let first = [create(&to_three("standard"), HOST, ID, &drawn()).unwrap()];
    let start = MatchLog::start(ID);
    let head = log.append(ID, start, NOON, &first).await.unwrap();
    for sequence in [0, 2] {
        let sequence = sequence.into();
        let other = ChainHead { sequence, ..head };
        let refused = log.append(ID, other, NOON, &first).await;
        assert!(
            matches!(refused, Err(AppendError::Conflict { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(log.append(ID, head, NOON, &[]).await.unwrap(), head);
    assert_eq!(log.read(ID, start, 10).await.unwrap().len(), 1);

    assert!(log.health().is_ok());
    log.close().await;
    assert!(matches!(log.health(), Err(AppendError::Closed)));
    let refused = log.append(ID, head, NOON, &first).await;
    assert!(matches!(refused, Err(AppendError::Closed)), "{refused:?}");
}

#[tokio::test]
async fn a_damaged_event_is_told_with_its_number() {
    for damaged in 1..=11 {
        let mut records = golden::a_match();
        let before = golden::head(ID, &records[..index(Sequence(damaged))]);
        records[index(Sequence(damaged))].pop();
        let log = stored(records).await;
        let start = MatchLog::start(ID);
        for error in [
            log.replay(ID).await.unwrap_err(),
            log.read(ID, start, 100).await.unwrap_err(),
            log.read(ID, before, 1).await.unwrap_err(),
        ] {
            assert!(
                matches!(error, MatchLogError::Damaged { sequence, .. } if sequence.0 == damaged),
                "{error:?}"
            );
            assert_eq!(error.to_string(), format!("event {damaged} is damaged"));
            assert!(error.source().is_some());
        }
        let before = index(Sequence(damaged));
        assert_eq!(log.read(ID, start, before).await.unwrap().len(), before);
    }
}

#[tokio::test]
async fn an_event_that_does_not_fit_is_told_with_its_number() {
    for missing in 1..11 {
        let mut records = golden::a_match();
        records.remove(index(Sequence(missing)));
        let log = stored(records).await;
        let MatchLogError::Inconsistent(inconsistent) = log.replay(ID).await.unwrap_err() else {
            panic!("every event can be read");
        };
        assert!(inconsistent.sequence.0 >= missing, "{inconsistent}");
        assert_ne!(inconsistent.why, Misfit::Gap);
    }
}

/// A log that has come under the name of another match is none of that one's.
#[tokio::test]
async fn the_log_of_another_match_is_refused() {
    let log = MatchLog::new(Arc::new(MemoryLog::new()));
    let other = MatchId::from_bytes([2; 16]);
    let first = [create(&to_three("standard"), HOST, other, &drawn()).unwrap()];
    let start = MatchLog::start(ID);
    log.append(ID, start, NOON, &first).await.unwrap();
    let refused = log.replay(ID).await.unwrap_err();
    assert!(
        matches!(refused, MatchLogError::OtherMatch(id) if id == other),
        "{refused}"
    );
}

/// Any single bit of a log may be wrong. `chain` tests that format 2 finds every one.
#[tokio::test]
async fn no_damage_of_a_log_of_format_1_breaks_a_replay() {
    let golden = golden::a_match();
    for at in 0..golden.len() {
        for bit in 0..golden[at].len() * 8 {
            let mut records = golden.clone();
            records[at][bit / 8] ^= 1 << (bit % 8);
            match stored(records).await.replay(ID).await {
                Ok(state) => assert_eq!(state.unwrap().head(), Sequence(11)),
                Err(
                    MatchLogError::Damaged { sequence, .. } | MatchLogError::Chain { sequence, .. },
                ) => assert_eq!(index(sequence), at),
                Err(MatchLogError::Inconsistent(inconsistent)) => {
                    assert!(index(inconsistent.sequence) >= at, "{inconsistent}");
                }
                Err(MatchLogError::OtherMatch(_)) => assert_eq!(at, 0),
                Err(MatchLogError::Read(error)) => panic!("{error}"),
            }
        }
    }
}

fn drawn() -> Seed {
    Seed::from_bytes([7; Seed::BYTES])
}

/// A match that is played while its events are stored.
struct Live<'a> {
    log: &'a MatchLog,
    state: StoredMatch,
    now: Timestamp,
    longest_append: usize,
}

impl<'a> Live<'a> {
    async fn start(log: &'a MatchLog, new: &NewMatch) -> Self {
        let event = create(new, HOST, ID, &drawn()).unwrap();
        let first = Recorded {
            sequence: Sequence(1),
            time: NOON,
            event: event.clone(),
        };
        let start = MatchLog::start(ID);
        let head = log.append(ID, start, NOON, &[event]).await.unwrap();
        Self {
            log,
            state: StoredMatch::new(MatchState::new(&first).unwrap(), head),
            now: NOON,
            longest_append: 1,
        }
    }

    async fn ask(&mut self, wait_ms: u64, command: &Command) {
        self.now = self.now.after(Duration::from_millis(wait_ms));
        let Decided::Events(events) = decide(&self.state, command, self.now).unwrap() else {
            panic!("{command:?} is a new request");
        };
        let before = self.state.chain_head();
        let head = self.log.append(ID, before, self.now, &events).await;
        self.longest_append = self.longest_append.max(events.len());
        let sequences = (self.state.head().0 + 1..).map(Sequence);
        let recorded: Vec<_> = sequences
            .zip(events)
            .map(|(sequence, event)| Recorded {
                sequence,
                time: self.now,
                event,
            })
            .collect();
        self.state.evolve(&recorded, head.unwrap());
    }
}

/// A log of one match with these records.
pub(crate) async fn stored(records: Vec<Vec<u8>>) -> MatchLog {
    let log = MemoryLog::new();
    let stream = StreamId(ID.bytes());
    log.append(stream, 0.into(), records).await.unwrap();
    MatchLog::new(Arc::new(log))
}

async fn ids(log: &MatchLog) -> Vec<MatchId> {
    log.ids().try_collect().await.unwrap()
}

/// The place of an event in a list, from 0.
fn index(sequence: Sequence) -> usize {
    usize::try_from(sequence.0 - 1).unwrap()
}

fn to_three(variant: &str) -> NewMatch {
    NewMatch {
        variant: Some(variant.to_owned()),
        time_controls: [Some(TimeControl::Delay {
            base: Duration::from_mins(1),
            delay: Duration::from_millis(500),
        }); 2],
        seed: Some(SeedText::new("seed").unwrap().into()),
        ..NewMatch::new("kamisado", 3)
    }
}

fn join(player: PlayerId, name: &str) -> Command {
    Command::Join {
        player,
        seat: None,
        name: PlayerName::new(name).unwrap().into(),
        seed: None,
        request_id: None,
    }
}

fn act(player: PlayerId, decision: u64, action: &str, id: &str) -> Command {
    Command::Act {
        player,
        decision: Sequence(decision),
        action: action.to_owned(),
        thinking: None,
        request_id: Some(request(id)),
    }
}

fn request(id: &str) -> RequestId {
    RequestId::new(id).unwrap()
}
