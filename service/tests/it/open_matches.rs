//! Matches that wait for their players: they expire, are declined, or called off by an operator. The time stands
//! still where a test counts it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use dragontooth_games::chance::Seed;
use dragontooth_proto::v1;
use dragontooth_service::Limits;
use dragontooth_service_domain::create;
use dragontooth_service_store::{MatchLog, SledLog};
use dragontooth_service_vocabulary::{MatchId, NewMatch, PlayerId, Timestamp};
use futures::future::join_all;
use v1::play_response::Response;
use v1::{MatchState, Scope, Seat, Termination};

use crate::access::{Guarded, token_request};
use crate::limits::assert_limited;
use crate::pair::{Pair, to_points};
use crate::play_streams::kept_for;
use crate::player::{Player, reason_in};
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::Served;
use crate::still_clock::StillClock;
use crate::watched::Watched;

const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);

/// Four players fill the service with open matches. It has room again when they have expired.
#[tokio::test]
async fn open_matches_do_not_fill_the_service_for_good() {
    let limits = Limits {
        live_matches: 8,
        matches_of_player: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let clock = StillClock::new();
    let mut open = Vec::new();
    for number in 0..4 {
        let raw = served.raw(&format!("filler-{number}")).await;
        for _ in 0..2 {
            open.push(raw.create(to_points(1)).await.unwrap());
        }
    }
    let honest = served.raw("honest").await;
    let refused = honest.create(to_points(1)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "live_matches");
    for filled in &open {
        let waits = time(filled.join_deadline).duration_since(time(filled.create_time));
        assert_eq!(waits.unwrap(), HOUR);
    }
    clock.pass_almost(HOUR).await;
    let refused = honest.create(to_points(1)).await.unwrap_err();
    assert_limited(&refused, "LIMIT_REACHED", "live_matches");
    clock.pass_the_rest().await;
    let ends = open.iter().map(|filled| ended(&honest, &filled.id));
    for outcome in join_all(ends).await {
        assert_eq!(outcome.termination(), Termination::Expired);
        assert_eq!(outcome.winner(), Seat::Unspecified);
    }
    // A match is over a moment before it stops counting.
    while let Err(refused) = honest.create(to_points(1)).await {
        assert_limited(&refused, "LIMIT_REACHED", "live_matches");
    }
}

#[tokio::test]
async fn a_player_who_waits_is_told_of_the_end() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = Pair::connect(served.address()).await;
    let id = pair.creator.create(waiting(MINUTE)).await.unwrap().id;
    pair.first.join(&id, Seat::First).await.unwrap();
    let mut player = Player::open(&pair.first).await;
    clock.pass(MINUTE * 2).await;
    let closed = player.closed().await;
    assert_eq!(closed.outcome.unwrap().termination(), Termination::Expired);
    assert_eq!(closed.join_deadline, None);
    let late = pair.second.join(&id, Seat::Second).await.unwrap_err();
    assert_eq!(reason_of(&late).unwrap(), "MATCH_ENDED");
}

#[tokio::test]
async fn a_match_with_both_players_does_not_expire() {
    let served = Served::in_memory().await;
    let clock = StillClock::new();
    let pair = Pair::seat_on(served.address(), waiting(MINUTE)).await;
    assert_eq!(pair.view().await.join_deadline, None);
    clock.pass(MINUTE * 2).await;
    pair.play().await.unwrap();
}

/// The deadline is a fact of the match, and does not move.
#[tokio::test]
async fn a_match_expires_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("creator").await;
    let created = raw.create(waiting(MINUTE)).await.unwrap();
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    let clock = StillClock::new();
    let raw = served.raw("creator").await;
    let resumed = raw.get(&created.id).await.unwrap();
    assert_eq!(resumed.state(), MatchState::Open);
    assert_eq!(resumed.join_deadline, created.join_deadline);
    clock.pass(MINUTE * 2).await;
    let outcome = ended(&raw, &created.id).await;
    assert_eq!(outcome.termination(), Termination::Expired);
    served.stop().await;
}

/// The log of a match of an earlier version has no limit.
#[tokio::test]
async fn a_match_of_an_earlier_version_expires() {
    let folder = tempfile::tempdir().unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = Timestamp::default().after(now.unwrap());
    let [recent, old] =
        [now, now.before(HOUR)].map(|created| (MatchId::from_bytes(ids()), created));
    let log = MatchLog::new(Arc::new(SledLog::open(folder.path()).unwrap()));
    for (id, time) in [recent, old] {
        let new = NewMatch::new("kamisado", 1);
        let drawn = Seed::from_text("drawn");
        let event = create(&new, PlayerId::from_bytes([7; 16]), id, &drawn).unwrap();
        let events = [event];
        log.append(id, MatchLog::start(id), time, &events)
            .await
            .unwrap();
    }
    log.close().await;
    drop(log);

    let served = Served::in_folder(folder.path()).await;
    let clock = StillClock::new();
    let raw = served.raw("anyone").await;
    let outcome = ended(&raw, &old.0.to_string()).await;
    assert_eq!(outcome.termination(), Termination::Expired);
    let open = raw.get(&recent.0.to_string()).await.unwrap();
    assert_eq!(open.state(), MatchState::Open);
    let waits = time(open.join_deadline).duration_since(time(open.create_time));
    assert_eq!(waits.unwrap(), HOUR);
    clock.pass(HOUR * 2).await;
    let outcome = ended(&raw, &open.id).await;
    assert_eq!(outcome.termination(), Termination::Expired);
    served.stop().await;
}

