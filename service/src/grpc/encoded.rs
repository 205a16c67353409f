//! Large answers, which are encoded where they are made: no thread that serves players does it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Frame;
use prost::Message;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

/// Bytes of a message that is large.
const LARGE_BYTES: usize = 16 * 1024;

/// Bytes before a message: one of flags, which says that it is not compressed, and four of its length.
const PREFIX_BYTES: usize = 5;

/// A message with its prefix.
#[derive(Clone, Debug)]
struct Encoded(Bytes);

/// The answer with a message, encoded if it is large. One that is longer than `most_bytes` is left to be refused.
pub(super) fn answer<M: Message + Default>(message: M, most_bytes: usize) -> tonic::Response<M> {
    let len_bytes = message.encoded_len();
    let Ok(len) = u32::try_from(len_bytes) else {
        return tonic::Response::new(message);
    };
    if len_bytes < LARGE_BYTES || len_bytes > most_bytes {
        return tonic::Response::new(message);
    }
    let mut bytes = Vec::with_capacity(PREFIX_BYTES + len_bytes);
    bytes.push(0);
    bytes.extend(len.to_be_bytes());
    message.encode_raw(&mut bytes);
    let mut response = tonic::Response::new(M::default());
    response.extensions_mut().insert(Encoded(bytes.into()));
    response
}

/// A service whose answers may be encoded already.
#[derive(Clone, Debug)]
pub(super) struct LargeAnswers<S>(pub(super) S);

impl<S: NamedService> NamedService for LargeAnswers<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for LargeAnswers<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move {
            let mut response = answer.await?;
            if let Some(Encoded(message)) = response.extensions_mut().remove() {
                *response.body_mut() = Body::new(EncodedBody::Message(message));
            }
            Ok(response)
        })
    }
}

/// The body of a successful answer with one message: the rest of it.
#[derive(Debug)]
enum EncodedBody {
    Message(Bytes),
    Status,
    End,
}

impl HttpBody for EncodedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let (frame, rest) = match std::mem::replace(&mut *self, Self::End) {
            Self::Message(message) => (Frame::data(message), Self::Status),
            Self::Status => {
                let mut trailers = HeaderMap::new();
                trailers.insert("grpc-status", HeaderValue::from_static("0"));
                (Frame::trailers(trailers), Self::End)
            }
            Self::End => return Poll::Ready(None),
        };
        *self = rest;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::End)
    }
}
