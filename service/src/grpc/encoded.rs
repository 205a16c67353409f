//! Answers whose bodies are encoded here instead of by tonic: large ones where they are made, so that no thread that serves
//! players does it, and the stream of `Play`.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, Request, Response};
use http_body::{Frame, SizeHint};
use prost::Message;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

/// Bytes of a message that is large.
const LARGE_BYTES: usize = 16 * 1024;

/// Bytes before a message: one of flags, which says that it is not compressed, and four of its length.
pub(super) const PREFIX_BYTES: usize = 5;

/// A body that takes the place of an answer's own.
#[derive(Clone)]
struct OwnBody(Arc<Mutex<Option<Body>>>);

/// Gives an answer another body.
pub(super) fn with_body<T>(
    mut response: tonic::Response<T>,
    body: impl HttpBody<Data = Bytes, Error = Infallible> + Send + 'static,
) -> tonic::Response<T> {
    let body = Arc::new(Mutex::new(Some(Body::new(body))));
    response.extensions_mut().insert(OwnBody(body));
    response
}

/// The answer with a message, encoded if it is large. One that is longer than `most_bytes` is left to be refused.
pub(super) fn answer<M: Message + Default>(message: M, most_bytes: usize) -> tonic::Response<M> {
    let len_bytes = message.encoded_len();
    if len_bytes < LARGE_BYTES {
        return tonic::Response::new(message);
    }
    let mut bytes = Vec::with_capacity(PREFIX_BYTES + len_bytes);
    match put(&mut bytes, most_bytes, |bytes| message.encode_raw(bytes)) {
        Ok(()) => {
            let response = tonic::Response::new(M::default());
            with_body(response, EncodedBody::Message(bytes.into()))
        }
        Err(_) => tonic::Response::new(message),
    }
}

/// Appends a message of at most `most_bytes` with its prefix.
///
/// To a `Vec`, because a message is written in pieces of a few bytes, and each costs `BytesMut` several times as much.
///
/// # Errors
///
/// It is longer; then nothing is appended.
pub(super) fn put(
    to: &mut Vec<u8>,
    most_bytes: usize,
    encode: impl FnOnce(&mut Vec<u8>),
) -> Result<(), Status> {
    let begin = to.len();
    to.extend_from_slice(&[0; PREFIX_BYTES]);
    encode(to);
    let len_bytes = to.len() - begin - PREFIX_BYTES;
    match u32::try_from(len_bytes) {
        Ok(len) if len_bytes <= most_bytes => {
            to[begin + 1..begin + PREFIX_BYTES].copy_from_slice(&len.to_be_bytes());
            Ok(())
        }
        Ok(_) | Err(_) => {
            to.truncate(begin);
            let why = format!("a message of {len_bytes} bytes is too long: at most {most_bytes}");
            Err(Status::out_of_range(why))
        }
    }
}

/// The end of a body, with the status of its call.
pub(super) fn end<T>(status: &Status) -> Frame<T> {
    let mut trailers = HeaderMap::new();
    // A status that cannot be written as headers leaves none, which clients take for an error too.
    let _ = status.add_header(&mut trailers);
    Frame::trailers(trailers)
}

/// A service whose answers may have bodies of their own.
#[derive(Clone, Debug)]
pub(super) struct OwnBodies<S>(pub(super) S);

impl<S: NamedService> NamedService for OwnBodies<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for OwnBodies<S>
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
            if let Some(OwnBody(own)) = response.extensions_mut().remove()
                && let Some(own) = own.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                *response.body_mut() = own;
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
            Self::Status => (end(&Status::ok("")), Self::End),
            Self::End => return Poll::Ready(None),
        };
        *self = rest;
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::End)
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        if let Self::Message(message) = self {
            hint.set_lower(message.len() as u64);
        }
        hint
    }
}
