//! Measures the duration and the status code of every call.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, Request, Response};
use http_body::{Frame, SizeHint};
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::field::Empty;
use tracing::{Instrument, Span, debug, debug_span};

use super::admission;
use crate::metrics;

/// The calls of this process so far: each has its number in the logs.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// The method of calls that no service here has: they share one metric, so that a client cannot fill the memory
/// with names.
const UNKNOWN_METHOD: &str = "unknown";

/// Measures the calls of a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasureLayer;

impl<S> Layer<S> for MeasureLayer {
    type Service = Measure<S>;

    fn layer(&self, inner: S) -> Measure<S> {
        Measure(inner)
    }
}

/// A service whose calls are measured.
#[derive(Clone, Debug)]
pub(crate) struct Measure<S>(S);

impl<S, B, R> Service<Request<B>> for Measure<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
{
    type Response = Response<Measured<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let method = admission::method(request.uri().path()).unwrap_or(UNKNOWN_METHOD);
        let call = Call::begin(method);
        let answer = call.span.in_scope(|| self.0.call(request));
        let answer = answer.instrument(call.span.clone());
        Box::pin(async move {
            let (mut call, response) = (call, answer.await?);
            // An answer without a body has its status in the head.
            call.see(response.headers());
            Ok(response.map(|body| Measured { body, call }))
        })
    }
}

/// The body of an answer, whose end is the end of the call.
#[derive(Debug)]
pub(crate) struct Measured<B> {
    body: B,
    call: Call,
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Measured<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Self { body, call } = &mut *self;
        let polled = call.span.in_scope(|| Pin::new(body).poll_frame(context));
        let frame = ready!(polled);
        if let Some(Ok(frame)) = &frame
            && let Some(trailers) = frame.trailers_ref()
        {
            call.see(trailers);
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

/// A call under way: it is measured when it is dropped.
#[derive(Debug)]
struct Call {
    span: Span,
    method: &'static str,
    begun: Instant,
    /// The code of the answer, once it is known.
    code: Option<Code>,
}

impl Call {
    fn begin(method: &'static str) -> Self {
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        Self {
            span: debug_span!(
                "rpc",
                request = number,
                method,
                otel.name = method,
                code = Empty
            ),
            method,
            begun: Instant::now(),
            code: None,
        }
    }

    fn see(&mut self, headers: &HeaderMap) {
        if let Some(status) = Status::from_header_map(headers) {
            self.code = Some(status.code());
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let code = match self.code {
            Some(code) => code,
            None if std::thread::panicking() => Code::Internal,
            // A call that is dropped without an answer was cancelled by its caller.
            None => Code::Cancelled,
        };
        let (code, took) = (name(code), self.begun.elapsed());
        metrics::called(self.method, code, took);
        self.span.record("code", code);
        self.span
            .in_scope(|| debug!(took_us = took.as_micros(), "call ended"));
    }
}

/// The name of a code in the gRPC specification.
const fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use futures::FutureExt;
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tonic::body::Body;
    use tower::service_fn;

    use super::*;

    #[test]
    fn a_panic_counts_as_a_fault() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let measured = recorder.handle();
        let faulty = service_fn(
            async |_: Request<Body>| -> Result<Response<Body>, Infallible> { panic!("a fault") },
        );
        let request = Request::new(Body::empty());
        ::metrics::with_local_recorder(&recorder, || {
            let call = MeasureLayer.layer(faulty).call(request);
            catch_unwind(AssertUnwindSafe(|| call.now_or_never())).unwrap_err();
        });
        let measured = measured.render();
        assert!(measured.contains(r#"code="INTERNAL""#), "{measured}");
    }
}
