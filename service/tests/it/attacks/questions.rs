use dragontooth_proto::v1;
use dragontooth_service::Limits;
use futures::stream;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use super::limit_in;
use crate::raw::channel;
use crate::served::Served;

fn three_calls() -> Limits {
    Limits {
        calls_per_second: 1,
        call_burst: 3,
        ..Limits::default()
    }
}

#[tokio::test]
async fn checks_of_the_health_share_the_rate_of_their_address() {
    let served = Served::with_limits(&three_calls()).await;
    let mut health = HealthClient::new(channel(served.address()).await);
    let refused = loop {
        if let Err(refused) = health.check(HealthCheckRequest::default()).await {
            break refused;
        }
    };
    assert_eq!(limit_in(&refused), "calls");
    // A player has its own.
    served.raw("anyone").await.who_am_i().await.unwrap();
}

/// Each question on a stream counts as a call, and the end of the stream says so.
#[tokio::test]
async fn questions_about_the_api_share_the_rate_of_their_address() {
    let served = Served::with_limits(&three_calls()).await;
    let (answers, refused) = ask(&served, vec![list(); 100]).await;
    assert!(answers.len() <= 4, "{}", answers.len());
    assert_eq!(limit_in(&refused), "calls");
}

#[tokio::test]
async fn questions_about_the_api_are_short() {
    let served = Served::in_memory().await;
    let long = ServerReflectionRequest {
        host: "x".repeat(5000),
        ..list()
    };
    let (answers, refused) = ask(&served, vec![list(), long, list()]).await;
    assert!(answers.len() <= 1, "{}", answers.len());
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
}

/// Asks, and returns the answers and the status at the end.
async fn ask(
    served: &Served,
    questions: Vec<ServerReflectionRequest>,
) -> (Vec<ServerReflectionResponse>, Status) {
    let mut client = ServerReflectionClient::new(channel(served.address()).await);
    let asked = client.server_reflection_info(stream::iter(questions)).await;
    let mut open = asked.unwrap().into_inner();
    let mut answers = Vec::new();
    loop {
        match open.message().await {
            Ok(Some(answer)) => answers.push(answer),
            Ok(None) => panic!("all {} are answered", answers.len()),
            Err(status) => return (answers, status),
        }
    }
}

fn list() -> ServerReflectionRequest {
    ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    }
}

#[tokio::test]
async fn watchers_of_the_health_are_limited() {
    let limits = Limits {
        calls_of_address: 3,
        streams: 5,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let mut health = HealthClient::new(channel(served.address()).await);
    let mut watching = Vec::new();
    for _ in 0..3 {
        let watch = health.watch(HealthCheckRequest::default()).await.unwrap();
        watching.push(watch.into_inner());
    }
    let refused = health.watch(HealthCheckRequest::default()).await;
    assert_eq!(limit_in(&refused.unwrap_err()), "calls_of_address");
    let refused = health.check(HealthCheckRequest::default()).await;
    assert_eq!(limit_in(&refused.unwrap_err()), "calls_of_address");
    // Those of players are streams like any other.
    let raw = served.raw("anyone").await;
    let _one = crate::player::Player::open(&raw).await;
    let other = served.raw("other").await;
    let _two = crate::player::Player::open(&other).await;
    let third = served.raw("third").await;
    let start = v1::play_request::Request::Start(v1::play_request::Start::default());
    let refused = crate::player::Player::begin(&third, start)
        .await
        .unwrap_err();
    assert_eq!(limit_in(&refused), "streams");
    // What ends makes room, a moment later.
    drop(watching);
    while health.check(HealthCheckRequest::default()).await.is_err() {}
}
