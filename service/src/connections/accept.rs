use std::future::pending;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, BoxStream, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};
use uuid::Uuid;

use super::Connection;
use super::plain::{self, Greeting, Refused};
use crate::limits::{ConnectionSlot, OpenConnections};

/// Pause in accepting after the system had no room for a connection.
const PAUSE_WITHOUT_ROOM: Duration = Duration::from_millis(50);

/// The least time between two lines about refused connections, of which anyone can cause many.
const REFUSALS_INTERVAL: Duration = Duration::from_secs(1);

/// The time after which a connection ends on which nothing moves any more when the service stops.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The most by which the age of a connection varies, in percent, so that connections that were opened
/// together do not reconnect together.
const JITTER_PERCENT: u32 = 10;

/// The one connection that a server gets, as what comes in.
pub(crate) type Incoming = BoxStream<'static, std::io::Result<Connection>>;

/// A future that is ready when the server begins to end the connection.
pub(crate) type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The protocol of a port, with TLS or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// gRPC, over HTTP/2 alone.
    Grpc,
    /// The protocols of browsers: HTTP/1 or HTTP/2.
    Web,
}

/// The time limits of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// The longest time until a client begins to speak.
    pub(crate) greeting_timeout: Duration,
    /// The age at which a connection ends; zero means never.
    pub(crate) age: Duration,
    /// Time for its calls to end then.
    pub(crate) age_grace: Duration,
}

/// The handle of the task that accepts connections.
#[derive(Debug)]
pub(crate) struct AcceptHandle {
    stop: CancellationToken,
    cut: CancellationToken,
    task: JoinHandle<()>,
}

impl AcceptHandle {
    /// Stops accepting and lets the connections end. Ready when they have.
    pub(crate) async fn stop(&mut self) {
        self.stop.cancel();
        if let Err(error) = (&mut self.task).await {
            warn!(%error, "stopped accepting connections");
        }
    }

    /// Ends all connections at once.
    pub(crate) fn cut(&self) {
        self.stop.cancel();
        self.cut.cancel();
    }
}

