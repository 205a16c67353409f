use std::error::Error;
use std::future::poll_fn;
use std::iter::successors;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tonic::body::Body;
use tonic::codegen::http::request::Parts;
use tonic::codegen::{Bytes, Service, StdError, http};
use tonic::transport::{Channel, Endpoint, Error as TransportError};
use tonic::{Code, Status, TimeoutExpired};

use crate::ClientError;
use crate::error::Unreached;

/// Timeout for connecting, and for an answer where another replica may give it.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Wait after which a caller that gives up has found that a replica does not answer.
const LONG_WAIT: Duration = Duration::from_secs(4);

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

/// Leaves a replica if the caller gives up on it after a long wait.
struct Patience<'a> {
    replicas: &'a Replicas,
    at: usize,
    since: Instant,
    is_over: bool,
}

impl Replicas {
    /// Time in which each is asked.
    pub(crate) fn round(&self) -> Duration {
        self.all.iter().map(|_| CONNECT_TIMEOUT).sum()
    }

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

    /// Sends a request to the current replica, and after a failure to the next one. Each but the last has [`CONNECT_TIMEOUT`]. A
    /// request that must not be sent twice goes to the first one that can be reached.
    pub(crate) async fn send(
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
        while left > 0 && body.is_some() {
            let asking = self.ask(at, began, &parts, &mut body);
            let answered = if left > 1 {
                let late = |_| Err(Arc::new(ClientError::too_late(CONNECT_TIMEOUT)));
                timeout(CONNECT_TIMEOUT, asking).await.unwrap_or_else(late)
            } else {
                asking.await
            };
            match answered {
                Ok(mut response) if !is_unavailable(&response) => {
                    let replicas = Arc::clone(&self);
                    response.extensions_mut().insert(Via { replicas, at });
                    return Ok(response);
                }
                Ok(response) => refusal = Some(response),
                Err(failure) => unreached.push(&self.all[at].address, failure),
            }
            self.leave(at);
            at = (at + 1) % self.all.len();
            left -= 1;
        }
        refusal.map_or_else(|| Err(unreached.into()), Ok)
    }

    /// Connects to a replica if it is not connected, and sends it the request, which takes the body unless it may be sent twice.
    async fn ask(
        &self,
        at: usize,
        began: Instant,
        parts: &Parts,
        body: &mut Option<Outgoing>,
    ) -> Result<http::Response<Body>, Arc<ClientError>> {
        let mut patience = Patience {
            replicas: self,
            at,
            since: Instant::now(),
            is_over: false,
        };
        let answer = self.answer(at, began, parts, body).await;
        patience.is_over = true;
        answer
    }

