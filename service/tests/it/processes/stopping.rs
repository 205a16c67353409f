use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::path::Path;
use std::time::Duration;

use dragontooth_proto::v1;
use futures::stream;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tonic::Streaming;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use v1::watch_match_response::Response;

use crate::pair::{Pair, to_points};
use crate::player::Player;
use crate::program::{PROGRAM, Program, arguments, quiet};
use crate::raw::{Raw, channel, endpoint};
use crate::scrape::ask_side;

const TOO_SLOW: i32 = 5;
const SECOND_SIGNAL: i32 = 6;

/// Timeout for an end. The exit code and the log say what ended the service, and that it was in time.
const PATIENCE: Duration = Duration::from_mins(1);

/// The flags of a shutdown timeout, and a time that no machine needs for it; without the flags it is ten seconds.
const SHORT_SHUTDOWN: &[&str] = &["--shutdown-timeout", "1s"];
const LESS_THAN_THE_DEFAULT: Duration = Duration::from_secs(8);

#[tokio::test]
async fn a_termination_ends_the_service_in_time() {
    stop_with("TERM").await;
}

#[tokio::test]
async fn an_interrupt_ends_the_service_in_time() {
    stop_with("INT").await;
}

#[tokio::test]
async fn closing_the_terminal_ends_the_service_in_time() {
    stop_with("HUP").await;
}

/// `nohup` makes a program ignore the signal.
#[tokio::test]
async fn a_service_that_ignores_sighup_keeps_serving() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_without_hangups(folder.path()).await;
    program.signal("HUP").await;
    // An earlier signal would be handled first.
    program.signal("TERM").await;
    let (status, log) = program.wait().await;
    assert_eq!(status.code(), Some(0));
    let told = log
        .iter()
        .filter(|line| line.contains("stop signal received"));
    assert_eq!(told.count(), 1, "{log:#?}");
}

/// Stops a service with open streams: of a player, of watchers of a match and of the health, and of
/// a client that has not sent anything yet.
async fn stop_with(signal: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with_hangups(&folder.path().join("data")).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let mut player = Player::open(&pair.first).await;
    let mut watch = pair.creator.watch(&pair.match_id, 0).await.unwrap();
    let mut games = pair.second.games.clone();
    let silent = tokio::spawn(async move { games.play(stream::pending()).await });
    let mut health = HealthClient::new(channel(program.address()).await);
    let whole = HealthCheckRequest::default();
    let mut health = health.watch(whole).await.unwrap().into_inner();
    let serving = health.message().await.unwrap().unwrap();
    assert_eq!(serving.status(), ServingStatus::Serving);
    pair.play().await.unwrap();
    let events = pair.events().await;

    program.signal(signal).await;
    assert_eq!(player.closing().await, v1::CloseReason::Draining);
    let mut told = 0;
    let closing = loop {
        let message = watch.message().await.unwrap().expect("it says why it ends");
        match message.response.unwrap() {
            Response::Batch(batch) => told += batch.events.len() as u64,
            Response::Closing(closing) => break closing,
            Response::CaughtUp(_) | Response::Heartbeat(_) => {}
        }
    };
    assert_eq!(closing.reason(), v1::CloseReason::Draining);
    assert_eq!(closing.resume_after_sequence, told);
    assert!(silent.await.unwrap().is_err());
    let serving = health.message().await.unwrap().unwrap();
    assert_eq!(serving.status(), ServingStatus::NotServing);
    assert!(health.message().await.unwrap().is_none());
    let (status, log) = timeout(PATIENCE, program.wait()).await.expect("an end");
    assert_eq!(status.code(), Some(0), "{log:#?}");
    let problems = |line: &&String| line.contains("WARN") || line.contains("ERROR");
    assert_eq!(log.iter().find(problems), None);

    let program = Program::serve(&folder.path().join("data")).await;
    let again = Pair {
        match_id: pair.match_id,
        ..Pair::connect(program.address()).await
    };
    assert_eq!(again.events().await, events);
    again.play().await.unwrap();
    program.kill().await;
}

/// A reader that does not read delays the service only until the next signal.
#[tokio::test]
async fn a_second_signal_ends_the_service_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve(folder.path()).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let (mut player, stuck) = stick(&program, &pair).await;
    program.signal("TERM").await;
    assert_eq!(player.closing().await, v1::CloseReason::Draining);
    program.signal("TERM").await;
    let (status, log) = timeout(PATIENCE, program.wait()).await.expect("an end");
    assert_eq!(status.code(), Some(SECOND_SIGNAL), "{log:#?}");
    drop(stuck);
}

