use dragontooth_proto::v1;
use prost_types::Duration;
use tonic::Status;
use v1::time_control::{Delay, Fischer, Kind, PerAction};

use crate::pair::{Pair, to_points};
use crate::raw::Raw;

/// A field, its mistake, and the service's answer.
pub(super) type Refused = (&'static str, String, Status);

const DAY_S: i64 = 24 * 60 * 60;

/// Makes every request with each of its fields invalid in turn.
pub(super) async fn refused(pair: &Pair) -> Vec<Refused> {
    let mut all = refused_matches(&pair.creator).await;
    all.extend(refused_time_controls(&pair.creator).await);
    all.extend(refused_graces(&pair.creator).await);
    all.extend(refused_join_timeouts(&pair.creator).await);
    all.extend(refused_ids(&pair.first).await);
    all.extend(refused_answers(pair).await);
    all.extend(refused_joins(pair).await);
    all.extend(refused_lists(&pair.creator).await);
    all.extend(refused_questions(&pair.creator).await);
    all
}

async fn refused_matches(raw: &Raw) -> Vec<Refused> {
    type Spoil = fn(&mut v1::CreateMatchRequest);
    let cases: [(&str, &str, Spoil); 24] = [
        ("game", "empty", |new| new.game.clear()),
        ("game", "long", |new| new.game = "g".repeat(65)),
        ("game", "huge", |new| new.game = "g".repeat(100_000)),
        ("variant", "huge", |new| new.variant = "v".repeat(100_000)),
        ("target", "missing", |new| new.target = 0),
        ("target", "two", |new| new.target = 2),
        ("target", "huge", |new| new.target = u32::MAX),
        ("seed", "long", |new| new.seed = "s".repeat(65)),
        ("seed", "a line end", |new| new.seed = "s\n".into()),
        ("title", "long", |new| new.title = "t".repeat(201)),
        ("title", "a bell", |new| new.title = "\u{7}".into()),
        ("request_id", "long", |new| new.request_id = "r".repeat(65)),
        ("request_id", "a space", |new| {
            new.request_id = "r r".into();
        }),
        ("request_id", "no ascii", |new| {
            new.request_id = "ř".into();
        }),
        ("illegal_action_limit", "many", |new| {
            new.illegal_action_limit = 33;
        }),
        ("illegal_action_limit", "huge", |new| {
            new.illegal_action_limit = u32::MAX;
        }),
        ("opening[0]", "illegal", |new| {
            new.opening = vec!["a1a1".into()];
        }),
        ("opening", "too many", |new| {
            new.opening = vec!["a1a7".into(); 201];
        }),
        ("opening[1]", "huge", |new| {
            new.opening = vec!["a1a7".into(), "a".repeat(100_000)];
        }),
        ("reservations[0].seat", "missing", |new| {
            new.reservations = vec![reservation(0, 1)];
        }),
        ("reservations[0].seat", "unknown", |new| {
            new.reservations = vec![reservation(3, 1)];
        }),
        ("reservations[1].seat", "one seat twice", |new| {
            new.reservations = vec![reservation(1, 1), reservation(1, 2)];
        }),
        ("reservations", "both for one player", |new| {
            new.reservations = vec![reservation(1, 1), reservation(2, 1)];
        }),
        ("reservations[1].player_id", "junk", |new| {
            new.reservations = vec![reservation(1, 1), reservation(2, 2)];
            new.reservations[1].player_id.push('0');
        }),
    ];
    let mut refused = Vec::new();
    for (field, what, spoil) in cases {
        let mut new = to_points(3);
        spoil(&mut new);
        let status = raw.create(new).await.unwrap_err();
        refused.push((field, format!("create, {what}"), status));
    }
    refused
}

async fn refused_time_controls(raw: &Raw) -> Vec<Refused> {
    let per_action = |limit| Kind::PerAction(PerAction { limit });
    let fischer = |base, increment| Kind::Fischer(Fischer { base, increment });
    let delay = |base, delay| Kind::Delay(Delay { base, delay });
    let minute = span(60, 0);
    let mut refused = Vec::new();
    for (field, kind) in [
        ("time_control.per_action.limit", per_action(None)),
        ("time_control.per_action.limit", per_action(span(0, 0))),
        ("time_control.per_action.limit", per_action(span(0, 999))),
        ("time_control.per_action.limit", per_action(span(-1, 0))),
        ("time_control.per_action.limit", per_action(span(0, -1))),
        (
            "time_control.per_action.limit",
            per_action(span(30 * DAY_S, 1000)),
        ),
        (
            "time_control.per_action.limit",
            per_action(span(i64::MIN, i32::MIN)),
        ),
        (
            "time_control.per_action.limit",
            per_action(span(i64::MAX, i32::MAX)),
        ),
        ("time_control.fischer.base", fischer(None, minute)),
        ("time_control.fischer.base", fischer(span(-60, 0), minute)),
        (
            "time_control.fischer.increment",
            fischer(minute, span(-1, 0)),
        ),
        (
            "time_control.fischer.increment",
            fischer(minute, span(31 * DAY_S, 0)),
        ),
        ("time_control.delay.base", delay(None, minute)),
        ("time_control.delay.delay", delay(minute, None)),
        ("time_control.delay.delay", delay(minute, span(0, -5))),
    ] {
        let mut new = to_points(1);
        let what = format!("{kind:?}");
        new.time_control = Some(v1::TimeControl { kind: Some(kind) });
        let status = raw.create(new).await.unwrap_err();
        refused.push((field, what, status));
    }
    let limit = |limit| v1::TimeControl {
        kind: Some(per_action(limit)),
    };
    let of_seat = |seat, time_control| v1::SeatTimeControl { seat, time_control };
    for (field, of_seats) in [
        (
            "seat_time_controls[0].seat",
            vec![of_seat(0, Some(limit(minute)))],
        ),
        (
            "seat_time_controls[0].seat",
            vec![of_seat(3, Some(limit(minute)))],
        ),
        (
            "seat_time_controls[0].time_control.per_action.limit",
            vec![of_seat(1, Some(limit(None)))],
        ),
        (
            "seat_time_controls[0].time_control.per_action.limit",
            vec![of_seat(2, Some(limit(span(30 * DAY_S, 1000))))],
        ),
        (
            "seat_time_controls[1].seat",
            vec![of_seat(2, None), of_seat(2, Some(limit(minute)))],
        ),
    ] {
        let mut new = to_points(1);
        let what = format!("{of_seats:?}");
        new.time_control = Some(limit(minute));
        new.seat_time_controls = of_seats;
        let status = raw.create(new).await.unwrap_err();
        refused.push((field, what, status));
    }
    refused
}

async fn refused_graces(raw: &Raw) -> Vec<Refused> {
    let mut refused = Vec::new();
    for grace in [
        span(0, 0),
        span(0, 999_999_999),
        span(-1, 0),
        span(1, -1),
        span(DAY_S, 1000),
        span(i64::MAX, i32::MAX),
    ] {
        let mut new = to_points(1);
        let what = format!("{grace:?}");
        new.disconnect_grace = grace;
        let status = raw.create(new).await.unwrap_err();
        refused.push(("disconnect_grace", what, status));
    }
    refused
}

/// The last ones are longer than the service waits.
async fn refused_join_timeouts(raw: &Raw) -> Vec<Refused> {
    let mut refused = Vec::new();
    for timeout in [
        span(0, 0),
        span(0, 999_999_999),
        span(-1, 0),
        span(1, -1),
        span(3600, 1000),
        span(i64::MAX, 0),
    ] {
        let mut new = to_points(1);
        let what = format!("{timeout:?}");
        new.join_timeout = timeout;
        let status = raw.create(new).await.unwrap_err();
        refused.push(("join_timeout", what, status));
    }
    refused
}

async fn refused_ids(raw: &Raw) -> Vec<Refused> {
    let mut refused = Vec::new();
    let huge = "0".repeat(100_000);
    let curly = "{0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".to_owned();
    for id in [
        String::new(),
        "1".to_owned(),
        "../..".to_owned(),
        curly,
        huge,
    ] {
        let answer = v1::SubmitActionRequest {
            match_id: id.clone(),
            decision_id: 1,
            action: "a1a2".to_owned(),
            request_id: String::new(),
            thinking: None,
        };
        for status in [
            raw.get(&id).await.unwrap_err(),
            raw.join(&id, v1::Seat::Unspecified).await.unwrap_err(),
            raw.decision(&id).await.unwrap_err(),
            raw.submit(answer).await.unwrap_err(),
            raw.watch(&id, 0).await.unwrap_err(),
            raw.resign(&id, "").await.unwrap_err(),
            raw.abort(&id, "").await.unwrap_err(),
            raw.decline(&id, "", "").await.unwrap_err(),
            raw.export(&id).await.unwrap_err(),
        ] {
            refused.push(("match_id", format!("{id:.20}"), status));
        }
    }
    refused
}

async fn refused_answers(pair: &Pair) -> Vec<Refused> {
    type Spoil = fn(&mut v1::SubmitActionRequest);
    let cases: [(&str, &str, Spoil); 5] = [
        ("decision_id", "missing", |answer| answer.decision_id = 0),
        ("action", "missing", |answer| answer.action.clear()),
        ("action", "long", |answer| answer.action = "a".repeat(129)),
        ("action", "huge", |answer| {
            answer.action = "a".repeat(120_000);
        }),
        ("request_id", "a tab", |answer| {
            answer.request_id = "r\t".into();
        }),
    ];
    let mut refused = Vec::new();
    for (field, what, spoil) in cases {
        let mut answer = pair.answer("").await;
        spoil(&mut answer);
        let status = pair.second.submit(answer).await.unwrap_err();
        refused.push((field, format!("submit, {what}"), status));
    }
    let long = "r".repeat(65);
    for status in [
        pair.first.resign(&pair.match_id, &long).await.unwrap_err(),
        pair.first.abort(&pair.match_id, &long).await.unwrap_err(),
    ] {
        refused.push(("request_id", "long".to_owned(), status));
    }
    for (what, failure) in [
        ("long", "f".repeat(1_025)),
        ("two lines", "f\ng".to_owned()),
    ] {
        let resigned = pair.first.resign_because(&pair.match_id, "", &failure);
        refused.push(("reason", what.to_owned(), resigned.await.unwrap_err()));
    }
    refused
}

async fn refused_joins(pair: &Pair) -> Vec<Refused> {
    let join = |seat: i32, name: String| v1::JoinMatchRequest {
        match_id: pair.match_id.clone(),
        seat,
        name,
        seed: String::new(),
        request_id: String::new(),
    };
    let mut refused = Vec::new();
    for (field, request) in [
        ("seat", join(3, String::new())),
        ("seat", join(-1, String::new())),
        ("name", join(0, "n".repeat(65))),
        ("name", join(0, "n\u{1b}[2J".to_owned())),
        ("name", join(0, "p\u{430}ypal".to_owned())),
        ("name", join(0, "Ann\u{200b}".to_owned())),
        ("name", join(0, "\u{202e}nnA".to_owned())),
    ] {
        let what = format!("join, {request:?}");
        let status = pair.creator.matches.clone().join_match(request).await;
        refused.push((field, what, status.unwrap_err()));
    }
    refused
}

const fn time(seconds: i64, nanos: i32) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos }
}