#[tokio::test]
async fn a_repeated_request_may_name_the_usual_time_or_none() {
    let served = Served::in_memory().await;
    let raw = served.raw("creator").await;
    let new = |timeout| v1::CreateMatchRequest {
        join_timeout: timeout,
        request_id: "once".to_owned(),
        ..to_points(1)
    };
    let created = raw.create(new(None)).await.unwrap();
    for same in [None, Some(HOUR.try_into().unwrap())] {
        assert_eq!(raw.create(new(same)).await.unwrap().id, created.id);
    }
    let other = raw.create(new(Some(MINUTE.try_into().unwrap()))).await;
    assert_eq!(reason_of(&other.unwrap_err()).unwrap(), "REQUEST_ID_REUSED");
}

#[tokio::test]
async fn an_operator_aborts_any_match_and_says_why() {
    let guarded = Guarded::start().await;
    let [ann, bob] = [guarded.player("ann").await, guarded.player("bob").await];
    let request = token_request("spectator", &[Scope::Watch]);
    let (_, spectator) = guarded.issue(request).await;
    let mut new = kept_for(&ann, &bob).await;
    new.visibility = v1::Visibility::Private.into();
    let open = ann.create(new).await.unwrap().id;
    let active = ann.create(to_points(1)).await.unwrap().id;
    ann.join(&active, Seat::First).await.unwrap();
    bob.join(&active, Seat::Second).await.unwrap();
    let mut player = Player::open(&bob).await;
    let mut watched = Watched::open(&spectator, &active, 0).await;
    watched.read_until_caught_up().await;
    let operator = guarded.operator.who_am_i().await.unwrap();

    for id in [&active, &open] {
        let aborted = guarded
            .operator
            .abort_as_operator(id, "it hangs", "r")
            .await;
        let aborted = aborted.unwrap();
        let outcome = aborted.outcome.clone().unwrap();
        assert_eq!(outcome.termination(), Termination::Aborted);
        assert_eq!(
            (outcome.aborted_by.as_str(), outcome.reason.as_str()),
            (operator.as_str(), "it hangs")
        );
        let again = guarded
            .operator
            .abort_as_operator(id, "it hangs", "r")
            .await;
        assert_eq!(again.unwrap(), aborted);
        let other = guarded.operator.abort_as_operator(id, "another", "r").await;
        assert_eq!(reason_of(&other.unwrap_err()).unwrap(), "REQUEST_ID_REUSED");
        assert_eq!(ann.export(id).await.unwrap().r#match.unwrap(), aborted);
    }
    watched.read_to_the_end().await;
    let last = watched.events.pop().unwrap().event.unwrap();
    let v1::match_event::Event::MatchEnded(end) = last else {
        panic!("it is the end: {last:?}");
    };
    assert_eq!(end.outcome.unwrap().reason, "it hangs");
    let told = loop {
        if let Response::MatchClosed(closed) = player.next().await {
            break closed.r#match.unwrap();
        }
    };
    assert_eq!(told.outcome.unwrap().reason, "it hangs");
    guarded.served.stop().await;
}

#[tokio::test]
async fn an_operator_gives_a_reason() {
    let guarded = Guarded::start().await;
    let ann = guarded.player("ann").await;
    let id = ann.create(to_points(1)).await.unwrap().id;
    for reason in ["", "two\nlines", &"x".repeat(1025)] {
        let refused = guarded.operator.abort_as_operator(&id, reason, "").await;
        assert_eq!(reason_of(&refused.unwrap_err()).unwrap(), "FIELD_INVALID");
    }
    guarded.served.stop().await;
}

#[tokio::test]
async fn an_invited_player_declines() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let new = kept_for(&pair.first, &pair.second).await;
    let by_call = pair.creator.create(new.clone()).await.unwrap().id;
    let by_stream = pair.creator.create(new).await.unwrap().id;
    let mut first = Player::open(&pair.first).await;
    let mut second = Player::open(&pair.second).await;
    for player in [&mut first, &mut second] {
        for _ in 0..2 {
            assert!(matches!(player.next().await, Response::Invitation(_)));
        }
    }
    let declined = pair.second.decline(&by_call, "busy", "r").await.unwrap();
    let outcome = declined.outcome.clone().unwrap();
    assert_eq!(outcome.termination(), Termination::Declined);
    let id = pair.second.who_am_i().await.unwrap();
    assert_eq!(
        (outcome.aborted_by, outcome.reason),
        (id, "busy".to_owned())
    );
    let again = pair.second.decline(&by_call, "busy", "r").await.unwrap();
    assert_eq!(again, declined);
    // Both who were invited are told, as they were of the invitation.
    for player in [&mut first, &mut second] {
        assert_eq!(player.closed().await.id, by_call);
    }
    second.decline(&by_stream, "");
    for player in [&mut first, &mut second] {
        let closed = player.closed().await;
        assert_eq!(closed.id, by_stream);
        assert_eq!(closed.outcome.unwrap().termination(), Termination::Declined);
    }
    second.decline(&by_stream, "");
    assert_eq!(reason_in(&second.refused().await), "MATCH_ENDED");
}

/// A match without clocks that waits for its players for so long.
fn waiting(timeout: Duration) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        join_timeout: Some(timeout.try_into().unwrap()),
        ..to_points(1)
    }
}

/// Waits for the end of a match and returns its outcome.
pub(crate) async fn ended(raw: &Raw, id: &str) -> v1::MatchOutcome {
    Watched::open(raw, id, 0).await.read_to_the_end().await;
    raw.get(id).await.unwrap().outcome.unwrap()
}

fn time(time: Option<prost_types::Timestamp>) -> SystemTime {
    SystemTime::try_from(time.unwrap()).unwrap()
}

/// The bytes of a new id.
fn ids() -> [u8; 16] {
    uuid::Uuid::now_v7().into_bytes()
}
