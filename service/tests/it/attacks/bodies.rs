use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::Limits;
use tonic::Code;
use v1::play_request::{Request, Start};

use super::attacker::{Attacker, Begun, message, unfinished};
use super::limit_in;
use crate::pair::to_points;
use crate::player::{Player, reason_in};
use crate::served::{Served, token};

const CREATE: &str = "dragontooth.v1.MatchService/CreateMatch";
const ANALYZE: &str = "dragontooth.v1.GameService/AnalyzePosition";
const WHO_AM_I: &str = "dragontooth.v1.PlayerService/WhoAmI";
const PLAY: &str = "dragontooth.v1.GameService/Play";

async fn begin(attacker: &Attacker, name: &str, method: &str) -> Begun {
    let header = format!("Bearer {}", token(name));
    let headers = [("authorization", header.as_str())];
    attacker.begin(method, &headers).await.unwrap()
}

/// Bytes that keep coming, one at a time, buy no more time.
#[tokio::test]
async fn a_request_has_to_arrive_in_time() {
    let limits = Limits {
        request_timeout: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let attacker = Attacker::connect(served.address()).await;
    for (name, method) in [("slow", CREATE), ("slow", PLAY)] {
        let mut call = begin(&attacker, name, method).await;
        call.send(unfinished(1000, 1));
        let mut never = begin(&attacker, name, method).await;
        never.send(unfinished(1000, 0));
        let silent = begin(&attacker, name, method).await;
        for mut call in [call, never, silent] {
            let (_, status) = call.answer().await.unwrap();
            assert_eq!(limit_in(&status), "request_timeout", "{method}");
            assert_eq!(status.code(), Code::ResourceExhausted);
            assert!(status.message().contains("300ms"), "{status}");
        }
    }
    // Without a token too, and the connection goes on.
    let mut never = attacker.begin(ANALYZE, &[]).await.unwrap();
    let (_, status) = never.answer().await.unwrap();
    assert_eq!(limit_in(&status), "request_timeout");
    let mut quick = begin(&attacker, "slow", CREATE).await;
    quick.send(message(&to_points(1)));
    quick.end();
    let (_, status) = quick.answer().await.unwrap();
    assert_eq!(status.code(), Code::Ok, "{status}");
}

/// The time of a message on a stream begins with its first byte: a stream may rest.
#[tokio::test]
async fn a_message_on_a_stream_has_to_arrive_in_time() {
    let limits = Limits {
        request_timeout: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let attacker = Attacker::connect(served.address()).await;
    let start = v1::PlayRequest {
        request: Some(Request::Start(Start::default())),
    };
    let mut rests = Player::open(&served.raw("resting").await).await;
    let mut dawdles = begin(&attacker, "dawdling", PLAY).await;
    dawdles.send(message(&start));
    dawdles.send(unfinished(1000, 10));
    let (data, status) = dawdles.answer().await.unwrap();
    assert!(!data.is_empty(), "the stream was open");
    assert_eq!(limit_in(&status), "request_timeout");
    rests.send(None);
    assert_eq!(reason_in(&rests.refused().await), "FIELD_INVALID");
}

/// One more request than each budget has room for, while small ones go on.
#[tokio::test]
async fn the_bytes_of_unfinished_requests_are_limited() {
    let limits = Limits {
        request_bytes: 100_000,
        body_bytes_of_connection: 100_000,
        body_bytes_of_caller: 170_000,
        body_bytes: 230_000,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let honest = served.raw("honest").await;
    let [one, two, three] = [
        Attacker::connect(served.address()).await,
        Attacker::connect(served.address()).await,
        Attacker::connect(served.address()).await,
    ];
    let held = hold(&one, "ann").await;
    for (attacker, name, limit) in [
        (&one, "ann", "body_bytes_of_connection"),
        (&one, "bob", "body_bytes_of_connection"),
    ] {
        assert_eq!(refused(attacker, name).await, limit);
    }
    let held_too = hold(&two, "ann").await;
    assert_eq!(refused(&three, "ann").await, "body_bytes_of_caller");
    let held_by_bob = hold(&three, "bob").await;
    let four = Attacker::connect(served.address()).await;
    assert_eq!(refused(&four, "eve").await, "body_bytes");
    honest.create(to_points(1)).await.unwrap();
    // What ends makes room.
    for held in [held, held_too, held_by_bob] {
        held.cancel();
    }
    let held = hold(&four, "eve").await;
    honest.create(to_points(1)).await.unwrap();
    held.cancel();
}

/// Has the service hold most of a request, as soon as there is room for it. Of two, one is refused then.
async fn hold(attacker: &Attacker, name: &str) -> Begun {
    loop {
        let mut calls = [
            begin(attacker, name, CREATE).await,
            begin(attacker, name, CREATE).await,
        ];
        for call in &mut calls {
            call.send(unfinished(100_000, 60_000));
        }
        let [mut one, mut other] = calls;
        let (answer, held) = tokio::select! {
            answer = one.answer() => (answer, other),
            answer = other.answer() => (answer, one),
        };
        if limit_in(&answer.unwrap().1) == "body_bytes_of_connection" {
            return held;
        }
    }
}

async fn refused(attacker: &Attacker, name: &str) -> String {
    let mut call = begin(attacker, name, CREATE).await;
    call.send(unfinished(100_000, 60_000));
    let (_, status) = call.answer().await.unwrap();
    assert_eq!(status.code(), Code::ResourceExhausted);
    limit_in(&status)
}

/// A refusal comes before a byte of the request is read, and refused requests that arrive late end no connection.
#[tokio::test]
async fn refused_requests_cost_their_connection_nothing() {
    let limits = Limits {
        actions_per_second: 1,
        action_burst: 1,
        resets_of_connection: 20,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let attacker = Attacker::connect(served.address()).await;
    let mut refusals = 0;
    for _ in 0..10 {
        let mut calls = Vec::new();
        for _ in 0..100 {
            calls.push(begin(&attacker, "hasty", CREATE).await);
        }
        // All headers are there before any of the data.
        let mut probe = attacker.begin(CREATE, &[]).await.unwrap();
        let (_, status) = probe.answer().await.unwrap();
        assert_eq!(status.code(), Code::Unauthenticated, "{status}");
        for call in &mut calls {
            call.send(message(&to_points(1)));
            call.end();
        }
        for mut call in calls {
            let (_, status) = call.answer().await.unwrap();
            if status.code() != Code::Ok {
                assert_eq!(limit_in(&status), "actions");
                refusals += 1;
            }
        }
    }
    assert!(refusals > 900, "{refusals}");
}

/// Many calls whose answers stay in the service make it refuse further ones of the same caller.
#[tokio::test]
async fn responses_that_are_not_read_are_limited() {
    let limits = Limits {
        response_bytes: 1 << 20,
        response_bytes_of_caller: 1 << 20,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let attacker = Attacker::without_window(served.address()).await;
    let mut unread = Vec::new();
    // As 16 KiB each they take the room for one of a MiB, and that of its call.
    for _ in 0..65 {
        let mut call = begin(&attacker, "deaf", WHO_AM_I).await;
        call.send(message(&v1::WhoAmIRequest::default()));
        call.end();
        unread.push(call.unread().await);
    }
    let refused = served.raw("deaf").await.who_am_i().await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert_eq!(limit_in(&refused), "response_bytes_of_caller");
    served.raw("other").await.who_am_i().await.unwrap();
}
