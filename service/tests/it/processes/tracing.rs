use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::program::Program;
use crate::served::token;

const SEED: &str = "a-seed-that-nobody-knows";

/// A trace collector that passes on the names of spans.
struct Collector(mpsc::UnboundedSender<String>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for of_resource in request.into_inner().resource_spans {
            for of_scope in of_resource.scope_spans {
                for span in of_scope.spans {
                    self.0.send(span.name).unwrap();
                }
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Spans from just before the end are exported before it.
#[tokio::test]
async fn the_last_calls_are_traced() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (spans_in, mut spans) = mpsc::unbounded_channel();
    let collector = TraceServiceServer::new(Collector(spans_in));
    let incoming = TcpIncoming::from(listener);
    tokio::spawn(
        Server::builder()
            .add_service(collector)
            .serve_with_incoming(incoming),
    );

    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &["--otlp-endpoint", &endpoint]).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    pair.play().await.unwrap();
    pair.first.resign(&pair.match_id, "").await.unwrap();
    drop(pair);
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(0), "{log:#?}");

    let mut names = Vec::new();
    while let Ok(name) = spans.try_recv() {
        names.push(name);
    }
    for (name, count) in [
        ("dragontooth.v1.MatchService/CreateMatch", 1),
        ("dragontooth.v1.MatchService/JoinMatch", 2),
        ("dragontooth.v1.GameService/SubmitAction", 1),
        ("dragontooth.v1.MatchService/ResignMatch", 1),
        ("match", 1),
    ] {
        let found = names.iter().filter(|found| *found == name).count();
        assert_eq!(found, count, "{name}: {names:#?}");
    }
}

/// A missing collector costs nothing but the traces.
#[tokio::test]
async fn a_missing_collector_delays_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = ["--otlp-endpoint", "http://127.0.0.1:1"];
    let program = Program::serve_with(folder.path(), &nowhere).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    pair.play().await.unwrap();
    drop(pair);
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(0), "{log:#?}");
}

/// At the finest level the program's own logs contain calls and matches, but no secrets.
#[tokio::test]
async fn logs_hold_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &["--log-filter", "trace"]).await;
    let mut new = to_points(1);
    new.seed = SEED.to_owned();
    let pair = Pair::seat_on(program.address(), new).await;
    pair.play().await.unwrap();
    let mut player = Player::open(&pair.first).await;
    player.opened().await;
    pair.first.resign(&pair.match_id, "").await.unwrap();
    let id = pair.match_id.clone();
    drop((pair, player));
    program.signal("TERM").await;
    let (_, log) = program.wait().await;
    let has = |text: &str| log.iter().any(|line| line.contains(text));
    assert!(has(r#""name":"rpc""#), "calls have spans");
    assert!(has(r#""name":"match""#), "matches have spans");
    assert!(has(&format!(r#""match_id":"{id}""#)));
    for secret in [SEED, "Bearer", "server_seed"] {
        assert!(!has(secret), "{secret} is in the log");
    }
    for player in ["creator", "first", "second"] {
        assert!(!has(&token(player)), "{player}'s token is in the log");
    }
}
