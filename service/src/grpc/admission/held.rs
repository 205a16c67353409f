use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};

use super::unsent::Unsent;
use crate::limits::{Counted, ResponseShare, StreamSlot};

/// The body of an answer, whose call counts towards the limits until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    body: Body,
    /// The reason, if the stream of requests was ended; not every service passes it on.
    broken: Option<Arc<OnceLock<Status>>>,
    _call: Option<Counted<IpAddr>>,
    _stream: Option<StreamSlot>,
    /// The bytes on their way, if it is a stream that waits for its client.
    unsent: Option<Unsent>,
    /// Its part of what the caller has not read.
    share: Option<ResponseShare>,
}

impl Held {
    pub(super) fn new(
        response: Response<Body>,
        call: Option<Counted<IpAddr>>,
        stream: Option<StreamSlot>,
        unsent: Option<Unsent>,
        share: Option<ResponseShare>,
        broken: Option<Arc<OnceLock<Status>>>,
    ) -> Response<Self> {
        let mut response = response.map(|body| Self {
            body,
            broken,
            _call: call,
            _stream: stream,
            unsent,
            share,
        });
        blame_request(response.headers_mut());
        response
    }

    /// The answer to a call that is refused.
    pub(super) fn refused(status: Status) -> Response<Self> {
        Self::new(status.into_http(), None, None, None, None, None)
    }
}

/// Turns the status `INTERNAL` into `INVALID_ARGUMENT`: no code here has the former, but tonic has it for a request that it
/// cannot decode, and as such it would look like a fault of the service, for which somebody is woken up.
fn blame_request(headers: &mut HeaderMap) {
    let status = headers.get_mut(Status::GRPC_STATUS);
    if let Some(status) = status
        && Code::from_bytes(status.as_bytes()) == Code::Internal
    {
        *status = HeaderValue::from(Code::InvalidArgument as i32);
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(unsent) = &self.unsent {
            ready!(unsent.poll_few(context));
        }
        let mut frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let why = self.broken.as_ref().and_then(|broken| broken.get());
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            if let Some(why) = why {
                trailers.clear();
                // A status that cannot be written as headers leaves none, which clients take for an error too.
                let _ = why.add_header(trailers);
            }
            blame_request(trailers);
        }
        if let Some(unsent) = &self.unsent {
            frame = frame.map(|frame| frame.map(|frame| frame.map_data(|data| unsent.hold(data))));
        }
        if let Some(share) = &self.share {
            frame = frame.map(|frame| frame.map(|frame| frame.map_data(|data| share.hold(data))));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
