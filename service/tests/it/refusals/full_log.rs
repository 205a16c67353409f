use dragontooth_proto::v1;
use futures::future::join_all;
use tonic::Status;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::provoke::Provoked;
use super::reason_of;
use crate::pair::{Pair, to_points};
use crate::program::Program;
use crate::raw::{Raw, channel};
use crate::scrape::{Scrape, ask_side};

/// Maximum size of the log's files, in blocks of 512 bytes: a few hundred matches.
const BLOCKS: u32 = 2048;

/// Fills the log of a service whose files cannot grow. Everything it acknowledged is there
/// when it is restarted without the limit, and refused requests can be repeated.
pub(super) async fn provoke() -> Provoked {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with_small_files(folder.path(), BLOCKS).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    pair.play().await.unwrap();
    let mut health = HealthClient::new(channel(program.address()).await);
    let whole = HealthCheckRequest::default();
    let mut health = health.watch(whole).await.unwrap().into_inner();
    let serving = health.message().await.unwrap().unwrap();
    assert_eq!(serving.status(), ServingStatus::Serving);
    let (created, refused) = create_until_refused(&pair.creator).await;
    // The failure is reported without another request to the log.
    let serving = health.message().await.unwrap().unwrap();
    assert_eq!(serving.status(), ServingStatus::NotServing);
    let ready = ask_side(program.side(), "/readyz").await;
    assert_eq!(ready, (503, "log failed\n".to_owned()));
    let scrape = Scrape::of(program.side()).await;
    assert_eq!(scrape.value("dragontooth_log_failed", &[]), Some(1.0));
    let view = pair.view().await;
    let seat = pair.decision().await.seat();
    let answer = pair.answer("again").await;
    let submitted = pair.player(seat).submit(answer.clone()).await;
    let resigned = pair.first.resign(&pair.match_id, "").await;
    let provoked = vec![
        ("create", refused),
        ("submit", submitted.unwrap_err()),
        ("resign", resigned.unwrap_err()),
    ];
    assert_eq!(pair.view().await, view, "the match is as it was");
    for created in &created {
        // A log that cannot be read now is not damaged.
        if let Err(refused) = pair.creator.export(&created.id).await {
            assert_eq!(reason_of(&refused).as_deref(), Some("LOG_UNAVAILABLE"));
        }
    }
    program.kill().await;

    let program = Program::serve(folder.path()).await;
    let creator = Raw::connect(program.address(), "creator").await;
    for created in &created {
        assert_eq!(creator.get(&created.id).await.unwrap(), *created);
    }
    let again = Pair {
        match_id: pair.match_id,
        ..Pair::connect(program.address()).await
    };
    let accepted = again.player(seat).submit(answer).await.unwrap();
    assert_eq!(accepted.sequence, view.head_sequence + 1);
    provoked
}

/// The matches that were created, and the refusal of the next.
async fn create_until_refused(creator: &Raw) -> (Vec<v1::Match>, Status) {
    let mut created = Vec::new();
    loop {
        let some = (0..32).map(|_| creator.create(filling()));
        let mut refused = None;
        for answer in join_all(some).await {
            match answer {
                Ok(view) => created.push(view),
                Err(status) => refused = Some(status),
            }
        }
        if let Some(status) = refused {
            assert_eq!(reason_of(&status).as_deref(), Some("LOG_UNAVAILABLE"));
            assert!(created.len() > 32, "the log was full at once");
            return (created, status);
        }
    }
}

fn filling() -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        title: "x".repeat(200),
        ..to_points(1)
    }
}
