use std::collections::BTreeSet;
use std::time::Duration;

use dragontooth_proto::v1;
use v1::time_control::PerAction;

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::program::{Program, ask};
use crate::scrape::{Scrape, ask_side};
use crate::served::token;

const PAGE: &str = include_str!("../../../../docs/operations.md");

const SUBMIT: &str = "dragontooth.v1.GameService/SubmitAction";

/// The metrics match the calls, and the documentation matches the metrics.
#[tokio::test]
async fn a_played_match_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &[]).await;
    let side = program.side();
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    for _ in 0..3 {
        pair.play().await.unwrap();
    }
    let seat = pair.decision().await.seat();
    let mut illegal = pair.answer("").await;
    illegal.action = "a1b1".to_owned();
    pair.player(seat).submit(illegal).await.unwrap_err();
    let nowhere = "01a1fc3c-aedb-72bf-a6a9-1b1e3e017cec";
    pair.first.get(nowhere).await.unwrap_err();
    let mut player = Player::open(&pair.first).await;
    player.opened().await;

    let scrape = Scrape::of(side).await;
    let value = |name: &str, labels: &[(&str, &str)]| {
        let name = format!("dragontooth_{name}");
        scrape
            .value(&name, labels)
            .unwrap_or_else(|| panic!("{name} {labels:?}"))
    };
    let calls = |method, code| {
        value(
            "rpc_duration_seconds_count",
            &[("method", method), ("code", code)],
        )
    };
    let same = |measured: f64, done: u32| {
        assert!(
            (measured - f64::from(done)).abs() < 1e-9,
            "{measured} is not {done}"
        );
    };
    same(calls(SUBMIT, "OK"), 3);
    same(calls(SUBMIT, "FAILED_PRECONDITION"), 1);
    same(calls("dragontooth.v1.MatchService/CreateMatch", "OK"), 1);
    same(calls("dragontooth.v1.MatchService/JoinMatch", "OK"), 2);
    same(
        calls("dragontooth.v1.MatchService/GetMatch", "NOT_FOUND"),
        1,
    );
    same(value("actions_total", &[("game", "kamisado")]), 3);
    same(value("illegal_actions_total", &[("game", "kamisado")]), 1);
    same(value("refusals_total", &[("reason", "ILLEGAL_ACTION")]), 1);
    same(value("refusals_total", &[("reason", "MATCH_NOT_FOUND")]), 1);
    // Created, joined twice, played three times.
    same(value("log_append_duration_seconds_count", &[]), 6);
    same(value("log_batch_appends_sum", &[]), 6);
    let flushes = value("log_flush_duration_seconds_count", &[]);
    assert!((1.0..=6.0).contains(&flushes), "{flushes}");
    assert!(value("log_flush_duration_seconds_sum", &[]) > 0.0);
    assert!(value("recovery_seconds", &[]) > 0.0);
    assert!(value("log_write_age_seconds", &[]) >= 0.0);
    same(value("log_failed", &[]), 0);
    same(value("live_matches", &[]), 1);
    same(value("open_streams", &[("kind", "play")]), 1);
    same(value("open_streams", &[("kind", "watch")]), 0);
    same(value("slow_reader_closes_total", &[]), 0);
    same(value("forfeits_total", &[("kind", "time")]), 0);
    same(value("phase", &[("phase", "ready")]), 1);
    for phase in ["recovering", "log failed", "draining"] {
        same(value("phase", &[("phase", phase)]), 0);
    }
    let (free, whole) = (value("disk_free_bytes", &[]), value("disk_size_bytes", &[]));
    assert!(0.0 < free && free <= whole, "{free} of {whole}");
    let process = |name| scrape.value(name, &[]).unwrap();
    // The store's cache alone is more than a MiB, and at least a socket and a file are open.
    assert!(process("process_resident_memory_bytes") > 1_048_576.0);
    assert!(process("process_open_fds") > 5.0);

    // A match that ends on time.
    let mut hasty = to_points(1);
    let limit = Duration::from_millis(1).try_into().unwrap();
    hasty.time_control = Some(v1::TimeControl {
        kind: Some(v1::time_control::Kind::PerAction(PerAction {
            limit: Some(limit),
        })),
    });
    let lost = Pair::seat_on(program.address(), hasty).await;
    lost.events().await;
    while lost.view().await.state() != v1::MatchState::Ended {
        tokio::task::yield_now().await;
    }
    let scrape = Scrape::of(side).await;
    let value = |name, labels: &[_]| scrape.value(name, labels);
    assert_eq!(
        value("dragontooth_forfeits_total", &[("kind", "time")]),
        Some(1.0)
    );

    check_documented(&scrape);
    program.kill().await;
}

