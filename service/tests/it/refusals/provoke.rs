use std::future::pending;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use futures::stream;
use tokio::sync::oneshot;
use tonic::Status;
use tonic_types::StatusExt;
use v1::ErrorReason as Reason;
use v1::Seat;

use super::{damaged_log, full_log, tokens};
use crate::pair::{Pair, to_points};
use crate::play_streams::kept_for;
use crate::raw::{Raw, channel};
use crate::served::Served;
use crate::who_is_there::set_offer;

/// A situation in words, and its refusal.
pub(super) type Provoked = Vec<(&'static str, Status)>;

/// Provokes every situation in which the service refuses for this reason.
pub(super) async fn provoke(reason: Reason) -> Provoked {
    match reason {
        Reason::Unspecified => panic!("it is not a reason"),
        Reason::TokenMissing => with_headers(&[None, Some("Basic dXNlcjpwYXNzd29yZA==")]).await,
        Reason::TokenMalformed => {
            let long = format!("Bearer {}", "x".repeat(257));
            let headers = &[Some("Bearer too-short"), Some("Bearer "), Some(&*long)];
            let mut provoked = with_headers(headers).await;
            provoked.extend(tokens::malformed().await);
            provoked
        }
        Reason::FieldInvalid => field_invalid().await,
        Reason::UnknownGame => unknown_game().await,
        Reason::UnknownVariant => unknown_variant().await,
        Reason::PositionUnreadable => position_unreadable().await,
        Reason::ActionUnreadable => action_unreadable().await,
        Reason::IllegalAction => illegal_action().await,
        Reason::GameOver => game_over().await,
        Reason::MatchNotFound => match_not_found().await,
        Reason::MatchNotStarted => match_not_started().await,
        Reason::MatchEnded => match_ended().await,
        Reason::NoSeat => no_seat().await,
        Reason::NotInvited => not_invited().await,
        Reason::Blocked => blocked().await,
        Reason::SeatTaken => seat_taken().await,
        Reason::SeatReserved => seat_reserved().await,
        Reason::NotYourTurn => not_your_turn().await,
        Reason::StaleDecision => stale_decision().await,
        Reason::AbortDenied => abort_denied().await,
        Reason::RequestIdReused => request_id_reused().await,
        Reason::Draining => draining().await,
        Reason::LimitReached => limit_reached().await,
        Reason::LogUnavailable => full_log::provoke().await,
        Reason::LogDamaged => damaged_log::provoke().await,
        Reason::SequenceOutOfRange => sequence_out_of_range().await,
        Reason::TokenUnknown => tokens::unknown().await,
        Reason::TokenExpired => tokens::expired().await,
        Reason::TokenRevoked => tokens::revoked().await,
        Reason::ScopeMissing => tokens::scope_missing().await,
        Reason::TokenNotFound => tokens::not_found().await,
        Reason::TooManyTokens => tokens::too_many().await,
        Reason::RateLimited => rate_limited().await,
        Reason::AlreadyJoined => already_joined().await,
        Reason::PlayerNotFound => player_not_found().await,
        Reason::NameConfusable => tokens::name_confusable().await,
        Reason::Superseded => superseded().await,
    }
}

async fn superseded() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("first").await;
    let offer = || Some(v1::Offer::default());
    let older = set_offer(&raw, offer(), 60, "").await.unwrap().presence_id;
    set_offer(&raw, offer(), 60, "").await.unwrap();
    let mut provoked = Vec::new();
    for (situation, offer) in [("made again", offer()), ("withdrawn", None)] {
        let refused = set_offer(&raw, offer, 60, &older).await;
        provoked.push((situation, refused.unwrap_err()));
    }
    served.stop().await;
    provoked
}

/// A well-formed id that no match has.
pub(super) const NO_MATCH: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

/// The value of a metadata entry in a refusal.
pub(crate) fn fact(status: &Status, name: &str) -> String {
    let details = status.get_error_details();
    details.error_info().unwrap().metadata[name].clone()
}

