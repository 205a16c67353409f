//! Attacks on the memory of a service.

use std::any::Any;
use std::collections::HashSet;
use std::error::Error;
use std::sync::LazyLock;

use axum::body::Bytes;
use dragontooth_proto::v1;
use futures::future::join_all;
use tokio::task::JoinSet;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

use super::attacker::{Attacker, message, unfinished};
use super::entrance::Entrance;
use super::frames::{DATA, END_STREAM, Frames, HEADERS, RST_STREAM, frame, headers};

const ANALYZE: &str = "dragontooth.v1.GameService/AnalyzePosition";

/// The use that an attacker makes of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attack {
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

pub(super) const EVERY_ATTACK: [Attack; 5] = [
    Attack::UnfinishedRequests,
    Attack::HeadersAlone,
    Attack::UnreadAnswers,
    Attack::GrowingRequests,
    Attack::Idleness,
];

/// Whatever has to stay open for an attack to go on.
pub(super) type Held = Box<dyn Any + Send>;

pub(super) type Outcome = Result<Held, Box<dyn Error + Send + Sync>>;

impl Attack {
    /// Makes it; an error if the service ends the connection.
    pub(super) async fn run(self, entrance: &Entrance) -> Outcome {
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
        let mut begun = attacker.begin(ANALYZE, &[]).await?;
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
    let analyze = message(&v1::AnalyzePositionRequest {
        game: "backgammon".to_owned(),
        with_results: true,
        ..v1::AnalyzePositionRequest::default()
    });
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let analysis = format!("/{ANALYZE}");
    for call in 0..CALLS {
        let (path, body) = if call % 2 == 0 {
            (reflection, &questions[..])
        } else {
            (&*analysis, &analyze[..])
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
        message(&v1::AnalyzePositionRequest {
            game: "kamisado".to_owned(),
            actions: vec![String::new(); actions],
            ..v1::AnalyzePositionRequest::default()
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
    let mut call = attacker.begin(ANALYZE, &[]).await?;
    call.send(request);
    call.end();
    let (_, status) = call.answer().await?;
    assert_ne!(status.code(), tonic::Code::Ok);
    Ok(())
}
