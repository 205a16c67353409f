use std::convert::Infallible;
use std::future::poll_fn;
use std::net::{IpAddr, Ipv4Addr};
use std::task::Waker;

use axum::body::{Body as Endless, Bytes};
use dragontooth_service_store::{MatchLog, MemoryLog, TokenLog};
use futures::stream;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use tower::service_fn;

use super::*;
use crate::access::Tokens;
use crate::config::AuthMode;
use crate::limits::OpenConnections;
use crate::wall_clock::WallClock;

const MESSAGE_BYTES: usize = 1000;

/// The answer of a service to a player's call of a method with this request.
async fn answer<S>(service: S, method: &str, request: Body) -> Response<Held>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    let log = Arc::new(MemoryLog::default());
    let (clock, limits) = (WallClock::start(), Limits::default());
    let tokens = Tokens::open(TokenLog::new(log.clone()), clock.clone()).await;
    let tokens = tokens.unwrap();
    let matches = Matches::recover(MatchLog::new(log), Arc::clone(&tokens), clock, &limits);
    let (matches, _) = matches.await.unwrap();
    let gate = Gate::new(AuthMode::Open, None, tokens);
    let mut admission = AdmissionLayer::new(&matches, &gate, &limits).layer(service);
    let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let slot = Arc::new(OpenConnections::new(1, 1, 1)).let_in(host, CancellationToken::new());
    let request = Request::post(format!("/dragontooth.v1.{method}"))
        .header("authorization", "Bearer the-token-of-a-player")
        .extension(Arc::clone(slot.unwrap().connection()))
        .body(request);
    admission.call(request.unwrap()).await.unwrap()
}

/// An endless stream that a method answers with.
async fn admitted(method: &str) -> Held {
    let endless = service_fn(async |_| {
        let message = Ok::<_, Infallible>(Bytes::from(vec![0; MESSAGE_BYTES]));
        let body = Endless::from_stream(stream::repeat(message));
        Ok::<_, Infallible>(Response::new(Body::new(body)))
    });
    answer(endless, method, Body::empty()).await.into_body()
}

/// The messages of a stream, up to `most`, that are made while none of them is sent.
fn made(stream: &mut Held, most: usize) -> Vec<Bytes> {
    let mut made = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while made.len() < most
        && let Poll::Ready(Some(frame)) = Pin::new(&mut *stream).poll_frame(&mut context)
    {
        made.push(frame.unwrap().into_data().unwrap());
    }
    made
}

/// Far more messages than a stream makes that waits for its client.
const MANY: usize = 1000;

#[tokio::test]
async fn a_stream_is_made_as_its_client_takes_it() {
    for method in ["MatchService/WatchMatch", "MatchService/ExportMatches"] {
        let mut stream = admitted(method).await;
        let mut unsent = made(&mut stream, MANY);
        assert!(unsent.len() < 20, "{method}: {} messages", unsent.len());
        assert_eq!(made(&mut stream, MANY).len(), 0);
        unsent.pop();
        assert_eq!(made(&mut stream, MANY).len(), 1);
    }
}

#[tokio::test]
async fn moves_do_not_wait_for_each_other() {
    let mut stream = admitted("GameService/Play").await;
    assert_eq!(made(&mut stream, MANY).len(), MANY);
}

#[tokio::test]
async fn a_request_that_breaks_off_is_cancelled() {
    let reader = service_fn(async |mut request: Request<Body>| {
        let frame = poll_fn(|context| Pin::new(request.body_mut()).poll_frame(context)).await;
        Ok::<_, Infallible>(frame.unwrap().unwrap_err().into_http())
    });
    for method in ["GameService/ListGames", "GameService/Play"] {
        let lost = stream::once(async { Err::<Bytes, _>(Status::unknown("connection lost")) });
        let request = Body::new(Endless::from_stream(lost));
        let response = answer(reader, method, request).await;
        let status = Status::from_header_map(response.headers()).unwrap();
        assert_eq!(status.code(), Code::Cancelled, "{method}: {status}");
    }
}