    async fn answer(
        &self,
        at: usize,
        began: Instant,
        parts: &Parts,
        body: &mut Option<Outgoing>,
    ) -> Result<http::Response<Body>, Arc<ClientError>> {
        loop {
            let (mut channel, is_new) = self.all[at].channel(began).await?;
            let sent = take(body).expect("only a body that is still there is sent");
            let request = http::Request::from_parts(parts.clone(), sent);
            let answer = match poll_fn(|context| channel.poll_ready(context)).await {
                Ok(()) => channel.call(request).await,
                Err(error) => Err(error),
            };
            let error = match answer {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            self.forget(at);
            // The replica may have been restarted since the connection was made.
            let may_help = !is_new && body.is_some() && !is_timeout(&error);
            if !may_help {
                let failure = Status::from_error(error.into());
                return Err(Arc::new(ClientError::from(failure)));
            }
        }
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

/// Takes the body for an attempt; `None` if it was sent and must not be sent again.
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
    use std::net::{SocketAddr, TcpStream};
    use std::time::Duration;

    use dragontooth_service_vocabulary::Sequence;
    use tokio::net::{TcpListener, TcpSocket};
    use tokio::select;
    use tokio::time::{Instant, timeout};

    use super::{CONNECT_TIMEOUT, LONG_WAIT};
    use crate::CALL_TIMEOUT;
    use crate::{Answer, Client, ClientError, DecisionId, PlayOptions, Resume, Token, retry};

    /// A host from which nothing comes back: the queue of its port is full.
    struct Dead {
        address: SocketAddr,
        _port: TcpListener,
        _queued: TcpStream,
    }

    impl Dead {
        fn new() -> Self {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
            let port = socket.listen(0).unwrap();
            let address = port.local_addr().unwrap();
            Self {
                address,
                _port: port,
                _queued: TcpStream::connect(address).unwrap(),
            }
        }
    }

    /// A host that makes connections and answers nothing.
    async fn hung() -> (TcpListener, SocketAddr) {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = port.local_addr().unwrap();
        (port, address)
    }

    fn client(addresses: &[SocketAddr]) -> Client {
        let addresses: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
        let address = addresses.join(",").parse().unwrap();
        Client::connect_lazily(&address, &Token::random()).unwrap()
    }

    /// Time until a call reaches a port.
    async fn reaches<T>(port: &TcpListener, call: impl Future<Output = T>) -> Duration {
        let began = Instant::now();
        select! {
            _ = call => panic!("the call is over, and did not ask"),
            asked = port.accept() => asked.unwrap(),
        };
        began.elapsed()
    }

    fn answer() -> Answer {
        Answer {
            match_id: "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap(),
            decision_id: DecisionId::after(Sequence(1)),
            action: String::new(),
            request_id: None,
            thinking: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_call_passes_over_hosts_that_are_dead() {
        let dead = [Dead::new(), Dead::new()];
        let (port, address) = hung().await;
        let new = || client(&[dead[0].address, dead[1].address, address]);
        let (patience, play) = (CONNECT_TIMEOUT * 2, PlayOptions::default());
        let [reading, answering, playing, retrying] = [(); 4].map(|()| new());
        let mut watch = new().watch_players(None, Resume::Never);
        for waited in [
            reaches(&port, reading.who_am_i()).await,
            reaches(&port, answering.submit_action(answer())).await,
            reaches(&port, playing.play(play)).await,
            reaches(&port, watch.next()).await,
            reaches(&port, retry(&retrying, patience, || retrying.who_am_i())).await,
        ] {
            assert_eq!(waited.as_secs(), CONNECT_TIMEOUT.as_secs() * 2);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_gives_up_leaves_a_host_that_is_dead() {
        let (dead, (port, address)) = (Dead::new(), hung().await);
        for (patience, rest) in [
            (LONG_WAIT / 2, CONNECT_TIMEOUT),
            (LONG_WAIT, Duration::ZERO),
        ] {
            let client = client(&[dead.address, address]);
            let given_up = timeout(patience, client.play(PlayOptions::default())).await;
            assert!(given_up.is_err(), "nobody answers");
            let waited = reaches(&port, client.who_am_i()).await;
            assert_eq!(waited.as_secs(), rest.as_secs());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_have_arrived_fails_when_its_replica_is_left() {
        let (hung, (port, address)) = (hung().await, hung().await);
        let client = client(&[hung.1, address]);
        let began = Instant::now();
        let error = client.submit_action(answer()).await.unwrap_err();
        assert_eq!(began.elapsed().as_secs(), CONNECT_TIMEOUT.as_secs());
        let text = error.to_string();
        assert!(matches!(error, ClientError::Unreachable { .. }), "{text}");
        assert!(text.contains(&hung.1.to_string()), "{text}");
        assert!(!text.contains(&address.to_string()), "{text}");
        let waited = reaches(&port, client.play(PlayOptions::default())).await;
        assert_eq!(waited.as_secs(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_only_reads_is_sent_again() {
        let (hung, (port, address)) = (hung().await, hung().await);
        let waited = reaches(&port, client(&[hung.1, address]).backup()).await;
        assert_eq!(waited.as_secs(), CONNECT_TIMEOUT.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_does_not_open_is_given_up() {
        let (dead, (_port, address)) = (Dead::new(), hung().await);
        for (addresses, expected) in [
            (&[address][..], CALL_TIMEOUT),
            (&[dead.address, address], CONNECT_TIMEOUT + CALL_TIMEOUT),
        ] {
            let mut watch = client(addresses).watch_players(None, Resume::Never);
            let began = Instant::now();
            assert!(watch.next().await.unwrap_err().is_transient());
            assert_eq!(began.elapsed().as_secs(), expected.as_secs());
            let player = client(addresses);
            let began = Instant::now();
            let error = player.play(PlayOptions::default()).await.unwrap_err();
            assert!(error.is_transient());
            assert_eq!(began.elapsed().as_secs(), expected.as_secs());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_replica_that_hangs_is_waited_for_once() {
        let hung = [hung().await, hung().await];
        let client = client(&hung.each_ref().map(|(_, address)| *address));
        let began = Instant::now();
        let error = client.who_am_i().await.unwrap_err();
        let waited = began.elapsed();
        for (_, address) in hung {
            assert!(error.to_string().contains(&address.to_string()), "{error}");
        }
        let expected = CONNECT_TIMEOUT + CALL_TIMEOUT;
        assert!(waited >= expected, "{waited:?}");
        assert!(waited < expected + CONNECT_TIMEOUT, "{waited:?}");
    }
}