async fn with_headers(headers: &[Option<&str>]) -> Provoked {
    let served = Served::in_memory().await;
    let channel = channel(served.address()).await;
    let mut provoked = Vec::new();
    for header in headers {
        let raw = Raw::over(channel.clone(), *header);
        provoked.push(("who am i", raw.who_am_i().await.unwrap_err()));
        let refused = raw.create(to_points(1)).await;
        provoked.push(("create", refused.unwrap_err()));
        provoked.push(("join", raw.join(NO_MATCH, Seat::First).await.unwrap_err()));
        provoked.push(("resign", raw.resign(NO_MATCH, "").await.unwrap_err()));
        provoked.push(("abort", raw.abort(NO_MATCH, "").await.unwrap_err()));
        let submitted = raw.submit(v1::SubmitActionRequest::default()).await;
        provoked.push(("submit", submitted.unwrap_err()));
        let played = raw.games.clone().play(stream::empty()).await;
        provoked.push(("play", played.unwrap_err()));
    }
    provoked
}

async fn field_invalid() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let target = raw.create(to_points(2)).await.unwrap_err();
    assert_eq!(fact(&target, "field"), "target");
    let match_id = raw.get("1").await.unwrap_err();
    assert_eq!(fact(&match_id, "field"), "match_id");
    vec![("a bad target", target), ("a bad id", match_id)]
}

async fn unknown_game() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut new = to_points(1);
    "chess".clone_into(&mut new.game);
    let mut question = question(&[]);
    "chess".clone_into(&mut question.game);
    let created = raw.create(new).await.unwrap_err();
    assert!(created.message().contains("kamisado"), "{created}");
    let analyzed = raw.analyze_position(question).await.unwrap_err();
    vec![("create", created), ("analyze", analyzed)]
}

async fn unknown_variant() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut new = to_points(1);
    "blind".clone_into(&mut new.variant);
    let mut question = question(&[]);
    "blind".clone_into(&mut question.variant);
    let created = raw.create(new).await.unwrap_err();
    assert!(created.message().contains("standard, random"), "{created}");
    let analyzed = raw.analyze_position(question).await.unwrap_err();
    vec![("create", created), ("analyze", analyzed)]
}

async fn position_unreadable() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut question = question(&[]);
    "8/8/8/8/8/8/8/8 b -".clone_into(&mut question.position);
    let refused = raw.analyze_position(question).await.unwrap_err();
    assert_eq!(fact(&refused, "field"), "position");
    vec![("analyze", refused)]
}

async fn action_unreadable() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut answer = pair.answer("").await;
    "castles".clone_into(&mut answer.action);
    let submitted = pair.first.submit(answer).await.unwrap_err();
    assert_eq!(fact(&submitted, "field"), "action");
    let question = question(&["d1d7", "g8-a2"]);
    let analyzed = pair.first.analyze_position(question).await.unwrap_err();
    assert_eq!(fact(&analyzed, "field"), "actions[1]");
    assert_eq!(fact(&analyzed, "action_index"), "1");
    vec![("submit", submitted), ("analyze", analyzed)]
}

async fn illegal_action() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut answer = pair.answer("").await;
    "a8a7".clone_into(&mut answer.action);
    let submitted = pair.first.submit(answer).await.unwrap_err();
    assert_eq!(fact(&submitted, "rule"), "T1");
    assert!(submitted.message().contains("a8"), "{submitted}");
    let question = question(&["d1d7", "a8a7"]);
    let analyzed = pair.first.analyze_position(question).await.unwrap_err();
    assert_eq!(fact(&analyzed, "rule"), "T2");
    assert_eq!(fact(&analyzed, "action_index"), "1");
    vec![("submit", submitted), ("analyze", analyzed)]
}

async fn game_over() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let deadlock_and_more = question(&["c1a3", "b8h2", "a3e7", "a1a2"]);
    let refused = raw.analyze_position(deadlock_and_more).await.unwrap_err();
    assert_eq!(fact(&refused, "action_index"), "3");
    vec![("analyze", refused)]
}

async fn match_not_found() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    vec![
        ("get", raw.get(NO_MATCH).await.unwrap_err()),
        ("join", raw.join(NO_MATCH, Seat::First).await.unwrap_err()),
        ("decision", raw.decision(NO_MATCH).await.unwrap_err()),
        (
            "submit",
            raw.submit(answer_to(NO_MATCH, 1)).await.unwrap_err(),
        ),
        ("watch", raw.watch(NO_MATCH, 0).await.unwrap_err()),
        ("resign", raw.resign(NO_MATCH, "").await.unwrap_err()),
        ("abort", raw.abort(NO_MATCH, "").await.unwrap_err()),
        ("export", raw.export(NO_MATCH).await.unwrap_err()),
    ]
}

