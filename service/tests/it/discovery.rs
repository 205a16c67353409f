//! Discovery: health, reflection, and the rules.

use dragontooth_proto::v1;
use futures::stream;
use prost::Message;
use prost_types::FileDescriptorProto;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::{v1 as reflection, v1alpha};

use crate::pair::Pair;
use crate::random_player::Draws;
use crate::raw::{Raw, channel};
use crate::served::Served;

const SERVICES: [&str; 3] = [
    "dragontooth.v1.GameService",
    "dragontooth.v1.MatchService",
    "dragontooth.v1.PlayerService",
];

#[tokio::test]
async fn health_covers_every_service() {
    let served = Served::in_memory().await;
    let mut health = HealthClient::new(channel(served.address()).await);
    for service in SERVICES.iter().chain(&[""]) {
        let request = HealthCheckRequest {
            service: (*service).to_owned(),
        };
        let answer = health.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
    let request = HealthCheckRequest {
        service: "chess".to_owned(),
    };
    let refused = health.check(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
}

#[tokio::test]
async fn reflection_describes_services_and_details() {
    use reflection::server_reflection_client::ServerReflectionClient;
    use reflection::server_reflection_request::MessageRequest;
    use reflection::server_reflection_response::MessageResponse;

    let served = Served::in_memory().await;
    let mut client = ServerReflectionClient::new(channel(served.address()).await);
    let mut asked = vec![MessageRequest::ListServices(String::new())];
    let symbols = SERVICES
        .iter()
        .chain(&["google.rpc.ErrorInfo", "google.rpc.BadRequest"]);
    for symbol in symbols {
        asked.push(MessageRequest::FileContainingSymbol((*symbol).to_owned()));
    }
    let requests: Vec<_> = asked
        .into_iter()
        .map(|request| reflection::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(request),
        })
        .collect();
    let answers = client.server_reflection_info(stream::iter(requests)).await;
    let mut answers = answers.unwrap().into_inner();
    let first = answers.message().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = first.message_response else {
        panic!("{first:?}");
    };
    let names: Vec<&str> = list
        .service
        .iter()
        .map(|service| service.name.as_str())
        .collect();
    for service in SERVICES.iter().chain(&["grpc.health.v1.Health"]) {
        assert!(names.contains(service), "{names:?}");
    }
    for _ in 0..SERVICES.len() + 2 {
        let answer = answers.message().await.unwrap().unwrap();
        let Some(MessageResponse::FileDescriptorResponse(files)) = answer.message_response else {
            panic!("{answer:?}");
        };
        for file in files.file_descriptor_proto {
            FileDescriptorProto::decode(file.as_slice()).unwrap();
        }
    }
}

#[tokio::test]
async fn reflection_supports_older_tools() {
    use v1alpha::server_reflection_client::ServerReflectionClient;
    use v1alpha::server_reflection_request::MessageRequest;

    let served = Served::in_memory().await;
    let mut client = ServerReflectionClient::new(channel(served.address()).await);
    let request = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = client.server_reflection_info(stream::iter([request])).await;
    let answer = answers.unwrap().into_inner().message().await.unwrap();
    assert!(answer.unwrap().message_response.is_some());
}

/// A match and an analysis apply the same rules.
#[tokio::test]
async fn an_analysis_agrees_with_a_match() {
    let served = Served::in_memory().await;
    let pair = Pair::seat(&served).await;
    let mut draws = Draws::new(601);
    let mut actions = Vec::new();
    while pair.view().await.state() == v1::MatchState::Active {
        let due = pair.decision().await;
        let question = v1::AnalyzePositionRequest {
            game: "kamisado".to_owned(),
            actions: actions.clone(),
            with_results: true,
            ..v1::AnalyzePositionRequest::default()
        };
        let analysis = pair.creator.analyze_position(question).await.unwrap();
        assert_eq!(analysis.position, due.position);
        assert_eq!(analysis.seat(), due.seat());
        assert_eq!(analysis.legal_actions, due.legal_actions);
        assert_eq!(analysis.results.len(), analysis.legal_actions.len());
        assert_eq!(analysis.outcome, None);
        let played = pair.play_one_of(&mut draws).await.unwrap();
        let mut legal = due.legal_actions.iter();
        let place = legal.position(|action| *action == played.action).unwrap();
        assert_eq!(played.r#match.unwrap().position, analysis.results[place]);
        actions.push(played.action);
    }
}

#[tokio::test]
async fn a_player_is_the_hash_of_its_token() {
    let served = Served::in_memory().await;
    let channel = channel(served.address()).await;
    let raw = Raw::over(channel, Some("Bearer 0123456789abcdef"));
    let id = raw.who_am_i().await.unwrap();
    assert_eq!(id, "9d475faf7f0798b9b3f1c5f04ba938d7");
}
