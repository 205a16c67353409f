use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Identity, Server, ServerTlsConfig};
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

/// A collector by a server, with its address and the names of the spans that it has.
async fn collect(mut server: Server) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (spans_in, spans) = mpsc::unbounded_channel();
    let collector = TraceServiceServer::new(Collector(spans_in));
    let incoming = TcpIncoming::from(listener);
    tokio::spawn(server.add_service(collector).serve_with_incoming(incoming));
    (address, spans)
}

/// Spans from just before the end are exported before it.
#[tokio::test]
async fn the_last_calls_are_traced() {
    let (address, mut spans) = collect(Server::builder()).await;
    let endpoint = format!("http://{address}");
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

/// A collector with TLS is known by the authorities that the system trusts.
#[tokio::test]
async fn traces_go_to_a_collector_with_tls() {
    let tls = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");
    let pem = |name| fs::read(tls.join(name)).unwrap();
    let identity = Identity::from_pem(pem("server.pem"), pem("server.key"));
    for (roots, is_trusted) in [("ca.pem", true), ("other-ca.pem", false)] {
        let server =
            Server::builder().tls_config(ServerTlsConfig::new().identity(identity.clone()));
        let (address, mut spans) = collect(server.unwrap()).await;
        let endpoint = format!("https://{address}");
        let folder = tempfile::tempdir().unwrap();
        let flags = ["--otlp-endpoint", &endpoint];
        let program = Program::serve_trusting(folder.path(), &tls.join(roots), &flags).await;
        Pair::seat_on(program.address(), to_points(1)).await;
        program.signal("TERM").await;
        let (status, log) = program.wait().await;
        assert_eq!(status.code(), Some(0), "{log:#?}");
        assert_eq!(spans.try_recv().is_ok(), is_trusted, "{roots}: {log:#?}");
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
