//! Repeated requests take effect once and get the same answer.

use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::{Limits, Storage};
use futures::future::join_all;
use v1::Seat;
use v1::match_event::Event;
use v1::play_request::{AcceptInvitation, Request};

use crate::pair::{Pair, to_points};
use crate::player::{Player, reason_in};
use crate::raw::Raw;
use crate::refusals::reason_of;
use crate::served::Served;

/// Number of simultaneous copies of a request.
const AT_ONCE: usize = 16;

#[tokio::test]
async fn a_match_is_created_once() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let created = join_all((0..AT_ONCE).map(|_| raw.create(new("r1")))).await;
    let first = created[0].as_ref().unwrap().clone();
    for again in created {
        assert_eq!(again.unwrap(), first);
    }
    assert_eq!(raw.create(new("r1")).await.unwrap(), first);
    let other = served.raw("another").await.create(new("r1")).await;
    assert_ne!(other.unwrap().id, first.id, "an id counts for its player");
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    assert_eq!(raw.create(new("r1")).await.unwrap(), first);
    assert_eq!(list(&raw).await.len(), 2);
    let changes: [fn(&mut v1::CreateMatchRequest); 13] = [
        |new| new.game = "tzaar".to_owned(),
        |new| new.target = 1,
        |new| new.variant = "random".to_owned(),
        |new| new.title.clear(),
        |new| new.seed = "another".to_owned(),
        |new| new.seed_matches = 2,
        |new| new.visibility = v1::Visibility::Private.into(),
        |new| new.spectator_delay = a_second(),
        |new| new.disconnect_grace = a_second(),
        |new| new.illegal_action_limit = 1,
        |new| new.opening = vec!["a1a7".to_owned()],
        |new| {
            let limit = a_second();
            let kind = v1::time_control::Kind::PerAction(v1::time_control::PerAction { limit });
            new.time_control = Some(v1::TimeControl { kind: Some(kind) });
        },
        |new| {
            new.reservations.push(v1::Reservation {
                seat: Seat::First.into(),
                player_id: "0".repeat(32),
            });
        },
    ];
    for change in changes {
        let mut other = new("r1");
        change(&mut other);
        let refused = raw.create(other).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("REQUEST_ID_REUSED"));
    }
    raw.abort(&first.id, "").await.unwrap();
    let ended = raw.create(new("r1")).await.unwrap();
    assert_eq!(ended.id, first.id, "also when it is over");
    assert_eq!(list(&raw).await.len(), 2);
    served.stop().await;
}

/// A seed drawn by the service is not part of the request.
#[tokio::test]
async fn a_match_without_a_seed_is_created_once() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut unseeded = new("r1");
    unseeded.seed.clear();
    let first = raw.create(unseeded.clone()).await.unwrap();
    assert_eq!(raw.create(unseeded).await.unwrap(), first);
}

/// The request can be repeated, whenever the caller gave up.
#[tokio::test]
async fn a_match_whose_creator_gave_up_waiting_is_created_once() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let requests: Vec<_> = (0..40).map(|number| new(&format!("r{number}"))).collect();
    for (request, patience_us) in requests.iter().zip((0..).step_by(100)) {
        let patience = Duration::from_micros(patience_us);
        // It does not matter whether it is in time.
        let _ = tokio::time::timeout(patience, raw.create(request.clone())).await;
    }
    for request in &requests {
        raw.create(request.clone()).await.unwrap();
    }
    assert_eq!(list(&raw).await.len(), requests.len());
    served.stop().await;
    let served = Served::in_folder(folder.path()).await;
    assert_eq!(
        list(&served.raw("anyone").await).await.len(),
        requests.len()
    );
    served.stop().await;
}

#[tokio::test]
async fn simultaneous_creations_respect_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        live_matches: 3,
        ..Limits::default()
    };
    let served = Served::start(Storage::Folder(folder.path().to_owned()), &limits).await;
    let raw = served.raw("anyone").await;
    let answers = join_all((0..AT_ONCE).map(|_| raw.create(to_points(1)))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    assert_eq!(list(&raw).await.len(), 3);
    served.stop().await;
}