/// It delays the service by nine tenths of the shutdown timeout.
#[tokio::test]
async fn a_reader_that_does_not_read_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), SHORT_SHUTDOWN).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let (_player, stuck) = stick(&program, &pair).await;
    program.signal("TERM").await;
    let ended = timeout(LESS_THAN_THE_DEFAULT, program.wait()).await;
    let (status, log) = ended.expect("an end");
    assert_eq!(status.code(), Some(0), "{log:#?}");
    assert!(log.iter().any(|line| line.contains("connections were cut")));
    drop(stuck);
}

/// A program that reads the service's standard error no longer, such as a pager, stops the service in mid-line. The
/// timeout ends it all the same.
#[tokio::test]
async fn a_log_that_nobody_reads_does_not_hold_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let (mut service, _log) = serve_unread(folder.path(), SHORT_SHUTDOWN);
    signal(&service, "TERM").await;
    let status = timeout(PATIENCE, service.wait()).await.expect("an end");
    assert_eq!(status.unwrap().code(), Some(TOO_SLOW));
}

#[tokio::test]
async fn a_second_signal_is_heard_while_nobody_reads_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (mut service, _log) = serve_unread(folder.path(), &["--shutdown-timeout", "1h"]);
    let ended = async {
        // Two that come at once count as one.
        loop {
            signal(&service, "TERM").await;
            let moment = Duration::from_millis(100);
            if let Ok(status) = timeout(moment, service.wait()).await {
                return status;
            }
        }
    };
    let status = timeout(PATIENCE, ended).await.expect("an end");
    assert_eq!(status.unwrap().code(), Some(SECOND_SIGNAL));
}

/// Serves with a full log, whose other end is open and unread.
fn serve_unread(folder: &Path, flags: &[&str]) -> (Child, PipeReader) {
    let (log, mut written) = io::pipe().unwrap();
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments(folder, "127.0.0.1:0".parse().unwrap()))
        .args(flags)
        .env("RUST_LOG", "info")
        .stderr(written.try_clone().unwrap())
        .kill_on_drop(true);
    let service = quiet(&mut command).spawn().unwrap();
    let mut lines = BufReader::new(&log).lines();
    while !lines.next().unwrap().unwrap().contains("serving") {}
    fill(&mut written);
    (service, log)
}

async fn signal(service: &Child, name: &str) {
    let id = service.id().unwrap().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.await.unwrap().success());
}

/// Writes to a pipe until it has no room for one byte more.
fn fill(pipe: &mut PipeWriter) {
    let flags = fcntl_getfl(&*pipe).unwrap();
    fcntl_setfl(&*pipe, flags | OFlags::NONBLOCK).unwrap();
    for piece in [&[b'\n'; 4096][..], b"\n"] {
        while pipe.write(piece).is_ok() {}
    }
    fcntl_setfl(&*pipe, flags).unwrap();
}

/// Connections of clients that vanished without the network reporting it: one that has sent nothing,
/// and one that has started HTTP/2. Nothing that is sent to them is read.
#[tokio::test]
async fn dead_clients_are_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), SHORT_SHUTDOWN).await;
    let silent = TcpStream::connect(program.address()).await.unwrap();
    let mut begun = TcpStream::connect(program.address()).await.unwrap();
    // The client's preface, and an empty SETTINGS frame.
    begun
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await
        .unwrap();
    // Once a later client is served, they have been accepted.
    Pair::seat_on(program.address(), to_points(1)).await;
    program.signal("TERM").await;
    let (status, log) = timeout(PATIENCE, program.wait()).await.expect("an end");
    assert_eq!(status.code(), Some(0), "{log:#?}");
    assert!(log.iter().any(|line| line.contains("connections were cut")));
    drop((silent, begun));
}

/// While the service drains, its side port says so, until the end.
#[tokio::test]
async fn the_side_port_reports_the_drain() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &["--shutdown-timeout", "1m"]).await;
    let pair = Pair::seat_on(program.address(), to_points(1)).await;
    let side = program.side();
    assert_eq!(ask_side(side, "/readyz").await, (200, "ready\n".to_owned()));
    let (mut player, stuck) = stick(&program, &pair).await;
    program.signal("TERM").await;
    assert_eq!(player.closing().await, v1::CloseReason::Draining);
    assert_eq!(
        ask_side(side, "/readyz").await,
        (503, "draining\n".to_owned())
    );
    assert_eq!(ask_side(side, "/livez").await, (200, "alive\n".to_owned()));
    program.kill().await;
    drop(stuck);
}

/// A player's stream, and a watch with more events than its reader has room for.
async fn stick(program: &Program, pair: &Pair) -> (Player, Streaming<v1::WatchMatchResponse>) {
    let narrow = endpoint(program.address())
        .initial_stream_window_size(64)
        .connect()
        .await
        .unwrap();
    let narrow = Raw::over(narrow, None);
    let watch = narrow.watch(&pair.match_id, 0).await.unwrap();
    (Player::open(&pair.first).await, watch)
}
