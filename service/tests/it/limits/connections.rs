use std::net::SocketAddr;
use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service::{Config, Limits};
use dragontooth_service_client::{Reason, Resume, WatchUpdate};
use dragontooth_service_vocabulary::Sequence;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::transport::Channel;
use v1::CloseReason;
use v1::watch_match_response::Response;

use crate::pair::{Pair, to_points};
use crate::player::{Player, reason_in};
use crate::random_player::Draws;
use crate::raw::{Raw, endpoint};
use crate::served::{Served, token};
use crate::still_clock::{StillClock, TICK};

/// Timeout for an end that must come.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn connections_in_total_are_limited() {
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let address = served.address();
    let one = try_connect(address).await.unwrap();
    let two = try_connect(address).await.unwrap();
    let mut third = TcpStream::connect(address).await.unwrap();
    assert!(end_of(&mut third).await.is_empty(), "it gets no answer");
    assert!(try_connect(address).await.is_none());
    // Existing connections are not affected, and make room when they close.
    try_call(&two).await.unwrap();
    drop(one);
    let room = async {
        loop {
            if let Some(connected) = try_connect(address).await {
                return connected;
            }
        }
    };
    let three = timeout(PATIENCE, room).await.expect("there is room");
    assert!(try_connect(address).await.is_none());
    for channel in [two, three] {
        try_call(&channel).await.unwrap();
    }
    served.stop().await;
}

/// The bytes that arrive on a connection until it ends.
async fn end_of(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    // A connection that is closed in mid-sentence ends with an error.
    let _ = read.expect("the connection is closed");
    bytes
}

/// A connection on which one call has been answered.
async fn try_connect(address: SocketAddr) -> Option<Channel> {
    let channel = endpoint(address).connect().await.ok()?;
    try_call(&channel).await.ok()?;
    Some(channel)
}

async fn try_call(channel: &Channel) -> Result<String, tonic::Status> {
    let header = format!("Bearer {}", token("anyone"));
    Raw::over(channel.clone(), Some(&header)).who_am_i().await
}

#[tokio::test]
async fn silent_connections_are_closed() {
    let limits = Limits::default();
    let served = Served::with_limits(&limits).await;
    let clock = StillClock::new();
    let mut silent = TcpStream::connect(served.address()).await.unwrap();
    // Connections are accepted one after the other.
    let speaks = try_connect(served.address()).await.unwrap();
    clock.pass(limits.greeting_timeout + TICK).await;
    drop(clock);
    assert!(end_of(&mut silent).await.is_empty());
    try_call(&speaks).await.unwrap();
}

/// Of two clients without traffic, the one that answers no ping is cut, and the other is not.
#[tokio::test]
async fn the_client_that_answers_no_ping_is_cut() {
    let limits = Limits::default();
    let served = Served::with_limits(&limits).await;
    let clock = StillClock::new();
    let pair = Pair::seat(&served).await;
    let mut living = Player::open(&pair.first).await;
    living.opened().await;
    living.decision().await;
    let mut dead = TcpStream::connect(served.address()).await.unwrap();
    dead.write_all(PREFACE).await.unwrap();
    // The service has begun too, and its clock of the connection runs.
    dead.read_exact(&mut [0; FRAME_HEAD_BYTES]).await.unwrap();

    clock.pass(limits.keepalive_interval + TICK).await;
    // A call over the same connection comes after the answer to the ping before it.
    for _ in 0..2 {
        pair.first.who_am_i().await.unwrap();
    }
    clock.pass(limits.keepalive_timeout + TICK).await;
    drop(clock);
    let heard = end_of(&mut dead).await;
    assert!(has_ping(&heard), "{heard:?}");
    // The stream is the one that was open before.
    living.send(None);
    assert_eq!(reason_in(&living.refused().await), "FIELD_INVALID");
}

/// The beginning of HTTP/2: the client's preface and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const FRAME_HEAD_BYTES: usize = 9;

/// Returns true if the bytes have the head of a PING frame: a length of 8, the type, and no flag.
fn has_ping(bytes: &[u8]) -> bool {
    bytes.windows(5).any(|head| head == [0, 0, 8, 6, 0])
}

/// A browser or a probe on the wrong port gets an explanation, and gRPC continues.
#[tokio::test]
async fn http_1_clients_get_an_explanation() {
    let served = Served::with_limits(&Limits::default()).await;
    for method in ["GET", "POST", "HEAD", "PUT"] {
        let mut stream = TcpStream::connect(served.address()).await.unwrap();
        let request = format!("{method} /readyz HTTP/1.1\r\nhost: here\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer:?}");
        assert!(answer.contains("gRPC over HTTP/2"), "{answer:?}");
    }
    try_connect(served.address()).await.unwrap();
}

/// A client that keeps sending as fast as it can after the service has ended its connection for a mistake is cut
/// off as soon as any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_keep_sending_after_the_end_are_cut_off() {
    let served = Served::with_limits(&Limits::default()).await;
    let mut stream = TcpStream::connect(served.address()).await.unwrap();
    let flooded = async {
        // The preface, followed by bytes that are not a frame.
        stream
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .await?;
        let junk = vec![0xff; 1 << 20];
        loop {
            stream.write_all(&junk).await?;
        }
    };
    let ended: Result<std::io::Result<()>, _> = timeout(PATIENCE, flooded).await;
    assert!(matches!(ended, Ok(Err(_))), "the connection is held open");
    served.stop().await;
}