async fn refused_lists(raw: &Raw) -> Vec<Refused> {
    type Spoil = fn(&mut v1::ListMatchesRequest);
    let cases: [(&str, Spoil); 15] = [
        ("create_time_from", |list| {
            list.create_time_from = Some(time(-1, 0));
        }),
        ("create_time_before", |list| {
            list.create_time_before = Some(time(0, 1_000_000_000));
        }),
        ("page_size", |list| list.page_size = -1),
        ("page_token", |list| list.page_token = "2".into()),
        ("page_token", |list| list.page_token = "p".repeat(100_000)),
        ("state", |list| list.state = 4),
        ("player_id", |list| list.player_id = "me".into()),
        ("creator_id", |list| list.creator_id = "me".into()),
        ("opponent_id", |list| list.opponent_id = "me".into()),
        ("opponent_id", |list| list.opponent_id = "a".repeat(32)),
        ("opponent_id", |list| {
            list.player_id = "a".repeat(32);
            list.opponent_id = "a".repeat(32);
        }),
        ("order", |list| list.order = 3),
        ("variant", |list| list.variant = "standard".into()),
        ("variant", |list| {
            list.game = "linja".into();
            list.variant = "v".repeat(100_000);
        }),
        ("game", |list| list.game = "g".repeat(100_000)),
    ];
    let mut refused = Vec::new();
    for (field, spoil) in cases {
        let mut list = v1::ListMatchesRequest::default();
        spoil(&mut list);
        let status = raw.matches.clone().list_matches(list).await;
        refused.push((field, "list matches".to_owned(), status.unwrap_err()));
    }
    for (field, page_size, page_token) in [("page_size", -5, ""), ("page_token", 0, "tag")] {
        let list = v1::ListGamesRequest {
            page_size,
            page_token: page_token.to_owned(),
        };
        let status = raw.games.clone().list_games(list).await;
        refused.push((field, "list games".to_owned(), status.unwrap_err()));
    }
    refused
}