#[tokio::test]
async fn an_action_is_played_once() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("r1").await;
    let submitted = join_all((0..AT_ONCE).map(|_| pair.first.submit(answer.clone()))).await;
    for again in submitted {
        let again = again.unwrap();
        assert_eq!(again.sequence, answer.decision_id + 1);
        assert_eq!(again.action, answer.action);
    }
    let others = pair.answer("r1").await;
    pair.second.submit(others).await.unwrap();
    let again = pair.first.submit(answer.clone()).await.unwrap();
    assert_eq!(again.sequence, answer.decision_id + 1);
    let head = again.r#match.unwrap().head_sequence;
    assert!(head > again.sequence, "the match has its current state");
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let again = pair.first.submit(answer.clone()).await.unwrap();
    assert_eq!(again.sequence, answer.decision_id + 1);
    for other in [
        v1::SubmitActionRequest {
            action: "h1h2".to_owned(),
            ..answer.clone()
        },
        v1::SubmitActionRequest {
            decision_id: answer.decision_id + 2,
            ..answer.clone()
        },
    ] {
        let refused = pair.first.submit(other).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("REQUEST_ID_REUSED"));
    }
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let again = pair.first.submit(answer.clone()).await.unwrap();
    assert_eq!(again.sequence, answer.decision_id + 1);
    let actions = pair.count(|event| matches!(event, Event::ActionPlayed(_)));
    assert_eq!(actions.await, 2);
    served.stop().await;
}

/// Without an id, a repeated answer is an answer to a past decision.
#[tokio::test]
async fn an_action_without_a_request_id_is_not_repeated() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("").await;
    let submitted = join_all((0..AT_ONCE).map(|_| pair.first.submit(answer.clone()))).await;
    let (done, refused): (Vec<_>, Vec<_>) = submitted.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 1);
    for status in refused {
        let reason = reason_of(&status.unwrap_err());
        assert_eq!(reason.as_deref(), Some("STALE_DECISION"));
    }
}

#[tokio::test]
async fn a_match_is_resigned_once() {
    Box::pin(end_once("resign")).await;
}

#[tokio::test]
async fn a_match_is_aborted_once() {
    Box::pin(end_once("abort")).await;
}

async fn end_once(how: &str) {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let pair = Pair::seat(&served).await;
    let ends = (0..AT_ONCE).map(|_| end(ender(&pair, how), &pair.match_id, how, "r1"));
    let ended = join_all(ends).await;
    let first = ended[0].as_ref().unwrap().clone();
    assert_eq!(first.state(), v1::MatchState::Ended);
    for again in ended {
        assert_eq!(again.unwrap(), first);
    }
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let pair = pair.go_on(&served).await;
    let again = end(ender(&pair, how), &pair.match_id, how, "r1").await;
    assert_eq!(again.unwrap(), first);
    for (how, id) in [("resign", "r2"), ("abort", "r2"), (how, "")] {
        let refused = end(ender(&pair, how), &pair.match_id, how, id).await;
        let refused = refused.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("MATCH_ENDED"));
    }
    let ends = pair.count(|event| matches!(event, Event::MatchEnded(_)));
    assert_eq!(ends.await, 1);
    served.stop().await;
}

/// The id of an action is not the id of a resignation, and vice versa.
#[tokio::test]
async fn an_id_stands_for_one_kind_of_request() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("r1").await;
    pair.first.submit(answer.clone()).await.unwrap();
    let refused = pair.first.resign(&pair.match_id, "r1").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("REQUEST_ID_REUSED"));
    pair.first.resign(&pair.match_id, "r2").await.unwrap();
    let refused = pair.first.abort(&pair.match_id, "r2").await;
    assert!(refused.is_err(), "it was a resignation");
    let second = pair.second.resign(&pair.match_id, "r2").await.unwrap_err();
    assert_eq!(reason_of(&second).as_deref(), Some("MATCH_ENDED"));
}

#[tokio::test]
async fn a_seat_is_taken_once() {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(1)).await.unwrap().id;
    let joined = join_all((0..AT_ONCE).map(|_| raw.join(&id, Seat::Unspecified))).await;
    for again in joined {
        let seats = again.unwrap().seats;
        assert!(seats[0].joined && !seats[1].joined);
    }
    let others: Vec<Raw> = join_all((0..AT_ONCE).map(async |number| {
        let name = format!("player-{number}");
        served.raw(&name).await
    }))
    .await;
    let joined = join_all(others.iter().map(|raw| raw.join(&id, Seat::Second))).await;
    assert_eq!(joined.iter().filter(|answer| answer.is_ok()).count(), 1);
}

type JoinChange = fn(&mut v1::JoinMatchRequest);

