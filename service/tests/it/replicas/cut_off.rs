//! A service that does not reach the database for a while, beside one that does.

use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::{Limits, Storage};
use dragontooth_service_client::{MatchFilter, Resume, Watch, WatchUpdate, WatchedEvent};
use dragontooth_service_vocabulary::Sequence;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tonic::Status;
use v1::match_event::Event;
use v1::play_response::Response;
use v1::{CloseReason, Seat, Termination};

use super::matches::exported;
use super::players::nobody_there;
use super::replica;
use crate::database_server::{Server, options};
use crate::long_run::number_of;
use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::random_player::Draws;
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::relay::Relay;
use crate::served::Served;

/// Seconds for which the service is cut off, at least, unless `SERVICE_TEST_CUT_SECONDS` sets another number.
const CUT_SECONDS: usize = 10;

/// The time for an action of the player at the service that is cut off.
const LIMIT: Duration = Duration::from_secs(4);

/// The time that this player waits for an answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time for which players may be away.
const GRACE: Duration = Duration::from_secs(2);

/// The time limit for whatever has to come.
const DEADLINE: Duration = Duration::from_mins(1);

/// A match between a player at the service that is cut off and one at another, who has no clock.
struct Table {
    here: Raw,
    stream: Player,
    opponent: Player,
    /// The players at the other service.
    there: Pair,
    /// The events that a spectator at the service that is cut off sees until the match is over.
    watched: JoinHandle<Vec<WatchedEvent>>,
}

impl Table {
    async fn seat(cut: &Served, whole: &Served, name: &str, grace: Option<Duration>) -> Self {
        let limit = Some(LIMIT.try_into().unwrap());
        let control = v1::TimeControl {
            kind: Some(v1::time_control::Kind::PerAction(
                v1::time_control::PerAction { limit },
            )),
        };
        let new = v1::CreateMatchRequest {
            seat_time_controls: vec![v1::SeatTimeControl {
                seat: Seat::First.into(),
                time_control: Some(control),
            }],
            disconnect_grace: grace.map(|grace| grace.try_into().unwrap()),
            ..to_points(1)
        };
        let here = cut.raw(name).await;
        let against = format!("against-{name}");
        let [creator, first, second] = whole.raws(["creator", name, &against]).await;
        let there = Pair {
            match_id: creator.create(new).await.unwrap().id,
            creator,
            first,
            second,
        };
        let mut stream = Player::open(&here).await;
        let mut opponent = Player::open(&there.second).await;
        here.join(&there.match_id, Seat::First).await.unwrap();
        there
            .second
            .join(&there.match_id, Seat::Second)
            .await
            .unwrap();
        for player in [&mut stream, &mut opponent] {
            assert_eq!(player.opened().await.id, there.match_id);
        }
        act(&mut stream).await;
        let spectator = cut.client("creator").await;
        let mut watch = spectator.watch(there.id(), Sequence::START, Resume::For(DEADLINE));
        let mut events = Vec::new();
        while read(&mut watch, &mut events).await != Watched::Past {}
        Self {
            watched: tokio::spawn(async move {
                while read(&mut watch, &mut events).await != Watched::End {}
                events
            }),
            here,
            stream,
            opponent,
            there,
        }
    }
}

/// A service that reaches the database over a relay.
async fn relayed(server: &Server) -> (Relay, Served) {
    let relay = Relay::to(([127, 0, 0, 1], server.port())).await;
    let address = format!("postgres://postgres@{}/postgres", relay.address());
    let storage = Storage::Postgres(options(&address));
    (relay, Served::start(storage, &Limits::default()).await)
}

fn assert_unavailable(refused: &Status) {
    assert_eq!(reason_of(refused).as_deref(), Some("LOG_UNAVAILABLE"));
}

/// Answers the next decision of a player.
async fn act(player: &mut Player) {
    let due = player.decision().await;
    player.answer(&due, &due.legal_actions[0], "");
    assert_eq!(player.accepted().await.decision_id, due.decision_id);
}

/// A step of a watch.
#[derive(PartialEq)]
enum Watched {
    Events,
    /// All that had happened when it began.
    Past,
    End,
}

/// Reads on, and keeps the events.
async fn read(watch: &mut Watch, events: &mut Vec<WatchedEvent>) -> Watched {
    match watch.next().await.map(Result::unwrap) {
        Some(WatchUpdate::Events(more)) => {
            events.extend(more);
            Watched::Events
        }
        Some(WatchUpdate::Heartbeat { .. }) => Watched::Events,
        Some(WatchUpdate::CaughtUp { .. }) => Watched::Past,
        Some(WatchUpdate::Closing(_)) | None => Watched::End,
    }
}

async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    let done = timeout(DEADLINE, work).await;
    done.unwrap_or_else(|_| panic!("{what}: not in time"))
}

/// A player who has gone to the other service.
struct Moved {
    /// The same request, sent to the service that is cut off.
    asked: JoinHandle<Result<v1::SubmitActionResponse, Status>>,
    stream: Player,
    accepted: u64,
}

impl Moved {
    /// Answers a decision at the service that is cut off, and, when that gives no answer, at the other one.
    async fn from(table: &Table, due: &v1::Decision) -> Self {
        let answer = v1::SubmitActionRequest {
            match_id: due.match_id.clone(),
            decision_id: due.decision_id,
            action: due.legal_actions[0].clone(),
            request_id: "sent-twice".to_owned(),
            thinking: None,
        };
        let (here, sent) = (table.here.clone(), answer.clone());
        let mut asked = tokio::spawn(async move { here.submit(sent).await });
        let answered = timeout(PATIENCE, &mut asked).await;
        assert!(answered.is_err(), "answered without the log: {answered:?}");
        let mut stream = Player::open(&table.there.first).await;
        assert_eq!(stream.opened().await.id, due.match_id);
        let again = stream.decision().await;
        assert_eq!(again.decision_id, due.decision_id);
        stream.answer(&again, &answer.action, &answer.request_id);
        let accepted = stream.accepted().await.sequence;
        Self {
            asked,
            stream,
            accepted,
        }
    }