/// The page has exactly the metrics of a service without a certificate, and the one of a certificate.
fn check_documented(scrape: &Scrape) {
    let measured: BTreeSet<(&str, &str)> = scrape.kinds();
    let names: BTreeSet<&str> = measured.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, scrape.explained());
    let (_, table) = PAGE.split_once("<!-- metrics: begin -->").unwrap();
    let (table, _) = table.split_once("<!-- metrics: end -->").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let documented: BTreeSet<(String, &str)> = rows
        .map(|row| {
            let (name, rest) = row.split_once("` | ").unwrap();
            (name.to_owned(), rest.split(" |").next().unwrap())
        })
        .collect();
    let documented = documented.iter().map(|(name, kind)| (name.as_str(), *kind));
    let documented = documented.filter(|(name, _)| !name.contains("_tls_"));
    assert_eq!(measured, documented.collect());
}

#[tokio::test]
async fn unknown_methods_are_measured_under_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &[]).await;
    let channel = crate::raw::channel(program.address()).await;
    for method in ["/no.Service/One", "/no.Service/Two"] {
        let mut client = tonic::client::Grpc::new(channel.clone());
        client.ready().await.unwrap();
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let path = method.parse().unwrap();
        client
            .unary(tonic::Request::new(()), path, codec)
            .await
            .unwrap_err();
    }
    let scrape = Scrape::of(program.side()).await;
    let labels = [("method", "unknown"), ("code", "UNIMPLEMENTED")];
    let calls = scrape.value("dragontooth_rpc_duration_seconds_count", &labels);
    assert_eq!(calls, Some(2.0));
    program.kill().await;
}

/// No alert is raised by a client that sends bytes that are not a message.
#[tokio::test]
async fn junk_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &[]).await;
    let channel = crate::raw::channel(program.address()).await;
    let methods = [
        "dragontooth.v1.MatchService/GetMatch",
        "dragontooth.v1.GameService/Play",
    ];
    for method in methods {
        let mut client = tonic::client::Grpc::new(channel.clone());
        client.ready().await.unwrap();
        // A `bytes` field of number 1, which is neither UTF-8 nor a message.
        let codec = tonic_prost::ProstCodec::<Vec<u8>, ()>::default();
        let mut request = tonic::Request::new(futures::stream::iter([vec![0xff, 0xfe]]));
        let header = format!("Bearer {}", token("first")).parse().unwrap();
        request.metadata_mut().insert("authorization", header);
        let path = format!("/{method}").parse().unwrap();
        let answer = client.streaming(request, path, codec).await;
        let status = match answer {
            Ok(answer) => answer.into_inner().message().await.unwrap_err(),
            Err(status) => status,
        };
        assert_eq!(status.code(), tonic::Code::InvalidArgument, "{status}");
    }
    let scrape = Scrape::of(program.side()).await;
    let calls = |method, code| {
        let labels = [("method", method), ("code", code)];
        scrape.value("dragontooth_rpc_duration_seconds_count", &labels)
    };
    for method in methods {
        assert_eq!(calls(method, "INVALID_ARGUMENT"), Some(1.0), "{method}");
        assert_eq!(calls(method, "INTERNAL"), None, "{method}");
    }
    program.kill().await;
}

#[tokio::test]
async fn the_healthcheck_asks_the_side_port() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &[]).await;
    let url = format!("http://{}", program.side());
    let healthy = (0, String::new(), String::new());
    assert_eq!(ask(&["healthcheck", "--side", &url], &[]).await, healthy);
    let variables = [("DRAGONTOOTH_SIDE_LISTEN", &url[7..])];
    assert_eq!(ask(&["healthcheck", "--live"], &variables).await, healthy);
    let file = folder.path().join("settings.toml");
    let settings = format!("[side]\nlisten = \"{}\"\n", program.side());
    std::fs::write(&file, settings).unwrap();
    let named = [("DRAGONTOOTH_CONFIG", file.to_str().unwrap())];
    assert_eq!(ask(&["healthcheck"], &named).await, healthy);
    let off = [("DRAGONTOOTH_SIDE_LISTEN", "off")];
    assert_eq!(ask(&["healthcheck"], &off).await.0, 2);
    // Other paths get a list of the existing ones.
    let paths = "there is /livez, /readyz and /metrics\n".to_owned();
    assert_eq!(ask_side(program.side(), "/").await, (404, paths));
    program.kill().await;
    let (code, _, errors) = ask(&["healthcheck", "--side", &url], &[]).await;
    assert_eq!(code, 1);
    assert!(errors.contains("does not answer"), "{errors}");
}
