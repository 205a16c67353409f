use std::error::Error;
use std::future::poll_fn;
use std::iter::successors;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, Either, MapErr};
use futures::{FutureExt, TryFutureExt};
use http_body_util::{BodyExt, Full};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::codegen::{Bytes, Service, StdError, http};
use tonic::transport::channel::ResponseFuture;
use tonic::transport::{Channel, Endpoint, Error as TransportError};
use tonic::{Code, Status, TimeoutExpired};

use crate::ClientError;
use crate::error::Unreached;

/// Timeout for connecting, and for an answer where another replica may give it.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Wait for an answer from which on a caller that gives up has found a replica that does not answer.
const LONG_WAIT: Duration = Duration::from_secs(4);

/// The way to a service: one connection, or a list of replicas of which any may answer.
#[derive(Clone, Debug)]
pub(crate) enum Transport {
    One(Channel),
    Any(Arc<Replicas>),
}

/// Replicas of one service. Calls go to one of them until it fails, then to the next in the list.
#[derive(Debug)]
pub(crate) struct Replicas {
    all: Vec<Replica>,
    current: AtomicUsize,
}

/// Marks a request that may be sent twice: it changes nothing, or a repetition changes nothing more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeatable;

/// The replica that answered a call: an extension of its response.
#[derive(Clone, Debug)]
pub(crate) struct Via {
    replicas: Arc<Replicas>,
    at: usize,
}

#[derive(Debug)]
struct Replica {
    address: String,
    endpoint: Endpoint,
    connection: Mutex<Connection>,
}

#[derive(Debug)]
enum Connection {
    None,
    Open(Channel, Instant),
    Failed(Instant, Arc<ClientError>),
}

/// The body of a request: all of it, or a stream that can be sent once.
enum Outgoing {
    Whole(Bytes),
    Once(Body),
}

/// Leaves a replica if the caller gives up on its answer after a long wait.
struct Patience<'a> {
    replicas: &'a Replicas,
    at: usize,
    since: Instant,
    is_over: bool,
}

impl Transport {
    /// True if another address is left when one fails.
    pub(crate) const fn has_alternatives(&self) -> bool {
        matches!(self, Self::Any(_))
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
        }
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match self {
            Self::One(channel) => Either::Left(channel.call(request).map_err(StdError::from)),
            Self::Any(replicas) => Either::Right(Arc::clone(replicas).send(request).boxed()),
        }
    }
}

impl Replicas {
    pub(crate) fn new(endpoints: impl IntoIterator<Item = (String, Endpoint)>) -> Self {
        let all = endpoints.into_iter().map(|(address, endpoint)| Replica {
            address,
            endpoint,
            connection: Mutex::new(Connection::None),
        });
        Self {
            all: all.collect(),
            current: AtomicUsize::new(0),
        }
    }

    /// Connects to the first replica that can be reached.
    pub(crate) async fn connect(&self) -> Result<(), ClientError> {
        let began = Instant::now();
        let mut unreached = Unreached::default();
        for (at, replica) in self.all.iter().enumerate() {
            match replica.channel(began).await {
                Ok(_) => return Ok(()),
                Err(failure) => {
                    self.leave(at);
                    unreached.push(&replica.address, failure);
                }
            }
        }
        Err(ClientError::from(&unreached))
    }

