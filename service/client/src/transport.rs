use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{BoxFuture, Either, MapErr};
use futures::{FutureExt, TryFutureExt};
use tokio::time::timeout;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service, StdError, http};
use tonic::transport::channel::ResponseFuture;
use tonic::transport::{Channel, Error as TransportError};
use tower::util::BoxCloneSyncService;

use crate::replicas::{CONNECT_TIMEOUT, Replicas};

/// Timeout for a call, and for opening a stream.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The way to a service: one connection, or a list of replicas of which any may answer, or a service in the same process.
#[derive(Clone, Debug)]
pub(crate) enum Transport {
    One(Channel),
    InProcess(LocalService),
    Any(Arc<Replicas>),
}

/// A service in the same process.
pub(crate) type LocalService =
    BoxCloneSyncService<http::Request<Body>, http::Response<Body>, StdError>;

impl Transport {
    /// True if another address is left when one fails.
    pub(crate) const fn has_alternatives(&self) -> bool {
        matches!(self, Self::Any(_))
    }

    /// Time in which each address is asked.
    pub(crate) fn round(&self) -> Duration {
        match self {
            Self::One(_) | Self::InProcess(_) => CONNECT_TIMEOUT,
            Self::Any(replicas) => replicas.round(),
        }
    }
}

impl Service<http::Request<Body>> for Transport {
    type Response = http::Response<Body>;
    type Error = StdError;
    type Future = Either<
        MapErr<ResponseFuture, fn(TransportError) -> StdError>,
        BoxFuture<'static, Result<Self::Response, StdError>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        match self {
            Self::One(channel) => channel.poll_ready(context).map_err(StdError::from),
            Self::Any(_) => Poll::Ready(Ok(())),
            Self::InProcess(service) => service.poll_ready(context),
        }
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match self {
            Self::One(channel) => Either::Left(channel.call(request).map_err(StdError::from)),
            Self::Any(replicas) => Either::Right(Arc::clone(replicas).send(request).boxed()),
            Self::InProcess(service) => Either::Right(in_time(service.call(request)).boxed()),
        }
    }
}

/// Waits for the answer of a call no longer than [`CALL_TIMEOUT`].
async fn in_time(
    answer: impl Future<Output = Result<http::Response<Body>, StdError>>,
) -> Result<http::Response<Body>, StdError> {
    let late = |_| Err(Status::deadline_exceeded("the service does not answer").into());
    timeout(CALL_TIMEOUT, answer).await.unwrap_or_else(late)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;
    use tower::service_fn;

    use super::*;
    use crate::{Client, PlayOptions, Token};

    #[tokio::test(start_paused = true)]
    async fn a_service_in_the_same_process_is_given_up_too() {
        let hangs = service_fn(|_| pending::<Result<http::Response<Body>, StdError>>());
        let client = Client::in_process(hangs, &Token::random());
        let began = Instant::now();
        let error = client.play(PlayOptions::default()).await.unwrap_err();
        assert!(error.is_transient(), "{error:?}");
        assert_eq!(began.elapsed().as_secs(), CALL_TIMEOUT.as_secs());
    }
}
