use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::body::Bytes;
use dragontooth_proto::v1;
use tokio::task::JoinSet;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::attacker::{Attacker, message, unfinished};
use super::frames::{DATA, END_STREAM, Frames, HEADERS, RST_STREAM, frame, headers};
use super::issue;
use crate::program::Program;
use crate::raw::Raw;

/// The most that the service may grow by whatever one address does without a token.
const MOST_BYTES: usize = 64 << 20;

/// The connections of an attacker.
const CONNECTIONS: usize = 24;

/// A service that accepts only issued tokens, and an honest client of it.
struct Target {
    program: Program,
    honest: Raw,
    resident_before: usize,
    _folder: tempfile::TempDir,
}

impl Target {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = issue(folder.path()).await;
        let program = Program::serve_with(folder.path(), &["--auth", "tokens"]).await;
        let honest = Raw::with_secret(program.address(), &secret).await;
        honest.who_am_i().await.unwrap();
        Self {
            resident_before: program.resident_bytes(),
            program,
            honest,
            _folder: folder,
        }
    }

    /// Lets the honest client go on until `count` has reached `expected`, and a little longer.
    async fn go_on_until(&self, attack: &mut JoinSet<()>, count: &AtomicUsize, expected: usize) {
        let (mut times, mut grown, mut left) = (Vec::new(), 0, 100);
        while left > 0 {
            while let Some(ended) = attack.try_join_next() {
                ended.unwrap();
            }
            if count.load(Ordering::Relaxed) >= expected {
                left -= 1;
            }
            let begun = Instant::now();
            self.honest.who_am_i().await.unwrap();
            times.push(begun.elapsed());
            let resident = self.program.resident_bytes();
            grown = grown.max(resident.saturating_sub(self.resident_before));
            assert!(grown <= MOST_BYTES, "it has grown by {} MiB", grown >> 20);
        }
        times.sort_unstable();
        let calls = times.len();
        let slow = times[calls * 99 / 100];
        println!(
            "grown by {} MiB; {calls} calls of others, p99 {slow:?}",
            grown >> 20
        );
    }
}

/// Each connection holds as many of the largest requests without their ends as it is let.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_bodies_cost_little() {
    const BODIES: usize = 300;
    let target = Target::start().await;
    let most = unfinished(16_000, 15_900);
    let settled = Arc::new(AtomicUsize::new(0));
    let mut attack = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let attacker = Arc::new(Attacker::connect(target.program.address()).await);
        for _ in 0..BODIES {
            let call = hold(Arc::clone(&attacker), most.clone(), Arc::clone(&settled));
            attack.spawn(call);
        }
    }
    // The service answers all but those that it lets wait.
    let waiting = 32;
    target
        .go_on_until(&mut attack, &settled, CONNECTIONS * BODIES - waiting)
        .await;
}

async fn hold(attacker: Arc<Attacker>, most: Bytes, settled: Arc<AtomicUsize>) {
    if let Ok(mut begun) = attacker
        .begin("dragontooth.v1.GameService/Analyse", &[])
        .await
    {
        begun.send(most);
        // Refused, or cut off with its connection.
        let _ = begun.answer().await;
    }
    settled.fetch_add(1, Ordering::Relaxed);
}

/// Each connection sends the longest headers of calls that need a token, and never their bodies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_without_bodies_cost_little() {
    const CALLS: u32 = 300;
    let target = Target::start().await;
    let long = "x".repeat(7000);
    let answered = Arc::new(AtomicUsize::new(0));
    let mut attack = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (long, answered) = (long.clone(), Arc::clone(&answered));
        let mut frames = Frames::connect(target.program.address()).await;
        attack.spawn(async move {
            let more = [("x-long", long.as_str())];
            for call in 0..CALLS {
                let method = "/dragontooth.v1.MatchService/CreateMatch";
                let headers = headers(2 * call + 1, method, "no-token", &more);
                frames.write(&headers).await;
            }
            // Those beyond what a connection may have at once are refused by HTTP/2 itself.
            let mut streams = HashSet::new();
            while streams.len() < CALLS as usize {
                let frame = frames.read().await;
                if [HEADERS, RST_STREAM].contains(&frame.kind) && streams.insert(frame.stream) {
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    let calls = CONNECTIONS * CALLS as usize;
    target.go_on_until(&mut attack, &answered, calls).await;
}

/// Connections that say no more than the first words of HTTP/2.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_cost_little() {
    const IDLE: usize = 2000;
    let target = Target::start().await;
    let opened = Arc::new(AtomicUsize::new(0));
    let mut attack = JoinSet::new();
    for _ in 0..4 {
        let (address, opened) = (target.program.address(), Arc::clone(&opened));
        attack.spawn(async move {
            let mut idle = Vec::new();
            for _ in 0..IDLE / 4 {
                let attacker = Attacker::connect(address).await;
                idle.push(attacker);
                opened.fetch_add(1, Ordering::Relaxed);
            }
            // They are held until the test ends.
            std::future::pending::<()>().await;
            drop(idle);
        });
    }
    target.go_on_until(&mut attack, &opened, IDLE).await;
}

/// Each connection asks for as many answers as it can and reads none of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_not_read_cost_little() {
    const CALLS: u32 = 128;
    let target = Target::start().await;
    let question = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::FileContainingSymbol(
            "dragontooth.v1.MatchService".to_owned(),
        )),
    };
    let questions = message(&question).repeat(20);
    let game = v1::AnalyseRequest {
        game: "backgammon".to_owned(),
        with_results: true,
        ..v1::AnalyseRequest::default()
    };
    let analyse = message(&game);
    let mut silent = Vec::new();
    for number in 0..CONNECTIONS {
        let (path, body) = if number % 2 == 0 {
            (
                "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                &questions[..],
            )
        } else {
            ("/dragontooth.v1.GameService/Analyse", &analyse[..])
        };
        let mut frames = Frames::connect(target.program.address()).await;
        for call in 0..CALLS {
            let stream = 2 * call + 1;
            frames.write(&headers(stream, path, "no-token", &[])).await;
            frames.write(&frame(DATA, END_STREAM, stream, body)).await;
        }
        silent.push(frames);
    }
    let settled = AtomicUsize::new(0);
    target.go_on_until(&mut JoinSet::new(), &settled, 0).await;
}

/// Requests that are small and become large when they are decoded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_grow_cost_little() {
    const CALLS: usize = 10;
    let target = Target::start().await;
    // As much as a request may have, and much more.
    let requests = [8_000, 500_000].map(|actions| {
        message(&v1::AnalyseRequest {
            game: "kamisado".to_owned(),
            actions: vec![String::new(); actions],
            ..v1::AnalyseRequest::default()
        })
    });
    let settled = Arc::new(AtomicUsize::new(0));
    let mut attack = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let attacker = Attacker::connect(target.program.address()).await;
        let (requests, settled) = (requests.clone(), Arc::clone(&settled));
        attack.spawn(async move {
            for number in 0..CALLS {
                let method = "dragontooth.v1.GameService/Analyse";
                let mut call = attacker.begin(method, &[]).await.unwrap();
                call.send(requests[number % 2].clone());
                call.end();
                let (_, status) = call.answer().await.unwrap();
                // Too many actions, too many bytes, or too many at once.
                assert_ne!(status.code(), tonic::Code::Ok);
                settled.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let calls = CONNECTIONS * CALLS;
    target.go_on_until(&mut attack, &settled, calls).await;
}