async fn match_not_started() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(1)).await.unwrap().id;
    raw.join(&id, Seat::Second).await.unwrap();
    vec![
        ("decision", raw.decision(&id).await.unwrap_err()),
        ("submit", raw.submit(answer_to(&id, 2)).await.unwrap_err()),
        ("resign", raw.resign(&id, "").await.unwrap_err()),
    ]
}

async fn match_ended() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("").await;
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let id = &pair.match_id;
    let stranger = served.raw("stranger").await;
    vec![
        ("decision", pair.first.decision(id).await.unwrap_err()),
        ("submit", pair.first.submit(answer).await.unwrap_err()),
        ("resign", pair.second.resign(id, "").await.unwrap_err()),
        ("abort", pair.creator.abort(id, "").await.unwrap_err()),
        (
            "join",
            stranger.join(id, Seat::Unspecified).await.unwrap_err(),
        ),
    ]
}

async fn no_seat() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("").await;
    let id = &pair.match_id;
    vec![
        ("submit", pair.creator.submit(answer).await.unwrap_err()),
        ("resign", pair.creator.resign(id, "").await.unwrap_err()),
    ]
}

async fn seat_taken() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let id = &pair.match_id;
    let stranger = served.raw("stranger").await;
    let half_full = pair.creator.create(to_points(1)).await.unwrap().id;
    pair.first.join(&half_full, Seat::First).await.unwrap();
    vec![
        (
            "full",
            stranger.join(id, Seat::Unspecified).await.unwrap_err(),
        ),
        (
            "seat",
            stranger.join(&half_full, Seat::First).await.unwrap_err(),
        ),
        (
            "both",
            pair.first.join(&half_full, Seat::Second).await.unwrap_err(),
        ),
    ]
}

async fn seat_reserved() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let mut new = to_points(1);
    for (seat, name) in [(Seat::First, "one"), (Seat::Second, "two")] {
        new.reservations.push(v1::Reservation {
            seat: seat.into(),
            player_id: served.raw(name).await.who_am_i().await.unwrap(),
        });
    }
    let id = raw.create(new).await.unwrap().id;
    vec![
        ("any", raw.join(&id, Seat::Unspecified).await.unwrap_err()),
        ("second", raw.join(&id, Seat::Second).await.unwrap_err()),
    ]
}

async fn not_your_turn() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let answer = pair.answer("").await;
    let due = answer.decision_id.to_string();
    let refused = pair.second.submit(answer).await.unwrap_err();
    assert_eq!(fact(&refused, "decision_id"), due);
    vec![("submit", refused)]
}

async fn stale_decision() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let early = answer_to(&pair.match_id, 99);
    let early = pair.first.submit(early).await.unwrap_err();
    let answer = pair.answer("").await;
    pair.first.submit(answer.clone()).await.unwrap();
    let late = pair.first.submit(answer).await.unwrap_err();
    let due = pair.decision().await.decision_id.to_string();
    assert_eq!(fact(&late, "decision_id"), due);
    vec![("early", early), ("late", late)]
}

async fn abort_denied() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let stranger = served.raw("stranger").await;
    let by_stranger = stranger.abort(&pair.match_id, "").await.unwrap_err();
    let by_player = pair.first.abort(&pair.match_id, "").await.unwrap_err();
    let own = pair.first.create(to_points(1)).await.unwrap().id;
    pair.first.join(&own, Seat::First).await.unwrap();
    pair.second.join(&own, Seat::Second).await.unwrap();
    let by_own = pair.first.abort(&own, "").await.unwrap_err();
    vec![
        ("a stranger", by_stranger),
        ("a player", by_player),
        ("a creator that plays", by_own),
    ]
}

async fn not_invited() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let new = kept_for(&pair.first, &pair.second).await;
    let id = pair.creator.create(new).await.unwrap().id;
    let by_stranger = pair.creator.decline(&id, "", "").await.unwrap_err();
    pair.first.join(&id, Seat::First).await.unwrap();
    let by_player = pair.first.decline(&id, "", "").await.unwrap_err();
    vec![("a stranger", by_stranger), ("a player", by_player)]
}