    /// Sends a request to the current replica. One that cannot be reached is passed over; one that fails later, is
    /// unavailable, or takes longer than [`CONNECT_TIMEOUT`], only if the request may be sent twice. The last one has the time of the
    /// call.
    async fn send(
        self: Arc<Self>,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>, StdError> {
        let began = Instant::now();
        let (parts, body) = request.into_parts();
        let mut body = Some(if parts.extensions.get::<Repeatable>().is_some() {
            Outgoing::Whole(body.collect().await?.to_bytes())
        } else {
            Outgoing::Once(body)
        });
        let mut unreached = Unreached::default();
        let mut refusal = None;
        let (mut at, mut left) = (self.current.load(Ordering::Relaxed), self.all.len());
        while left > 0 {
            let replica = &self.all[at];
            let failure = match replica.channel(began).await {
                Ok((mut channel, is_new)) => {
                    let Some(sent) = take(&mut body) else { break };
                    let request = http::Request::from_parts(parts.clone(), sent);
                    let answer = self.answer(at, &mut channel, request);
                    let answered = if body.is_some() && left > 1 {
                        timeout(CONNECT_TIMEOUT, answer).await
                    } else {
                        Ok(answer.await)
                    };
                    match answered {
                        Err(_) => {
                            self.lost(at);
                            Some(Arc::new(ClientError::too_late(CONNECT_TIMEOUT)))
                        }
                        Ok(Ok(mut response)) if !is_unavailable(&response) => {
                            let replicas = Arc::clone(&self);
                            response.extensions_mut().insert(Via { replicas, at });
                            return Ok(response);
                        }
                        Ok(Ok(response)) => {
                            self.leave(at);
                            refusal = Some(response);
                            None
                        }
                        Ok(Err(error)) => {
                            self.forget(at);
                            if !is_new && body.is_some() && !is_timeout(&error) {
                                // The replica may have been restarted since the connection was made.
                                continue;
                            }
                            self.leave(at);
                            let failure = Status::from_error(error.into());
                            Some(Arc::new(ClientError::from_status(failure)))
                        }
                    }
                }
                Err(failure) => {
                    self.leave(at);
                    Some(failure)
                }
            };
            if let Some(failure) = failure {
                unreached.push(&replica.address, failure);
            }
            at = (at + 1) % self.all.len();
            left -= 1;
        }
        refusal.map_or_else(|| Err(unreached.into()), Ok)
    }

    async fn answer(
        &self,
        at: usize,
        channel: &mut Channel,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>, TransportError> {
        let mut patience = Patience {
            replicas: self,
            at,
            since: Instant::now(),
            is_over: false,
        };
        let answer = match poll_fn(|context| channel.poll_ready(context)).await {
            Ok(()) => channel.call(request).await,
            Err(error) => Err(error),
        };
        patience.is_over = true;
        answer
    }

    /// Lets the next replica take the calls, unless another has them already.
    fn leave(&self, at: usize) {
        let next = (at + 1) % self.all.len();
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.current.compare_exchange(at, next, success, failure);
    }

    /// Leaves a replica with which the connection is lost.
    fn lost(&self, at: usize) {
        self.leave(at);
        self.forget(at);
    }

    /// Lets the next call to a replica make a new connection.
    fn forget(&self, at: usize) {
        // While the lock is taken, a new connection is being made.
        if let Ok(mut connection) = self.all[at].connection.try_lock() {
            *connection = Connection::None;
        }
    }
}

impl Replica {
    /// The connection to the replica, made now if there is none, and true if it is not older than `began`. Calls that wait for the
    /// same attempt share its failure.
    async fn channel(&self, began: Instant) -> Result<(Channel, bool), Arc<ClientError>> {
        let mut connection = self.connection.lock().await;
        match &*connection {
            Connection::Open(channel, made) => return Ok((channel.clone(), *made >= began)),
            Connection::Failed(when, failure) if *when >= began => return Err(Arc::clone(failure)),
            Connection::Failed(..) | Connection::None => {}
        }
        match self.endpoint.connect().await {
            Ok(channel) => {
                *connection = Connection::Open(channel.clone(), Instant::now());
                Ok((channel, true))
            }
            Err(error) => {
                let failure = Arc::new(ClientError::unreachable(error));
                *connection = Connection::Failed(Instant::now(), Arc::clone(&failure));
                Err(failure)
            }
        }
    }
}

impl Via {
    /// Reports that the stream which the replica served broke off, or that it asked its clients to leave.
    pub(crate) fn lost(&self) {
        self.replicas.lost(self.at);
    }
}

impl Drop for Patience<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.since.elapsed() >= LONG_WAIT {
            self.replicas.lost(self.at);
        }
    }
}

/// Takes the body for an attempt; `None` if it was sent and cannot be sent again.
fn take(body: &mut Option<Outgoing>) -> Option<Body> {
    match body.take()? {
        Outgoing::Whole(bytes) => {
            *body = Some(Outgoing::Whole(bytes.clone()));
            Some(Body::new(Full::new(bytes)))
        }
        Outgoing::Once(stream) => Some(stream),
    }
}

/// True if the time of a call is over.
fn is_timeout(error: &TransportError) -> bool {
    let mut causes = successors(error.source(), |&cause| cause.source());
    causes.any(<dyn Error>::is::<TimeoutExpired>)
}

/// True for a response that consists of the status UNAVAILABLE.
fn is_unavailable(response: &http::Response<Body>) -> bool {
    let status = response.headers().get("grpc-status");
    status.is_some_and(|status| Code::from_bytes(status.as_bytes()) == Code::Unavailable)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tokio::time::Instant;

    use super::CONNECT_TIMEOUT;
    use crate::client::CALL_TIMEOUT;
    use crate::{Client, ServerAddress, Token};

    /// Connections are made, and nothing is ever answered.
    #[tokio::test(start_paused = true)]
    async fn a_replica_that_hangs_is_waited_for_once() {
        let hung = [0; 2].map(|port| TcpListener::bind(("127.0.0.1", port)).unwrap());
        let urls = hung.each_ref().map(|replica| replica.local_addr().unwrap());
        let addresses = format!("http://{},http://{}", urls[0], urls[1]);
        let addresses: ServerAddress = addresses.parse().unwrap();
        let client = Client::connect(&addresses, &Token::random()).await.unwrap();
        let began = Instant::now();
        let error = client.who_am_i().await.unwrap_err();
        let waited = began.elapsed();
        for url in urls {
            assert!(error.to_string().contains(&url.to_string()), "{error}");
        }
        let expected = CONNECT_TIMEOUT + CALL_TIMEOUT;
        assert!(waited >= expected, "{waited:?}");
        assert!(waited < expected + CONNECT_TIMEOUT, "{waited:?}");
    }
}
