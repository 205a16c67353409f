use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use crate::priority::Slice;

thread_local! {
    /// That of this thread, which serves browsers alone.
    static SLICE: Slice = Slice::default();
}

/// An answer to a browser. The thread that makes it lets those that serve players go first: after each move of a match
/// it makes one for every spectator.
#[derive(Debug)]
pub(super) struct PoliteBody(pub(super) Body);

impl http_body::Body for PoliteBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        SLICE.with(Slice::end_if_over);
        Pin::new(&mut self.0).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;
    use std::time::Duration;

    use http_body::Body as _;
    use rustix::time::{ClockId, clock_gettime};

    use super::*;

    #[test]
    fn a_frame_ends_a_slice_that_is_over() {
        let had = Duration::from_millis(1);
        while Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap() < had {}
        let mut body = PoliteBody(Body::new(axum::body::Body::from("an answer")));
        let frame = Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(frame, Poll::Ready(Some(Ok(_)))), "{frame:?}");
        let mut is_over = false;
        SLICE.with(|slice| slice.end_at(had, || is_over = true));
        assert!(!is_over, "another one has begun");
    }
}