    /// Reads the stream to the end of the match; it stays open.
    async fn see_the_end(mut self) {
        let message = loop {
            let message = self.stream.next().await;
            if !matches!(message, Response::Decision(_)) {
                break message;
            }
        };
        assert!(matches!(message, Response::MatchClosed(_)), "{message:?}");
    }
}

/// Two matches whose players are at the service when it is cut off: one goes on at the other service, one waits in vain. What has
/// happened meanwhile is the same at both afterwards, and has happened once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_was_cut_off_takes_in_what_has_happened() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (relay, cut) = relayed(&server).await;
    let whole = replica(&server).await;
    let mut goes = Table::seat(&cut, &whole, "goes", Some(GRACE)).await;
    let mut stays = Table::seat(&cut, &whole, "stays", None).await;
    for table in [&mut goes, &mut stays] {
        act(&mut table.opponent).await;
    }
    let due = goes.stream.decision().await;
    stays.stream.decision().await;

    relay.cut();
    let was_cut = Instant::now();
    let mut moved = Moved::from(&goes, &due).await;
    // Others play match after match meanwhile.
    let cut_time = number_of("SERVICE_TEST_CUT_SECONDS", CUT_SECONDS);
    let cut_time = Duration::from_secs(cut_time.try_into().unwrap());
    let mut ids = vec![due.match_id.clone(), stays.there.match_id.clone()];
    while was_cut.elapsed() < cut_time {
        let pair = Pair::seat(&whole).await;
        pair.play_to_the_end(&mut Draws::new(700)).await;
        ids.push(pair.match_id);
    }
    let lost = in_time("the end on time", stays.opponent.closed()).await;
    let refused = in_time("a refusal", goes.here.get(&due.match_id)).await;
    assert_unavailable(&refused.unwrap_err());

    relay.mend();
    let reason = in_time("the end of the older stream", goes.stream.closing()).await;
    assert_eq!(reason, CloseReason::Superseded);
    let closed = in_time("the end of the match", stays.stream.closed()).await;
    assert_eq!(closed, lost);
    let outcome = lost.outcome.unwrap();
    assert_eq!(outcome.termination(), Termination::Timeout);
    assert_eq!(outcome.winner(), Seat::Second);
    let answered = in_time("the answer to the first request", &mut moved.asked).await;
    assert_eq!(answered.unwrap().unwrap().sequence, moved.accepted);
    // By then the player who has only changed its service would be away too.
    ids.push(in_time("the end of the absent", nobody_there(&cut, GRACE * 2)).await);
    for raw in [&goes.here, &goes.there.first] {
        let view = in_time("the match", raw.get(&due.match_id)).await.unwrap();
        assert_eq!(view.state(), v1::MatchState::Active);
        assert_eq!(view.absences, []);
    }
    goes.there.play_to_the_end(&mut Draws::new(701)).await;
    in_time("the last message", moved.see_the_end()).await;

    let creator = whole.client("creator").await;
    for table in [goes, stays] {
        let watched = in_time("what a spectator sees", table.watched).await;
        let record = creator.export_match(table.there.id(), None).await;
        assert_eq!(watched.unwrap(), record.unwrap().events);
    }
    in_time("the same at both", compare(&cut, &whole, &ids)).await;
    cut.stop().await;
    whole.stop().await;
}

/// Waits until two services list the same, and compares these matches, each of which has one end.
async fn compare(cut: &Served, whole: &Served, ids: &[String]) {
    for id in ids {
        let record = exported(cut, whole, id).await;
        let is_end = |event: &v1::MatchEvent| matches!(event.event, Some(Event::MatchEnded(_)));
        let ends = record.events.iter().filter(|event| is_end(event));
        assert_eq!(ends.count(), 1);
    }
    let lists = async |served: &Served| {
        let client = served.client("creator").await;
        let page = client.list_matches(MatchFilter::default(), None).await;
        page.unwrap().items
    };
    let listed = lists(whole).await;
    // What a list shows comes with the news.
    while lists(cut).await != listed {}
}

/// Blocks go into one log: the first waits for its answer, and the next is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unanswered_block_keeps_nobody_else_waiting() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (relay, cut) = relayed(&server).await;
    let [one, other] = cut.raws(["one", "other"]).await;
    let ids = [one.who_am_i().await, other.who_am_i().await].map(Result::unwrap);
    relay.cut();
    let [first, second] = ids.clone();
    let mut waiting = tokio::spawn({
        let one = one.clone();
        async move { one.block(&second).await }
    });
    let answered = timeout(PATIENCE, &mut waiting).await;
    assert!(answered.is_err(), "answered without the log: {answered:?}");
    let refused = in_time("a refusal", other.block(&first)).await;
    assert_unavailable(&refused.unwrap_err());
    relay.mend();
    in_time("the answer", waiting).await.unwrap().unwrap();
    let [_, blocked] = ids;
    assert_eq!(one.blocked_players().await.unwrap(), [blocked]);
    assert_eq!(other.blocked_players().await.unwrap(), [""; 0]);
    cut.stop().await;
}
