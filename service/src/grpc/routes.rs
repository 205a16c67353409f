use std::sync::Arc;

use dragontooth_proto::v1::admin_service_server::AdminServiceServer;
use dragontooth_proto::v1::game_service_server::GameServiceServer;
use dragontooth_proto::v1::match_service_server::MatchServiceServer;
use dragontooth_proto::v1::player_service_server::PlayerServiceServer;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tonic_reflection::server::{Builder, Error};

use super::admin_api::AdminApi;
use super::backend::Backend;
use super::encoded::OwnBodies;
use super::game_api::GameApi;
use super::match_api::MatchApi;
use super::page_tokens::PageTokens;
use super::player_api::PlayerApi;
use super::watch::MatchAudiences;
use super::watch_matches::NewsRelay;
use crate::access::Gate;
use crate::config::Limits;
use crate::matches::Matches;

/// The services, with health and reflection, and the reporter of the health. The tokens of pages are known by
/// the secret key.
pub(crate) async fn routes(
    matches: &Arc<Matches>,
    gate: &Gate,
    limits: &Limits,
    page_key: [u8; 32],
) -> Result<(Routes, HealthReporter), Error> {
    let backend = Backend {
        gate: gate.clone(),
        matches: Arc::clone(matches),
        page_tokens: PageTokens::new(page_key),
        audiences: MatchAudiences::new(),
        news: NewsRelay::new(),
    };
    let games = GameServiceServer::new(GameApi(backend.clone()))
        .max_decoding_message_size(limits.request_bytes)
        .max_encoding_message_size(limits.response_bytes);
    let match_service = MatchServiceServer::new(MatchApi(backend.clone()))
        .max_decoding_message_size(limits.request_bytes)
        .max_encoding_message_size(limits.response_bytes);
    let match_service = OwnBodies(match_service);
    let players = PlayerServiceServer::new(PlayerApi(backend.clone()))
        .max_decoding_message_size(limits.request_bytes)
        .max_encoding_message_size(limits.response_bytes);
    let admin = AdminServiceServer::new(AdminApi(backend))
        .max_decoding_message_size(limits.request_bytes)
        .max_encoding_message_size(limits.response_bytes);
    let reflection = || {
        Builder::configure()
            .register_encoded_file_descriptor_set(dragontooth_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_serving::<GameServiceServer<GameApi>>().await;
    reporter.set_serving::<MatchServiceServer<MatchApi>>().await;
    reporter
        .set_serving::<PlayerServiceServer<PlayerApi>>()
        .await;
    reporter.set_serving::<AdminServiceServer<AdminApi>>().await;
    let routes = Routes::new(OwnBodies(games))
        .add_service(match_service)
        .add_service(players)
        .add_service(admin)
        .add_service(health.max_decoding_message_size(limits.request_bytes))
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?);
    Ok((routes, reporter))
}

/// Reports that the service accepts calls again.
pub(crate) async fn serving(reporter: &HealthReporter) {
    reporter
        .set_service_status("", ServingStatus::Serving)
        .await;
    reporter.set_serving::<GameServiceServer<GameApi>>().await;
    reporter.set_serving::<MatchServiceServer<MatchApi>>().await;
    reporter
        .set_serving::<PlayerServiceServer<PlayerApi>>()
        .await;
    reporter.set_serving::<AdminServiceServer<AdminApi>>().await;
}

/// Reports that the service accepts no further calls.
pub(crate) async fn not_serving(reporter: &HealthReporter) {
    reporter
        .set_service_status("", ServingStatus::NotServing)
        .await;
    reporter
        .set_not_serving::<GameServiceServer<GameApi>>()
        .await;
    reporter
        .set_not_serving::<MatchServiceServer<MatchApi>>()
        .await;
    reporter
        .set_not_serving::<PlayerServiceServer<PlayerApi>>()
        .await;
    reporter
        .set_not_serving::<AdminServiceServer<AdminApi>>()
        .await;
}

/// Ends the streams of those who watch the health, which would keep the connections open.
pub(crate) async fn end_health(mut reporter: HealthReporter) {
    for name in [
        "",
        <GameServiceServer<GameApi> as NamedService>::NAME,
        <MatchServiceServer<MatchApi> as NamedService>::NAME,
        <PlayerServiceServer<PlayerApi> as NamedService>::NAME,
        <AdminServiceServer<AdminApi> as NamedService>::NAME,
    ] {
        reporter.clear_service_status(name).await;
    }
}
