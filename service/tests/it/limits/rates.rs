use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use tonic::Status;
use tonic_types::StatusExt;
use v1::Seat;
use v1::play_response::Response;

use super::{assert_limited, quota};
use crate::pair::{Pair, to_points};
use crate::player::{Player, reason_in};
use crate::random_player::Draws;
use crate::raw::{Raw, channel};
use crate::served::Served;
use crate::still_clock::StillClock;

/// A burst of four changing requests, and one more per second: a test of a second or more may see
/// one more.
fn four_actions() -> Limits {
    Limits {
        actions_per_second: 1,
        action_burst: 4,
        ..Limits::default()
    }
}

#[tokio::test]
async fn a_player_acts_no_faster_than_its_rate() {
    let served = Served::with_limits(&four_actions()).await;
    let raw = served.raw("hasty").await;
    let other = served.raw("other").await;
    let refused = loop {
        if let Err(refused) = raw.create(to_points(1)).await {
            break refused;
        }
    };
    assert_limited(&refused, "RATE_LIMITED", "actions");
    let wait = retry_delay(&refused);
    assert!(
        wait > Duration::ZERO && wait <= Duration::from_secs(1),
        "{wait:?}"
    );
    // Requests other than actions are granted meanwhile, as are all requests of others.
    raw.who_am_i().await.unwrap();
    let match_id = other.create(to_points(1)).await.unwrap().id;
    let calls = [
        raw.join(&match_id, Seat::First).await.err(),
        raw.abort(&match_id, "").await.err(),
        raw.resign(&match_id, "").await.err(),
        raw.submit(v1::SubmitActionRequest::default()).await.err(),
    ];
    assert!(calls.iter().flatten().count() >= 3, "{calls:?}");
    for refused in calls.iter().flatten() {
        let reason = crate::refusals::reason_of(refused).unwrap();
        assert!(
            ["RATE_LIMITED", "FIELD_INVALID"].contains(&&*reason),
            "{refused}"
        );
    }
    // It may continue at the latest after the time it was given.
    let waited = async {
        while let Err(refused) = raw.create(to_points(1)).await {
            assert_limited(&refused, "RATE_LIMITED", "actions");
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waited)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_stream_that_is_too_fast_is_refused_and_continues() {
    let served = Served::with_limits(&four_actions()).await;
    let pair = Pair::seat(&served).await;
    let (mut player, due) = Player::deciding(&pair.first).await;
    // Taking the seat used one.
    for _ in 0..20 {
        player.answer(&due, "a8a7", "");
    }
    let mut limited = 0;
    for _ in 0..20 {
        match reason_in(&player.refused().await).as_str() {
            "RATE_LIMITED" => limited += 1,
            reason => assert_eq!(reason, "ILLEGAL_ACTION"),
        }
    }
    assert!(limited > 0);
    // The decision is still due, so it is answered in the end.
    let accepted = async {
        loop {
            player.answer(&due, "a1a2", "once");
            let told = player.next().await;
            if let Response::AnswerAccepted(accepted) = told {
                return accepted;
            }
            let Response::Refused(refused) = told else {
                panic!("{told:?}");
            };
            assert_eq!(reason_in(&refused), "RATE_LIMITED");
        }
    };
    let accepted = tokio::time::timeout(Duration::from_secs(30), accepted).await;
    assert_eq!(accepted.unwrap().decision_id, due.decision_id);
}

/// Also with requests that say nothing.
#[tokio::test]
async fn an_empty_request_on_a_stream_is_charged() {
    let served = Served::with_limits(&four_actions()).await;
    let mut player = Player::open(&served.raw("empty").await).await;
    for _ in 0..20 {
        player.send(None);
    }
    let mut limited = 0;
    for _ in 0..20 {
        match reason_in(&player.refused().await).as_str() {
            "RATE_LIMITED" => limited += 1,
            reason => assert_eq!(reason, "FIELD_INVALID"),
        }
    }
    assert!(limited > 0);
}

#[tokio::test]
async fn callers_without_a_token_share_the_rate_of_their_address() {
    let limits = Limits {
        calls_per_second: 1,
        call_burst: 3,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let channels = [
        channel(served.address()).await,
        channel(served.address()).await,
    ];
    let [one, other] = channels.map(|channel| Raw::over(channel, None));
    let refused = loop {
        if let Err(refused) = list(&one).await {
            break refused;
        }
    };
    assert_limited(&refused, "RATE_LIMITED", "calls");
    let shared = [list(&other).await, list(&one).await, list(&other).await];
    assert!(
        shared.iter().filter(|call| call.is_err()).count() >= 2,
        "{shared:?}"
    );
    // A caller with a token has its own rate, which is separate from that of the actions.
    let player = served.raw("anyone").await;
    list(&player).await.unwrap();
    for _ in 0..10 {
        player.create(to_points(1)).await.unwrap();
    }
}

/// Large answers cost more calls than small ones: a page by its size, the events of a match by their number.
#[tokio::test]
async fn a_call_that_takes_more_work_costs_more_calls() {
    const BURST: u64 = 30;
    let limits = Limits {
        calls_per_second: 1,
        call_burst: 30,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat_on(served.address(), to_points(15)).await;
    let mut draws = Draws::new(8800);
    let (id, mut head) = (&pair.match_id, 0);
    while head <= 256 {
        // By a caller with a quota of its own.
        let looks = served.raw(&format!("looks-after-{head}")).await;
        let due = looks.decision(id).await.unwrap();
        let answer = v1::SubmitActionRequest {
            match_id: id.clone(),
            decision_id: due.decision_id,
            action: draws.one_of(&due.legal_actions).clone(),
            request_id: String::new(),
            thinking: None,
        };
        let acted = pair.player(due.seat()).submit(answer).await.unwrap();
        head = acted.r#match.unwrap().head_sequence;
    }
    let clock = StillClock::new();
    for (call, cost) in [
        ("get", 1),
        ("page of 50", 1),
        ("page of 500", 10),
        ("export", 2),
        ("verify", 2),
        ("watch", 2),
        ("watch the end", 1),
    ] {
        let raw = served
            .raw(&format!("caller-of-{call}").replace(' ', "-"))
            .await;
        match call {
            "get" => drop(raw.get(id).await.unwrap()),
            "page of 50" => page(&raw, 50).await.unwrap(),
            "page of 500" => page(&raw, 500).await.unwrap(),
            "export" => drop(raw.export(id).await.unwrap()),
            "verify" => drop(raw.verify(id).await.unwrap()),
            "watch" => drop(raw.watch(id, 0).await.unwrap()),
            _ => drop(raw.watch(id, head).await.unwrap()),
        }
        // Asking costs a call too.
        let left = quota(&raw, "calls").await.available;
        assert_eq!(BURST - left, cost + 1, "{call}");
    }
    // It is refused as a whole and charged as one call, with the time until all of it can be paid.
    let hasty = served.raw("hasty-reader").await;
    page(&hasty, 500).await.unwrap();
    page(&hasty, 500).await.unwrap();
    page(&hasty, 50).await.unwrap();
    page(&hasty, 500).await.unwrap_err();
    let refused = page(&hasty, 500).await.unwrap_err();
    assert_limited(&refused, "RATE_LIMITED", "calls");
    assert_eq!(retry_delay(&refused), Duration::from_secs(3));
    clock.pass(Duration::from_secs(3)).await;
    page(&hasty, 500).await.unwrap();
}

async fn page(raw: &Raw, page_size: i32) -> Result<(), Status> {
    let request = v1::ListMatchesRequest {
        page_size,
        ..v1::ListMatchesRequest::default()
    };
    raw.matches.clone().list_matches(request).await.map(drop)
}

#[tokio::test]
async fn a_player_sees_its_remaining_quota() {
    let served = Served::with_limits(&four_actions()).await;
    let raw = served.raw("thrifty").await;
    let before = quota(&raw, "actions").await;
    assert_eq!((before.allowed, before.available), (4, 4));
    assert_eq!(before.per_second, 1);
    assert_eq!(before.reset_in, Some(prost_types::Duration::default()));
    raw.create(to_points(1)).await.unwrap();
    raw.create(to_points(1)).await.unwrap();
    let after = quota(&raw, "actions").await;
    assert!(after.available < 4);
    let rest = after.reset_in.unwrap();
    assert!(
        rest.seconds < 2 && (rest.seconds > 0 || rest.nanos > 0),
        "{rest:?}"
    );

    let matches = quota(&raw, "matches_of_player").await;
    assert_eq!(matches.allowed - matches.available, 2);
    assert_eq!(matches.reset_in, None);
    let calls = quota(&raw, "calls").await;
    assert!(calls.unlimited);
    let typed = served.client("thrifty").await.quotas().await.unwrap();
    let names: Vec<_> = typed.iter().map(|quota| quota.limit.as_str()).collect();
    assert_eq!(
        names,
        [
            "actions",
            "calls",
            "matches_of_player",
            "invitations_of_inviter",
            "streams_of_caller"
        ]
    );
    assert_eq!((typed[0].allowed, typed[1].allowed), (Some(4), None));
    assert_eq!(typed[2].available.unwrap() + 2, typed[2].allowed.unwrap());
    let other = quota(&served.raw("other").await, "matches_of_player").await;
    assert_eq!(other.available, other.allowed);
}

async fn list(raw: &Raw) -> Result<(), Status> {
    let request = v1::ListGamesRequest::default();
    raw.games.clone().list_games(request).await.map(drop)
}

fn retry_delay(status: &Status) -> Duration {
    let details = status.get_error_details();
    details.retry_info().unwrap().retry_delay.unwrap()
}