impl Drop for AcceptHandle {
    /// A service that is dropped lets its connections end by themselves.
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Lets connections in within the limits, and has `serve` serve each, on the threads of `runtime`.
pub(crate) fn accept<S, F>(
    runtime: &Handle,
    listener: TcpListener,
    open: Arc<OpenConnections>,
    limits: ConnectionLimits,
    (protocol, only_tls): (Protocol, bool),
    serve: S,
) -> AcceptHandle
where
    S: Fn(Incoming, End) -> F + Clone + Send + 'static,
    F: Future<Output = Result<(), tonic::transport::Error>> + Send + 'static,
{
    let [stop, cut] = [CancellationToken::new(), CancellationToken::new()];
    let server = Acceptor {
        open,
        limits,
        protocol,
        only_tls,
        serve,
        stop: stop.clone(),
        cut: cut.clone(),
    };
    let task = runtime.spawn(server.run(listener));
    AcceptHandle { stop, cut, task }
}

#[derive(Clone)]
struct Acceptor<S> {
    open: Arc<OpenConnections>,
    limits: ConnectionLimits,
    protocol: Protocol,
    only_tls: bool,
    serve: S,
    stop: CancellationToken,
    cut: CancellationToken,
}

impl<S, F> Acceptor<S>
where
    S: Fn(Incoming, End) -> F + Clone + Send + 'static,
    F: Future<Output = Result<(), tonic::transport::Error>> + Send + 'static,
{
    async fn run(self, listener: TcpListener) {
        let tasks = TaskTracker::new();
        let mut refusals = Refusals::default();
        loop {
            let accepted = tokio::select! {
                () = self.stop.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.let_in(&tasks, stream, peer, &mut refusals),
                // A client that went away before it was let in says nothing of the next one.
                Err(error) if is_of_one_client(&error) => debug!(%error, "no connection"),
                Err(error) => {
                    warn!(%error, "no connection can be accepted");
                    tokio::time::sleep(PAUSE_WITHOUT_ROOM).await;
                }
            }
        }
        drop(listener);
        tasks.close();
        tasks.wait().await;
    }

    fn let_in(
        &self,
        tasks: &TaskTracker,
        stream: TcpStream,
        peer: SocketAddr,
        refusals: &mut Refusals,
    ) {
        match self.open.let_in(peer.ip(), self.cut.child_token()) {
            Ok(slot) => {
                if let Err(error) = stream.set_nodelay(true) {
                    debug!(%error, "cannot disable the delay of small packets");
                }
                tasks.spawn(self.clone().carry(stream, slot));
            }
            // Its client sees the connection end at once.
            Err(limit) => {
                if let Some(count) = refusals.count_one(Instant::now()) {
                    warn!(count, %peer, %limit, "connections refused");
                }
            }
        }
    }

    /// Serves one connection to its end.
    async fn carry(self, stream: TcpStream, mut slot: ConnectionSlot) {
        let open = &Arc::clone(slot.connection());
        let timeout = self.limits.greeting_timeout;
        let begins = async {
            slot.vacated().await;
            plain::greeting(&stream).await
        };
        let begins = tokio::time::timeout(timeout, begins);
        let begun = tokio::select! {
            begun = begins => begun,
            () = self.stop.cancelled() => return,
            () = open.cut().cancelled() => return,
        };
        // Otherwise it has gone away, or says nothing.
        let Ok(Ok(greeting)) = begun else { return };
        let refused = match (self.only_tls, greeting) {
            (true, Greeting::Tls) | (false, Greeting::Tls | Greeting::Http2 | Greeting::Other) => {
                None
            }
            (true, Greeting::Http2 | Greeting::Http1 | Greeting::Other) => Some(Refused::NoTls),
            (false, Greeting::Http1) => (self.protocol == Protocol::Grpc).then_some(Refused::Http1),
        };
        if let Some(why) = refused {
            debug!(?why, "a client speaks another protocol");
            return plain::refuse(stream, greeting, why).await;
        }
        let (connection, gone) =
            Connection::new(stream, Arc::clone(open), self.stop.clone(), timeout);
        let end = CancellationToken::new();
        let incoming = stream::once(async { Ok(connection) }).chain(stream::pending());
        let ended = end.clone().cancelled_owned();
        let serving = (self.serve)(incoming.boxed(), Box::pin(ended));
        let ending = async {
            tokio::select! {
                () = self.stop.cancelled() => {
                    end.cancel();
                    tokio::select! {
                        () = gone.cancelled() => {}
                        // All that was said is with the client, or it does not take it.
                        () = open.still_for(LAST_WORDS) => open.cut().cancel(),
                    }
                }
                () = gone.cancelled() => end.cancel(),
                () = grown_old(self.limits.age) => {
                    open.old().cancel();
                    end.cancel();
                    tokio::select! {
                        () = gone.cancelled() => {}
                        () = tokio::time::sleep(self.limits.age_grace) => open.cut().cancel(),
                    }
                }
            }
        };
        let (served, ()) = tokio::join!(serving, ending);
        if let Err(error) = served {
            debug!(%error, "a connection failed");
        }
    }
}

/// The refused connections that the log has not mentioned yet.
#[derive(Debug, Default)]
struct Refusals {
    count: u64,
    said: Option<Instant>,
}

impl Refusals {
    /// Counts one, and gives the number of those to mention if it is time to.
    fn count_one(&mut self, now: Instant) -> Option<u64> {
        self.count += 1;
        let is_time = |said| now.duration_since(said) >= REFUSALS_INTERVAL;
        if !self.said.is_none_or(is_time) {
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.count))
    }
}

fn is_of_one_client(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
    )
}

/// Ready when a connection of this age is to end; never for zero.
async fn grown_old(age: Duration) {
    if age.is_zero() {
        return pending().await;
    }
    tokio::time::sleep(jittered(age, Uuid::new_v4().as_u128())).await;
}

/// `age`, earlier or later by the jitter at most, as drawn.
fn jittered(age: Duration, drawn: u128) -> Duration {
    let least = 100 - JITTER_PERCENT;
    let span = 2 * JITTER_PERCENT * 10;
    let place = u32::try_from(drawn % u128::from(span + 1)).expect("less than the span");
    // In thousandths: a thousand steps of a long age are enough to spread it.
    age / 1000 * (least * 10 + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_connections_are_mentioned_once_a_second() {
        let mut refusals = Refusals::default();
        let begun = Instant::now();
        let told = [0, 1, 999, 1000, 1001, 2500]
            .map(|ms| refusals.count_one(begun + Duration::from_millis(ms)));
        assert_eq!(told, [Some(1), None, None, Some(3), None, Some(2)]);
    }

    #[test]
    fn an_age_is_spread_by_a_tenth() {
        let age = Duration::from_secs(5000);
        assert_eq!(jittered(age, 0), Duration::from_mins(75));
        assert_eq!(jittered(age, 100), age);
        assert_eq!(jittered(age, 200), Duration::from_secs(5500));
        assert_eq!(jittered(age, 201), Duration::from_mins(75));
    }
}
