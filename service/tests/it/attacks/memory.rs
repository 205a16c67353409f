use std::any::Any;
use std::collections::HashSet;
use std::error::Error;
use std::future::pending;
use std::sync::LazyLock;
use std::time::Instant;

use axum::body::Bytes;
use dragontooth_proto::v1;
use futures::future::join_all;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::attacker::{Attacker, message, unfinished};
use super::entrance::{Entrance, tls_file};
use super::frames::{DATA, END_STREAM, Frames, HEADERS, RST_STREAM, frame, headers};
use super::issue;
use crate::program::Program;
use crate::raw::Raw;

/// The most that the service may grow by what one address does without a token.
const MOST_BYTES: usize = 64 << 20;

/// The connections that an address may have.
const CONNECTIONS: usize = 24;

const ANALYSE: &str = "dragontooth.v1.GameService/Analyse";

/// The use that an attacker makes of a connection.
#[derive(Clone, Copy, Debug)]
enum Attack {
    /// As many of the largest requests as it may begin, without their ends.
    UnfinishedRequests,
    /// The longest headers of calls that need a token, and never their requests.
    HeadersAlone,
    /// As many long answers as it may ask for, none of which it reads.
    UnreadAnswers,
    /// Requests that are small and become large when they are decoded.
    GrowingRequests,
    /// The first words of HTTP/2, and no more.
    Idleness,
}

const EVERY_ATTACK: [Attack; 5] = [
    Attack::UnfinishedRequests,
    Attack::HeadersAlone,
    Attack::UnreadAnswers,
    Attack::GrowingRequests,
    Attack::Idleness,
];

/// Whatever has to stay open for an attack to go on.
type Held = Box<dyn Any + Send>;

type Outcome = Result<Held, Box<dyn Error + Send + Sync>>;

/// A service that accepts only issued tokens, and an honest client of it.
struct Target {
    program: Program,
    entrance: Entrance,
    honest: Raw,
    resident_before: usize,
    _folder: tempfile::TempDir,
}

impl Target {
    async fn start(with_tls: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = issue(folder.path()).await;
        let [cert, key] = ["server.pem", "server.key"].map(|name| tls_file(name).into_os_string());
        let [cert, key] = [cert, key].map(|path| path.into_string().unwrap());
        let mut flags = vec!["--auth", "tokens"];
        if with_tls {
            flags.extend(["--tls-cert", &cert, "--tls-key", &key]);
        }
        let program = Program::serve_with(folder.path(), &flags).await;
        let entrance = if with_tls {
            Entrance::with_tls(program.address())
        } else {
            Entrance::plain(program.address())
        };
        let authorization = format!("Bearer {secret}");
        let honest = Raw::over(entrance.channel().await, Some(&authorization));
        honest.who_am_i().await.unwrap();
        Self {
            resident_before: program.resident_bytes(),
            program,
            entrance,
            honest,
            _folder: folder,
        }
    }

    /// Makes the attacks, each on its own connection, while the honest client goes on. They are held
    /// until all are under way, and a little longer. Returns the number of connections that the service ended.
    async fn withstand(&self, attacks: impl IntoIterator<Item = Attack>) -> usize {
        let mut connections = JoinSet::new();
        let (sender, mut under_way) = mpsc::unbounded_channel();
        for attack in attacks {
            let (entrance, sender) = (self.entrance.clone(), sender.clone());
            connections.spawn(async move {
                let held = attack.run(&entrance).await;
                sender.send(held.is_ok()).unwrap();
                pending::<()>().await;
                drop(held);
            });
        }
        drop(sender);
        let (mut times, mut grown, mut ended, mut left) = (Vec::new(), 0, 0, 100);
        let mut waiting = connections.len();
        while left > 0 {
            while let Ok(is_held) = under_way.try_recv() {
                waiting -= 1;
                ended += usize::from(!is_held);
            }
            left -= usize::from(waiting == 0);
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
            "grown by {} MiB; {calls} calls of others, p99 {slow:?}; {ended} of {} connections ended",
            grown >> 20,
            connections.len()
        );
        ended
    }
}

impl Attack {
    async fn run(self, entrance: &Entrance) -> Outcome {
        let stream = entrance.connect().await?;
        match self {
            Self::UnfinishedRequests => unfinished_requests(Attacker::over(stream).await?).await,
            Self::HeadersAlone => headers_alone(Frames::over(stream).await?).await,
            Self::UnreadAnswers => unread_answers(Frames::over(stream).await?).await,
            Self::GrowingRequests => growing_requests(Attacker::over(stream).await?).await,
            Self::Idleness => Ok(Box::new(Frames::over(stream).await?)),
        }
    }
}