/// A request id that took a seat stands for that request, also on a stream and after a restart.
#[tokio::test]
async fn a_seat_is_not_taken_again_with_other_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(1)).await.unwrap().id;
    let first = v1::JoinMatchRequest {
        match_id: id.clone(),
        seat: Seat::First.into(),
        name: "Ann".to_owned(),
        seed: "a seed".to_owned(),
        request_id: "r1".to_owned(),
    };
    let joined = raw.take_seat(first.clone()).await.unwrap();
    served.stop().await;

    let served = Served::in_folder(folder.path()).await;
    let raw = served.raw("anyone").await;
    for request_id in ["r1", "r2", ""] {
        let again = v1::JoinMatchRequest {
            request_id: request_id.to_owned(),
            ..first.clone()
        };
        assert_eq!(raw.take_seat(again).await.unwrap(), joined);
    }
    let changes: [(JoinChange, &str); 5] = [
        (|join| join.seat = Seat::Second.into(), "SEAT_TAKEN"),
        (|join| join.name = "Bob".to_owned(), "ALREADY_JOINED"),
        (|join| join.name.clear(), "ALREADY_JOINED"),
        (|join| join.seed = "another".to_owned(), "ALREADY_JOINED"),
        (|join| join.seed.clear(), "ALREADY_JOINED"),
    ];
    let mut stream = Player::open(&raw).await;
    for (change, reason) in changes {
        for (request_id, reason) in [("r1", "REQUEST_ID_REUSED"), ("r2", reason), ("", reason)] {
            let mut other = first.clone();
            change(&mut other);
            other.request_id = request_id.to_owned();
            let refused = raw.take_seat(other.clone()).await.unwrap_err();
            assert_eq!(reason_of(&refused).as_deref(), Some(reason), "{other:?}");
            if other.seat == first.seat {
                stream.send(Some(Request::AcceptInvitation(AcceptInvitation {
                    match_id: other.match_id,
                    name: other.name,
                    seed: other.seed,
                    request_id: other.request_id,
                })));
                assert_eq!(reason_in(&stream.refused().await), reason);
            }
        }
    }
    assert_eq!(raw.get(&id).await.unwrap(), joined);
    served.stop().await;
}

#[tokio::test]
async fn a_resignation_is_not_repeated_with_another_cause() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let resign = async |failure: &str| {
        pair.first
            .resign_because(&pair.match_id, "r1", failure)
            .await
    };
    let first = resign("it fell").await.unwrap();
    assert_eq!(resign("it fell").await.unwrap(), first);
    for other in ["", "it froze"] {
        let refused = resign(other).await.unwrap_err();
        assert_eq!(reason_of(&refused).as_deref(), Some("REQUEST_ID_REUSED"));
    }
}

/// A player and the creator may abort an open match, each with its own ids.
#[tokio::test]
async fn an_abort_of_somebody_else_is_not_repeated() {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let id = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.first.join(&id, Seat::First).await.unwrap();
    pair.first.abort(&id, "r1").await.unwrap();
    pair.first.abort(&id, "r1").await.unwrap();
    let refused = pair.creator.abort(&id, "r1").await.unwrap_err();
    assert_eq!(reason_of(&refused).as_deref(), Some("MATCH_ENDED"));
}

/// A match under way is resigned by a player and aborted by its creator.
fn ender<'a>(pair: &'a Pair, how: &str) -> &'a Raw {
    match how {
        "resign" => &pair.first,
        _ => &pair.creator,
    }
}

async fn end(raw: &Raw, match_id: &str, how: &str, id: &str) -> Result<v1::Match, tonic::Status> {
    match how {
        "resign" => raw.resign(match_id, id).await,
        _ => raw.abort(match_id, id).await,
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a field of a message is an option"
)]
fn a_second() -> Option<prost_types::Duration> {
    Some(prost_types::Duration {
        seconds: 1,
        nanos: 0,
    })
}

fn new(request_id: &str) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        request_id: request_id.to_owned(),
        seed: "a seed".to_owned(),
        title: "a title".to_owned(),
        ..to_points(3)
    }
}

async fn list(raw: &Raw) -> Vec<v1::Match> {
    let request = v1::ListMatchesRequest {
        page_size: 500,
        ..v1::ListMatchesRequest::default()
    };
    let answer = raw.matches.clone().list_matches(request).await.unwrap();
    answer.into_inner().matches
}