#[tokio::test]
async fn silent_connections_do_not_delay_a_shutdown() {
    let limits = Limits::default();
    let greeting_timeout = limits.greeting_timeout;
    let served = Served::with_limits(&limits).await;
    let silent = TcpStream::connect(served.address()).await.unwrap();
    // Connections are accepted one after the other.
    let speaks = try_connect(served.address()).await.unwrap();
    try_call(&speaks).await.unwrap();
    drop(speaks);
    let stopped = timeout(greeting_timeout / 2, served.stop()).await;
    stopped.expect("the stop did not wait for a greeting");
    drop(silent);
}

/// A client that is gone answers nothing, not even the question whether it is there.
#[tokio::test]
async fn connections_without_a_call_do_not_delay_a_shutdown() {
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        shutdown_timeout: Duration::from_hours(1),
        ..Config::default()
    };
    let served = Served::with_config(config).await;
    let mut stream = TcpStream::connect(served.address()).await.unwrap();
    stream.write_all(PREFACE).await.unwrap();
    let mut settings = [0; FRAME_HEAD_BYTES];
    stream.read_exact(&mut settings).await.unwrap();
    let stopped = timeout(PATIENCE, served.stop()).await;
    stopped.expect("the stop did not wait for an answer");
    drop(stream);
}

/// Streams end with a reason and a place to resume, calls continue, and no connection has to be cut.
#[tokio::test]
async fn an_old_connection_ends_gracefully() {
    let limits = Limits {
        connection_age: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat(&served).await;
    let mut player = Player::open(&pair.first).await;
    let mut watch = pair.second.watch(&pair.match_id, 0).await.unwrap();
    let mut told = Vec::new();
    let resume = loop {
        let message = watch.message().await.unwrap().unwrap().response.unwrap();
        match message {
            Response::Batch(batch) => told.extend(batch.events),
            Response::CaughtUp(_) | Response::Heartbeat(_) => {}
            Response::Closing(closing) => {
                assert_eq!(closing.reason(), CloseReason::ConnectionAged);
                break closing.resume_after_sequence;
            }
        }
    };
    assert_eq!(watch.message().await.unwrap(), None);
    // On a slow machine the connection may be too old before the first message.
    assert_eq!(told.last().map_or(0, |event| event.sequence), resume);
    assert_eq!(player.closing().await, CloseReason::ConnectionAged);
    // The same client continues on a new connection.
    let events = async {
        loop {
            if let Ok(exported) = pair.first.export(&pair.match_id).await {
                return exported.events;
            }
        }
    };
    let events = timeout(PATIENCE, events).await;
    assert!(events.unwrap().starts_with(&told));
}

/// An old connection that its client keeps open is cut after the grace period.
#[tokio::test]
async fn an_old_connection_is_cut_in_the_end() {
    let limits = Limits {
        connection_age: Duration::from_millis(100),
        connection_age_grace: Duration::from_millis(100),
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let raw = served.raw("clinging").await;
    // It has opened a stream and never sends its request.
    let mut games = raw.games.clone();
    let cut = timeout(PATIENCE, games.play(futures::stream::pending())).await;
    let status = cut.expect("the connection is cut").unwrap_err();
    assert_eq!(crate::refusals::reason_of(&status), None, "{status}");
}

/// The typed client continues over any number of connections.
#[tokio::test]
async fn the_typed_client_outlives_its_connections() {
    let limits = Limits {
        connection_age: Duration::from_millis(100),
        ..Limits::default()
    };
    let served = Served::with_limits(&limits).await;
    let pair = Pair::seat_on(served.address(), to_points(1)).await;
    let client = served.client("watcher").await;
    let patience = Resume::For(Duration::from_secs(30));
    let mut watch = client.watch(pair.id(), Sequence::START, patience);
    let watching = async {
        let mut sequences = Vec::new();
        loop {
            match watch.next().await.unwrap().unwrap() {
                WatchUpdate::Events(events) => {
                    sequences.extend(events.iter().map(|event| event.recorded.sequence.0));
                }
                WatchUpdate::Closing(_) => return sequences,
                WatchUpdate::CaughtUp { .. } | WatchUpdate::Heartbeat { .. } => {}
            }
        }
    };
    let players = [served.client("first").await, served.client("second").await];
    let playing = async {
        let mut draws = Draws::new(510);
        loop {
            // A call that fails because its connection is old is repeated.
            match players[0].get_decision(pair.id()).await {
                Ok(due) => drop(
                    players[due.seat.index()]
                        .submit_action(draws.answer(&due))
                        .await,
                ),
                Err(error) if error.reason() == Some(&Reason::MatchEnded) => return,
                Err(error) => assert!(error.is_transient(), "{error}"),
            }
        }
    };
    let (sequences, ()) = tokio::join!(watching, playing);
    let count = sequences.len() as u64;
    assert!(sequences.into_iter().eq(1..=count));
    assert!(count > 10);
}