async fn unfinished_requests(attacker: Attacker) -> Outcome {
    const BODIES: usize = 300;
    let most = unfinished(16_000, 15_900);
    let mut held = JoinSet::new();
    for _ in 0..BODIES {
        let mut begun = attacker.begin(ANALYSE, &[]).await?;
        begun.send(most.clone());
        held.spawn(async move {
            // Refused, too slow, or cut off with its connection.
            let _ = begun.answer().await;
        });
    }
    Ok(Box::new((attacker, held)))
}

async fn headers_alone(mut frames: Frames) -> Outcome {
    const CALLS: u32 = 300;
    let long = "x".repeat(7000);
    let more = [("x-long", long.as_str())];
    for call in 0..CALLS {
        let method = "/dragontooth.v1.MatchService/CreateMatch";
        let headers = headers(2 * call + 1, method, "no-token", &more);
        frames.write(&headers).await?;
    }
    // Those beyond what a connection may have at once are refused by HTTP/2 itself.
    let mut streams = HashSet::new();
    while streams.len() < CALLS as usize {
        let frame = frames.read().await?;
        if [HEADERS, RST_STREAM].contains(&frame.kind) {
            streams.insert(frame.stream);
        }
    }
    Ok(Box::new(frames))
}

async fn unread_answers(mut frames: Frames) -> Outcome {
    const CALLS: u32 = 128;
    let question = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::FileContainingSymbol(
            "dragontooth.v1.MatchService".to_owned(),
        )),
    };
    let questions = message(&question).repeat(20);
    let analyse = message(&v1::AnalyseRequest {
        game: "backgammon".to_owned(),
        with_results: true,
        ..v1::AnalyseRequest::default()
    });
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let analysis = format!("/{ANALYSE}");
    for call in 0..CALLS {
        let (path, body) = if call % 2 == 0 {
            (reflection, &questions[..])
        } else {
            (&*analysis, &analyse[..])
        };
        let stream = 2 * call + 1;
        let headers = headers(stream, path, "no-token", &[]);
        frames.write(&headers).await?;
        frames.write(&frame(DATA, END_STREAM, stream, body)).await?;
    }
    Ok(Box::new(frames))
}

/// As many actions as a request has room for, and many more.
static GROWING: LazyLock<[Bytes; 2]> = LazyLock::new(|| {
    [8_000, 500_000].map(|actions| {
        message(&v1::AnalyseRequest {
            game: "kamisado".to_owned(),
            actions: vec![String::new(); actions],
            ..v1::AnalyseRequest::default()
        })
    })
});

async fn growing_requests(attacker: Attacker) -> Outcome {
    const CALLS: usize = 10;
    let calls = (0..CALLS).map(|number| refused(&attacker, GROWING[number % 2].clone()));
    for outcome in join_all(calls).await {
        outcome?;
    }
    Ok(Box::new(attacker))
}

/// Sends a request of too many actions, too many bytes, or as one too many at once.
async fn refused(attacker: &Attacker, request: Bytes) -> Result<(), h2::Error> {
    let mut call = attacker.begin(ANALYSE, &[]).await?;
    call.send(request);
    call.end();
    let (_, status) = call.answer().await?;
    assert_ne!(status.code(), tonic::Code::Ok);
    Ok(())
}

async fn withstand_alone(attack: Attack) {
    let target = Target::start(false).await;
    // The honest client's connection counts for its player.
    let ended = target.withstand([attack; CONNECTIONS]).await;
    assert_eq!(ended, 0, "the attack did not go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_requests_cost_little() {
    withstand_alone(Attack::UnfinishedRequests).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_without_requests_cost_little() {
    withstand_alone(Attack::HeadersAlone).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_not_read_cost_little() {
    withstand_alone(Attack::UnreadAnswers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_grow_cost_little() {
    withstand_alone(Attack::GrowingRequests).await;
}

/// Eighty times as many as an address may have, so that the oldest are closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_cost_little() {
    let target = Target::start(false).await;
    let attacks = [Attack::Idleness; 80 * CONNECTIONS];
    target.withstand(attacks).await;
}

/// Every attack at once, on all the connections that an address may have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_attacks_together_cost_little() {
    for with_tls in [false, true] {
        let target = Target::start(with_tls).await;
        let attacks = EVERY_ATTACK.into_iter().cycle().take(CONNECTIONS);
        let ended = target.withstand(attacks).await;
        assert_eq!(ended, 0, "the attacks did not go on");
    }
}

/// Every attack at once, on connections whose number lets the service close them all the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_on_connections_that_come_and_go_cost_little() {
    for with_tls in [false, true] {
        let target = Target::start(with_tls).await;
        let attacks = EVERY_ATTACK.into_iter().cycle().take(20 * CONNECTIONS);
        target.withstand(attacks).await;
    }
}
