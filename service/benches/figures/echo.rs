use std::convert::Infallible;
use std::future::{Ready, ready};
use std::iter::{once, repeat_n};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::http;
use dragontooth_service_client::ServerAddress;
use dragontooth_service_client::wire_tap::{PLAY, RawCodec};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use prost::bytes::Bytes;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, StreamingService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status, Streaming};
use tower::Service;

use crate::load::{Path, Players};
use crate::recorded::Recorded;

/// Connections of the players of many matches: two of each pair.
const MAX_CONNECTIONS: usize = 16;

/// The stream on which bare tonic sends the next decision after an answer on `Play`.
#[derive(Clone, Copy)]
pub(crate) enum NextDecision {
    /// The one that the answer came on: a plain echo. All that a read brings is answered in one write.
    SameStream,
    /// The other stream of a pair, as in a match of two players. The acknowledgement goes to the one that answered.
    OtherStream,
}

/// The least server for the players of a [`Load`](crate::load::Load): bare tonic, which answers an action with what
/// a service has answered before. It reads nothing, and knows no matches, rules, limits, or log.
pub(crate) struct EchoLoad {
    server: JoinHandle<()>,
    players: Players,
}

impl EchoLoad {
    pub(crate) fn start(
        recorded: Recorded,
        path: Path,
        next: NextDecision,
        matches: usize,
    ) -> Self {
        let (connections, lanes) = match next {
            NextDecision::SameStream => (matches.min(MAX_CONNECTIONS), Vec::new()),
            NextDecision::OtherStream => {
                let pairs = matches.min(MAX_CONNECTIONS / 2);
                let lanes = (0..pairs).flat_map(|_| lanes(&recorded.decision, matches / pairs));
                (2 * pairs, lanes.collect())
            }
        };
        let at_once = matches.div_ceil(connections);
        let listen = "127.0.0.1:0".parse().expect("it is an address");
        let incoming = TcpIncoming::bind(listen).expect("there is a free port");
        let address = incoming.local_addr().expect("it listens");
        let address: ServerAddress = format!("http://{address}").parse().expect("an address");
        let echo = Echo {
            recorded: Arc::new(recorded),
            at_once,
            lanes: Arc::new(Mutex::new(lanes)),
        };
        let server = tokio::spawn(async move {
            let incoming = incoming.with_nodelay(Some(true));
            let serving = Server::builder().add_service(echo);
            let served = serving.serve_with_incoming(incoming).await;
            served.expect("it serves until it is aborted");
        });
        let players = Players::start_echoed(path, connections, at_once, address);
        Self { server, players }
    }

    /// Number of acknowledged actions.
    pub(crate) fn acknowledged(&self) -> u64 {
        self.players.acknowledged()
    }

    pub(crate) async fn stop(self) {
        self.players.stop().await;
        self.server.abort();
    }
}

#[derive(Clone)]
struct Echo {
    recorded: Arc<Recorded>,
    /// The decisions that are due on a stream at once.
    at_once: usize,
    /// For the streams of pairs, in the order in which they are opened; empty for a plain echo.
    lanes: Arc<Mutex<Vec<Lane>>>,
}

/// A stream of a pair.
struct Lane {
    decisions: mpsc::Receiver<Bytes>,
    to_other: mpsc::Sender<Bytes>,
}

/// The streams of a pair of players with that number of matches; half of the matches wait for each of them.
fn lanes(decision: &Bytes, matches: usize) -> [Lane; 2] {
    let queues = [matches.div_ceil(2), matches / 2].map(|due| {
        let (sender, decisions) = mpsc::channel(matches);
        for _ in 0..due {
            let sent = sender.try_send(decision.clone());
            sent.expect("it has room for all matches");
        }
        (sender, decisions)
    });
    let [(to_first, first), (to_second, second)] = queues;
    [(first, to_second), (second, to_first)].map(|(decisions, to_other)| Lane {
        decisions,
        to_other,
    })
}

impl NamedService for Echo {
    const NAME: &'static str = "dragontooth.v1.GameService";
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let echo = self.clone();
        async move {
            let mut grpc = Grpc::new(RawCodec);
            Ok(if request.uri().path() == PLAY {
                grpc.streaming(echo, request).await
            } else {
                grpc.unary(echo, request).await
            })
        }
        .boxed()
    }
}

impl UnaryService<Bytes> for Echo {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, _: Request<Bytes>) -> Self::Future {
        ready(Ok(Response::new(self.recorded.submitted.clone())))
    }
}

impl StreamingService<Bytes> for Echo {
    type Response = Bytes;
    type ResponseStream = BoxStream<'static, Result<Bytes, Status>>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<Bytes>>) -> Self::Future {
        let Recorded {
            ready: opened,
            decision,
            accepted,
            ..
        } = (*self.recorded).clone();
        // The first request opens the stream.
        let answers = request.into_inner().skip(1);
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut lane) = lanes.pop() else {
            let first = once(opened).chain(repeat_n(decision.clone(), self.at_once));
            let echoes = answers.flat_map(move |answer| {
                stream::iter([answer.map(|_| accepted.clone()), Ok(decision.clone())])
            });
            let all = stream::iter(first).map(Ok).chain(echoes);
            return ready(Ok(Response::new(all.boxed())));
        };
        let decisions = stream::poll_fn(move |context| lane.decisions.poll_recv(context));
        let acknowledged = answers.map(move |answer| {
            answer?;
            let sent = lane.to_other.try_send(decision.clone());
            sent.map_err(|_| Status::cancelled("the other player has gone"))?;
            Ok(accepted.clone())
        });
        let answered = stream::select(acknowledged, decisions.map(Ok));
        let all = stream::iter([Ok(opened)]).chain(answered);
        ready(Ok(Response::new(all.boxed())))
    }
}
