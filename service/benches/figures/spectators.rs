use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dragontooth_proto::v1::WatchMatchRequest;
use dragontooth_service_client::{Answer, Client};
use dragontooth_service_vocabulary::MatchId;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::count::Count;
use crate::figure::figure;
use crate::load::{any_action, connect, due};
use crate::neighbour::{Neighbour, ready, wait_for_end};
use crate::program::Program;
use crate::readers::seat;
use crate::scale::Scale;
use crate::times::{HEAD, Times};

/// The role of a neighbour whose spectators watch.
pub(crate) const ROLE: &str = "spectators";

/// Names of figures, matches, and browsers that watch each of them.
const AUDIENCES: [(&str, usize, usize); 3] = [
    ("none", 1, 0),
    ("one_match", 1, 1000),
    ("many_matches", 100, 10),
];

/// Pause of a player before each action; the matches of an audience have it in turn.
const PACE: Duration = Duration::from_millis(100);

/// Time for which an audience is measured, and the number of rounds that it is divided into.
const TIME: Duration = Duration::from_secs(30);
const ROUNDS: u32 = 3;

/// Settings under which all spectators may come from one address.
const FLAGS: &[&str] = &[
    "--web",
    "127.0.0.1:0",
    "--max-connections-of-address",
    "5000",
];

/// Prints the latency of a player's actions without and with spectators in browsers, and what a spectator receives for an
/// action.
///
/// Spectators are elsewhere: a process that gets only the time that others leave, and does not decode what it gets. Each
/// has a connection of its own, over HTTP/1.1, as behind a proxy.
pub(crate) fn print(scale: Scale) {
    let runtime = Runtime::new().expect("tokio starts");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let program = Program::serve_with(&folder.path().join("log"), FLAGS);
    let clients = runtime.block_on(async {
        [
            connect(program.address(), "the-first-player").await,
            connect(program.address(), "the-second-player").await,
        ]
    });
    let audiences = AUDIENCES.map(|(name, matches, each)| {
        let each = if each == 0 { 0 } else { scale.count(each) };
        (name, matches, each)
    });
    let mut rows = AUDIENCES.map(|_| (Vec::new(), 0, 0));
    for _ in 0..ROUNDS {
        for ((_, matches, each), row) in audiences.into_iter().zip(&mut rows) {
            let ids: Vec<MatchId> = runtime.block_on(async {
                let mut ids = Vec::new();
                for _ in 0..matches {
                    ids.push(seat(&clients).await.id);
                }
                ids
            });
            let names = ids.iter().map(ToString::to_string);
            let arguments = [program.web().to_string(), each.to_string()];
            let arguments: Vec<_> = arguments.into_iter().chain(names).collect();
            let mut audience = Neighbour::start(ROLE, &arguments);
            audience.begin();
            assert_eq!(audience.line(), "watching");
            let time = scale.time(TIME) / ROUNDS;
            let times = runtime.block_on(play(&clients, ids, time));
            let bytes = audience.stop().and_then(|line| line.parse().ok());
            let bytes: u64 = bytes.expect("it says how many");
            row.1 += times.len() * each;
            row.2 += bytes;
            row.0.extend(times);
        }
    }
    println!("a player's SubmitAction, ten a second, in milliseconds");
    println!("{:<29}{HEAD}", "matches × spectators");
    for ((name, matches, each), (times, received, bytes)) in audiences.into_iter().zip(rows) {
        let times = Times::new(times);
        println!("{:<29}{}", format!("{matches} × {each}"), times.row());
        figure(&format!("spectators/{name}/p50"), times.millis(500), "ms");
        figure(&format!("spectators/{name}/p99"), times.millis(990), "ms");
        if let Some(share) = bytes.checked_div(received as u64) {
            println!("    {share} bytes for a spectator and an action");
        }
    }
    drop(clients);
    program.stop();
}

/// Plays the matches in turn for some time; returns the time of each action.
async fn play(clients: &[Client; 2], mut ids: Vec<MatchId>, time: Duration) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut pace = tokio::time::interval(PACE);
    let until = Instant::now() + time;
    while Instant::now() < until && !ids.is_empty() {
        pace.tick().await;
        let at = times.len() % ids.len();
        let view = clients[0].get_match(ids[at]).await.expect("it is there");
        let Some((seated, decision_id)) = due(&view) else {
            ids.swap_remove(at);
            continue;
        };
        let position = view.position.as_deref().expect("a decision has a position");
        let answer = Answer {
            match_id: view.id,
            decision_id,
            action: any_action(position, decision_id),
            request_id: None,
            thinking: None,
        };
        let begun = Instant::now();
        let submitted = clients[seated].submit_action(answer).await;
        times.push(begun.elapsed());
        submitted.expect("legal and in turn");
    }
    times
}

/// Watches, in a neighbour, until that is to end; says how many bytes came meanwhile.
pub(crate) fn watch(arguments: &[String]) {
    let [web, each, ids @ ..] = arguments else {
        unreachable!("it is started above");
    };
    let (web, each): (SocketAddr, usize) = (
        web.parse().expect("an address"),
        each.parse().expect("a number"),
    );
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("tokio starts");
    ready();
    let bytes = Arc::<Count>::default();
    runtime.block_on(async {
        let mut beginning = JoinSet::new();
        for id in ids.iter().cycle().take(ids.len() * each) {
            beginning.spawn(begin(web, id.clone()));
        }
        for stream in beginning.join_all().await {
            tokio::spawn(count(stream, Arc::clone(&bytes)));
        }
    });
    println!("watching");
    wait_for_end();
    println!("{}", bytes.get());
}

/// Opens a watch as a browser does, and reads until what has happened so far has come.
async fn begin(web: SocketAddr, match_id: String) -> TcpStream {
    let request = WatchMatchRequest {
        match_id,
        after_sequence: 0,
    };
    let request = request.encode_to_vec();
    let length = u32::try_from(request.len()).expect("it is short");
    let body = [&[0][..], &length.to_be_bytes(), &request].concat();
    let head = format!(
        "POST /dragontooth.v1.MatchService/WatchMatch HTTP/1.1\r\nhost: {web}\r\n\
         content-type: application/grpc-web+proto\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(web).await.expect("it is open");
    let sent = stream.write_all(&[head.as_bytes(), &body].concat()).await;
    sent.expect("the service reads");
    let mut bytes = [0; 4096];
    let read = stream.read(&mut bytes).await.expect("the service answers");
    assert!(bytes[..read].starts_with(b"HTTP/1.1 200"), "it is refused");
    stream
}

/// Counts what comes, with the frames of HTTP around it.
async fn count(mut stream: TcpStream, bytes: Arc<Count>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        bytes.add_many(read as u64);
    }
}
