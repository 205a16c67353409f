//! A service whose event log is in a database.

use dragontooth_proto::v1::MatchState;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt;

use crate::database_server::Server;
use crate::pair::{Pair, to_points};
use crate::program::{Program, ask};
use crate::random_player::Draws;
use crate::raw::channel;
use crate::scrape::ask_side;

const DONE: i32 = 0;
const NOT_STARTED: i32 = 3;

/// The walk of an operator from a folder to a database.
#[tokio::test]
async fn a_match_moves_from_a_folder_into_a_database() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, url) = (path("data"), path("backup"), server.address());
    let program = Program::serve(data.as_ref()).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    for _ in 0..4 {
        pair.play().await.unwrap();
    }
    let (id, before) = (pair.match_id.clone(), pair.events().await);
    stop(program).await;
    for command in [
        &["verify", "--log", &url][..],
        &["backup", "--log", &url, "--out", &path("none")],
        &["token", "list", "--log", &url],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, NOT_STARTED, "{errors}");
        assert!(
            errors.contains("there is no event log in the database"),
            "{errors}"
        );
    }
    for command in [
        &["backup", "--data", &data, "--out", &backup][..],
        &["restore", "--from", &backup, "--log", &url],
        &[
            "token", "create", "operator", "--scopes", "admin", "--log", &url,
        ],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, DONE, "{errors}");
    }

    let program = Program::serve_database(&url).await;
    let mut pair = Pair::connect(program.address()).await;
    pair.match_id = id;
    assert_eq!(pair.events().await, before);
    pair.play_to_the_end(&mut Draws::new(42)).await;
    let view = pair.view().await;
    assert_eq!(view.state(), MatchState::Ended);

    // Another service shares it, and the commands work while they run.
    let second = Program::serve_database(&url).await;
    let mut elsewhere = Pair::connect(second.address()).await;
    elsewhere.match_id = pair.match_id.clone();
    assert_eq!(elsewhere.view().await, view);
    for command in [
        &["verify", "--log", &url][..],
        &["backup", "--log", &url, "--out", &path("while-served")],
        &[
            "token", "create", "guest", "--scopes", "play", "--log", &url,
        ],
    ] {
        let (code, _, errors) = ask(command, &[]).await;
        assert_eq!(code, DONE, "{errors}");
    }
    stop(second).await;
    stop(program).await;

    let (code, text, _) = ask(&["verify", "--log", &url], &[]).await;
    assert_eq!(code, DONE, "{text}");
    assert!(text.starts_with("1 matches: 1 sound"), "{text}");
    let (code, text, _) = ask(&["token", "list", "--log", &url], &[]).await;
    assert_eq!(code, DONE, "{text}");
    assert!(text.contains("operator"), "{text}");

    // The summary is there, and the log.
    let program = Program::serve_database(&url).await;
    let mut again = Pair::connect(program.address()).await;
    again.match_id = pair.match_id;
    assert_eq!(again.view().await, view);
    stop(program).await;
}

/// While the database is away the service says so and refuses, and then it goes on by itself.
#[tokio::test]
async fn a_service_outlives_its_database() {
    let Some(mut server) = Server::start(&[]) else {
        return;
    };
    let program = Program::serve_database(&server.address()).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    pair.play().await.unwrap();
    let before = pair.events().await;
    let due = pair.decision().await.seat();
    let answer = pair.answer("away").await;
    let mut health = HealthClient::new(channel(program.address()).await);
    let whole = HealthCheckRequest::default();
    let mut health = health.watch(whole).await.unwrap().into_inner();
    let mut turns = async |expected: ServingStatus| {
        let serving = health.message().await.unwrap().unwrap();
        assert_eq!(serving.status(), expected);
    };
    turns(ServingStatus::Serving).await;

    server.kill();
    turns(ServingStatus::NotServing).await;
    let ready = ask_side(program.side(), "/readyz").await;
    assert_eq!(ready, (503, "log away\n".to_owned()));
    for refused in [
        pair.player(due).submit(answer).await.unwrap_err(),
        // What other services have appended is not known.
        pair.creator.get(&pair.match_id).await.unwrap_err(),
    ] {
        assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
        let details = refused.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "LOG_UNAVAILABLE");
        assert!(details.retry_info().is_some());
    }

    server.start_again();
    turns(ServingStatus::Serving).await;
    let ready = ask_side(program.side(), "/readyz").await;
    assert_eq!(ready, (200, "ready\n".to_owned()));
    assert_eq!(
        pair.events().await,
        before,
        "the refused action has left nothing"
    );
    pair.play_to_the_end(&mut Draws::new(43)).await;
    stop(program).await;
}

async fn stop(program: Program) {
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(DONE), "{log:#?}");
}