async fn refused_questions(raw: &Raw) -> Vec<Refused> {
    type Spoil = fn(&mut v1::AnalyzePositionRequest);
    let cases: [(&str, Spoil); 6] = [
        ("game", |question| question.game.clear()),
        ("game", |question| question.game = "g".repeat(65)),
        ("variant", |question| question.variant = "v".repeat(65)),
        ("actions", |question| {
            question.actions = vec![String::new(); 10_001];
        }),
        ("actions[1]", |question| {
            question.actions = vec!["a1a7".into(), "a".repeat(129)];
        }),
        ("seed", |question| question.seed = "s".repeat(65)),
    ];
    let mut refused = Vec::new();
    for (field, spoil) in cases {
        let mut question = v1::AnalyzePositionRequest {
            game: "kamisado".to_owned(),
            ..v1::AnalyzePositionRequest::default()
        };
        spoil(&mut question);
        let status = raw.analyze_position(question).await.unwrap_err();
        refused.push((field, "analyze".to_owned(), status));
    }
    refused
}

fn reservation(seat: i32, player: u128) -> v1::Reservation {
    v1::Reservation {
        seat,
        player_id: format!("{player:032x}"),
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a field of a message is an option"
)]
fn span(seconds: i64, nanos: i32) -> Option<Duration> {
    Some(Duration { seconds, nanos })
}