async fn blocked() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::connect(served.address()).await;
    let id = pair.creator.who_am_i().await.unwrap();
    pair.second.block(&id).await.unwrap();
    let new = kept_for(&pair.first, &pair.second).await;
    let refused = pair.creator.create(new).await.unwrap_err();
    assert_eq!(
        fact(&refused, "player_id"),
        pair.second.who_am_i().await.unwrap()
    );
    vec![("an invitation", refused)]
}

async fn request_id_reused() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let create = |target| v1::CreateMatchRequest {
        request_id: "once".to_owned(),
        ..to_points(target)
    };
    pair.creator.create(create(1)).await.unwrap();
    let created = pair.creator.create(create(3)).await.unwrap_err();
    let answer = pair.answer("once").await;
    pair.first.submit(answer.clone()).await.unwrap();
    let other = v1::SubmitActionRequest {
        decision_id: answer.decision_id + 1,
        ..answer
    };
    let submitted = pair.first.submit(other).await.unwrap_err();
    let resigned = pair.first.resign(&pair.match_id, "once").await;
    vec![
        ("create", created),
        ("submit", submitted),
        ("resign", resigned.unwrap_err()),
        ("a token", tokens::request_id_reused().await),
    ]
}

async fn draining() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let (opened, is_open) = oneshot::channel();
    let requests = stream::once(async {
        opened.send(()).unwrap();
        pending().await
    });
    let mut games = raw.games.clone();
    let playing = tokio::spawn(async move { games.play(requests).await });
    is_open.await.unwrap();
    // A connection carries calls in order: when this one is answered, the service has
    // received the other.
    raw.who_am_i().await.unwrap();
    served.stop().await;
    let refused = playing.await.unwrap().unwrap_err();
    vec![("play", refused)]
}

async fn limit_reached() -> Provoked {
    let limits = Limits {
        live_matches: 1,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(1)).await.unwrap().id;
    let refused = raw.create(to_points(1)).await.unwrap_err();
    assert_eq!(fact(&refused, "limit"), "live_matches");
    raw.abort(&id, "").await.unwrap();
    raw.create(to_points(1)).await.unwrap();
    vec![("create", refused)]
}

async fn rate_limited() -> Provoked {
    let limits = Limits {
        actions_per_second: 1,
        action_burst: 1,
        calls_per_second: 1,
        call_burst: 1,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let raw = served.raw("anyone").await;
    let acted = loop {
        if let Err(refused) = raw.create(to_points(1)).await {
            break refused;
        }
    };
    assert_eq!(fact(&acted, "limit"), "actions");
    let called = loop {
        if let Err(refused) = raw.who_am_i().await {
            break refused;
        }
    };
    assert_eq!(fact(&called, "limit"), "calls");
    vec![("create", acted), ("who am i", called)]
}

async fn already_joined() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let id = raw.create(to_points(1)).await.unwrap().id;
    raw.join_with(&id, Seat::First, "mine").await.unwrap();
    let refused = raw.join_with(&id, Seat::First, "yours").await.unwrap_err();
    assert_eq!(fact(&refused, "field"), "seed");
    vec![("another seed", refused)]
}

async fn player_not_found() -> Provoked {
    let served = Served::in_memory().await;
    let raw = served.raw("anyone").await;
    let player_id = raw.who_am_i().await.unwrap();
    vec![("an own secret", raw.name_of(&player_id).await.unwrap_err())]
}

async fn sequence_out_of_range() -> Provoked {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let head = pair.view().await.head_sequence;
    let refused = pair.first.watch(&pair.match_id, head + 1).await;
    let refused = refused.unwrap_err();
    assert_eq!(fact(&refused, "head_sequence"), head.to_string());
    vec![("watch", refused)]
}

fn question(actions: &[&str]) -> v1::AnalyzePositionRequest {
    v1::AnalyzePositionRequest {
        game: "kamisado".to_owned(),
        actions: actions.iter().map(|action| (*action).to_owned()).collect(),
        ..v1::AnalyzePositionRequest::default()
    }
}

fn answer_to(match_id: &str, decision_id: u64) -> v1::SubmitActionRequest {
    v1::SubmitActionRequest {
        match_id: match_id.to_owned(),
        decision_id,
        action: "a1a2".to_owned(),
        request_id: String::new(),
        thinking: None,
    }
}
