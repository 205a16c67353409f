use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use axum::http::{Request, Response};
use futures::FutureExt;
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tower::{Layer, Service};

use crate::access::Gate;
use crate::config::Limits;
use crate::grpc::{Admission, AdmissionLayer, Measure, MeasureLayer};
use crate::limits::OpenConnection;
use crate::matches::Matches;

/// The calls of a service.
pub(super) type Calls = Measure<Admission<Routes>>;

/// A connection to a service from its own process: calls without the network, under the same tokens and limits. Clones
/// share it.
///
/// A stream goes on only while its caller reads it, and holds a service that stops until it is dropped. After the stop
/// calls fail with `UNAVAILABLE`.
#[derive(Clone, Debug)]
pub struct InProcess {
    calls: Weak<Calls>,
    connection: Arc<OpenConnection>,
}

/// The calls of a service, as they are served on a connection for gRPC.
pub(super) fn calls(
    routes: &Routes,
    matches: &Arc<Matches>,
    gate: &Gate,
    limits: &Limits,
) -> Arc<Calls> {
    let admission = AdmissionLayer::new(matches, gate, limits);
    Arc::new(MeasureLayer.layer(admission.layer(routes.clone())))
}

impl InProcess {
    pub(super) fn new(calls: &Arc<Calls>, matches: &Matches) -> Self {
        Self {
            calls: Arc::downgrade(calls),
            connection: matches.guard().connections().in_process(),
        }
    }
}

impl Service<Request<Body>> for InProcess {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // As are the routes at all times.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Some(calls) = self.calls.upgrade() else {
            let stopped = Status::unavailable("the service has stopped");
            return std::future::ready(Ok(stopped.into_http())).boxed();
        };
        let connection = Arc::clone(&self.connection);
        request.extensions_mut().insert(connection);
        let answer = Calls::clone(&calls).call(request);
        async { Ok(answer.await?.map(Body::new)) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dragontooth_service_client::{
        Answer, Client, Closing, PlayEvent, PlayOptions, PlayReceiver, Reason, Token,
    };
    use dragontooth_service_vocabulary::{CloseReason, NewMatch, Stage};

    use super::super::Service;
    use super::super::test_service::{players, seat};
    use crate::access::own_player;
    use crate::config::{Config, Limits};

    const TOKENS: [&str; 2] = ["the-first-player", "the-second-player"];

    async fn start(limits: &Limits) -> Service {
        let config = Config {
            listen: "127.0.0.1:0".parse().unwrap(),
            own_players: Some(TOKENS.map(own_player).to_vec()),
            limits: *limits,
            // No test waits for it.
            shutdown_timeout: Duration::from_hours(1),
            ..Config::default()
        };
        Service::start(config).await.unwrap()
    }

    fn client(service: &Service, token: &str) -> Client {
        Client::in_process(service.in_process(), &Token::new(token).unwrap())
    }

    async fn next(stream: &mut PlayReceiver) -> PlayEvent {
        stream.next().await.expect("the stream is open").unwrap()
    }

    /// Answers each decision of a stream with its first legal action, until a match is closed.
    async fn play(client: &Client) {
        let mut stream = client.play(PlayOptions::default()).await.unwrap();
        loop {
            let event = next(&mut stream.receiver).await;
            if let PlayEvent::Decision(decision) = event {
                let answer = Answer {
                    match_id: decision.match_id,
                    decision_id: decision.id,
                    action: decision.legal_actions[0].clone(),
                    request_id: None,
                    thinking: None,
                };
                stream.sender.answer(answer).await.unwrap();
            } else if let PlayEvent::Closed(_) = event {
                return;
            }
        }
    }

    /// One seat is within the process and the other beyond the network; both see the same match.
    #[tokio::test]
    async fn a_match_is_played() {
        let service = start(&Limits::default()).await;
        let [_, beyond] = players(&service).await;
        let within = client(&service, TOKENS[0]);
        let players = [within, beyond];
        let id = seat(&players, NewMatch::new("kamisado", 3)).await;
        tokio::join!(play(&players[0]), play(&players[1]));
        let [one, other] = &players;
        let views = [one.get_match(id).await, other.get_match(id).await];
        let [one, other] = views.map(Result::unwrap);
        assert_eq!(one.state, Stage::Ended);
        assert_eq!(one.head_hash, other.head_hash);
    }

    #[tokio::test]
    async fn tokens_and_limits_count() {
        let service = start(&Limits {
            connections_of_player: 1,
            ..Limits::default()
        })
        .await;
        let unknown = client(&service, "of-somebody-else").who_am_i().await;
        assert_eq!(unknown.unwrap_err().reason(), Some(&Reason::TokenUnknown));
        let only = client(&service, TOKENS[0]);
        only.who_am_i().await.unwrap();
        let second = client(&service, TOKENS[0]);
        let refused = second.who_am_i().await.unwrap_err();
        assert_eq!(refused.reason(), Some(&Reason::LimitReached));
        drop(only);
        second.who_am_i().await.unwrap();
    }

    #[tokio::test]
    async fn the_service_stops_though_it_has_clients() {
        let service = start(&Limits::default()).await;
        let client = client(&service, TOKENS[0]);
        let mut stream = client.play(PlayOptions::default()).await.unwrap();
        let stopped = tokio::spawn(service.stop());
        let closing = next(&mut stream.receiver).await;
        let draining = Closing::Reason(CloseReason::Draining);
        assert!(matches!(closing, PlayEvent::Closing(closing) if closing == draining));
        drop(stream);
        stopped.await.unwrap();
        let gone = client.who_am_i().await.unwrap_err();
        assert!(gone.is_transient(), "{gone:?}");
        assert!(gone.to_string().contains("has stopped"), "{gone}");
    }
}
