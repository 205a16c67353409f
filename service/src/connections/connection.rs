use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::coop;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use crate::limits::OpenConnection;

/// Length of the HTTP/2 connection preface; the head of a request in HTTP/1 is no shorter.
const PREFACE_BYTES: usize = 24;

/// Bytes that cost a connection one unit of the budget that tokio gives a task each time it runs, 128 units: after 32 KiB
/// it is the turn of other connections. Tokio alone counts a read or a write as one unit however much it moves, so
/// that a client could have hundreds of calls begun before anyone else is served.
const BYTES_PER_UNIT: usize = 256;

/// Time that a connection that the server has ended waits for the client to end it too.
const FAREWELL: Duration = Duration::from_secs(1);

/// A TCP connection that can be cut, reports its end, and ends when its client does not begin to speak.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    open: Arc<OpenConnection>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Runs until the client has begun to speak HTTP.
    greeting: Option<Pin<Box<Sleep>>>,
    /// Ends it at once if it has not begun when the service stops.
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    bytes_read: usize,
    /// The bytes read before the server serves it: with TLS, those of the handshake, and what came with its end.
    read_before: OnceLock<usize>,
    /// Runs since the server has said its last.
    farewell: Option<Pin<Box<Sleep>>>,
    _gone: DropGuard,
}

impl Connection {
    /// The connection, and what is cancelled when it is dropped.
    pub(super) fn new(
        stream: TcpStream,
        open: Arc<OpenConnection>,
        stop: CancellationToken,
        greeting: Duration,
    ) -> (Self, CancellationToken) {
        let gone = CancellationToken::new();
        let connection = Self {
            stream,
            cut: Box::pin(open.cut().clone().cancelled_owned()),
            open,
            greeting: Some(Box::pin(tokio::time::sleep(greeting))),
            stop: Box::pin(stop.cancelled_owned()),
            bytes_read: 0,
            read_before: OnceLock::new(),
            farewell: None,
            _gone: gone.clone().drop_guard(),
        };
        (connection, gone)
    }

    /// An error when the connection is to end.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Result<()> {
        if self.cut.as_mut().poll(context).is_ready() {
            return Err(Error::new(ErrorKind::ConnectionAborted, "cut"));
        }
        if let Some(greeting) = &mut self.greeting {
            let before = self.read_before.get();
            let heard = before.map_or(0, |before| self.bytes_read - before);
            // With the end of a handshake may come all that HTTP/1 has to say; HTTP/2 always says more.
            if heard >= PREFACE_BYTES || self.open.has_asked() {
                self.greeting = None;
            } else if greeting.as_mut().poll(context).is_ready() {
                return Err(Error::new(ErrorKind::TimedOut, "no HTTP"));
            } else if self.stop.as_mut().poll(context).is_ready() {
                return Err(Error::new(ErrorKind::ConnectionAborted, "stopping"));
            }
        }
        Ok(())
    }

    fn note_written(&self, context: &mut Context<'_>, written: &Poll<Result<usize>>) {
        if let Poll::Ready(Ok(bytes)) = written {
            self.open.note_moved(*bytes);
            spend(context, *bytes);
        }
    }

    /// Reads on until the client has ended the connection too, for a while: if it were closed with
    /// something unread, the system would throw away what the client has not read yet.
    fn poll_farewell(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let farewell = self
            .farewell
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(FAREWELL)));
        // First, so that a client that never stops sending does not keep it from being asked.
        if farewell.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut bytes = [0; 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<OpenConnection>;

    fn connect_info(&self) -> Arc<OpenConnection> {
        // It is asked once.
        let _ = self.read_before.set(self.bytes_read);
        Arc::clone(&self.open)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        self.poll_end(context)?;
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = buffer.filled().len() - before;
        self.bytes_read = self.bytes_read.saturating_add(read);
        self.open.note_moved(read);
        spend(context, read);
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.poll_end(context)?;
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_written(context, &polled);
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.poll_end(context)?;
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note_written(context, &polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        // A cut connection needs no orderly end.
        self.poll_end(context)?;
        if self.farewell.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        self.poll_farewell(context)
    }
}

/// Takes the cost of bytes that were read or written from the budget of the running task. When it is spent, the next
/// read or write is pending, and the task runs again after those that wait.
fn spend(context: &mut Context<'_>, bytes: usize) {
    for _ in 0..bytes / BYTES_PER_UNIT {
        match coop::poll_proceed(context) {
            Poll::Ready(unit) => unit.made_progress(),
            Poll::Pending => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::limits::OpenConnections;

    const GREETING_TIMEOUT: Duration = Duration::from_mins(1);

    /// A connection with a client, and with what it needs to stay.
    async fn connected() -> (Connection, TcpStream, impl Drop) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = TcpStream::connect(address).await.unwrap();
        let (stream, peer) = listener.accept().await.unwrap();
        let connections = Arc::new(OpenConnections::new(1, 1, 1));
        let slot = connections.let_in(peer.ip(), CancellationToken::new());
        let slot = slot.unwrap();
        let open = Arc::clone(slot.connection());
        let stop = CancellationToken::new();
        let (connection, _) = Connection::new(stream, open, stop, GREETING_TIMEOUT);
        (connection, client, slot)
    }

    /// The most bytes that a task that reads all it can gets in one turn.
    async fn most_read_at_once(connection: &mut Connection, total: usize) -> usize {
        let (mut most, mut all) = (0, 0);
        while all < total {
            let read = poll_fn(|context| {
                let (mut read, mut bytes) = (0, [0; 8192]);
                loop {
                    let mut buffer = ReadBuf::new(&mut bytes);
                    let polled = Pin::new(&mut *connection).poll_read(context, &mut buffer);
                    match polled {
                        Poll::Ready(polled) => polled.unwrap(),
                        Poll::Pending if read == 0 => return Poll::Pending,
                        Poll::Pending => return Poll::Ready(read),
                    }
                    read += buffer.filled().len();
                }
            });
            let read = read.await;
            (most, all) = (most.max(read), all + read);
        }
        most
    }

    /// Reads what a client has sent as its handshake, and waits longer than for its greeting.
    async fn after_a_handshake(connection: &mut Connection, client: &mut TcpStream) {
        client.write_all(&[7; 1000]).await.unwrap();
        connection.read_exact(&mut [0; 1000]).await.unwrap();
        let _ = connection.connect_info();
        tokio::time::pause();
        tokio::time::advance(GREETING_TIMEOUT * 2).await;
    }

    #[tokio::test]
    async fn a_handshake_is_no_greeting() {
        let (mut connection, mut client, _slot) = connected().await;
        after_a_handshake(&mut connection, &mut client).await;
        let ended = tokio::time::timeout(GREETING_TIMEOUT, connection.read_u8()).await;
        let ended = ended.expect("it ends").unwrap_err();
        assert_eq!(ended.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_request_that_comes_with_the_handshake_is_a_greeting() {
        let (mut connection, mut client, _slot) = connected().await;
        connection.open.note_request();
        after_a_handshake(&mut connection, &mut client).await;
        client.write_all(&[1]).await.unwrap();
        assert_eq!(connection.read_u8().await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_client_that_sends_much_at_once_is_read_in_turns() {
        let (mut connection, client, _slot) = connected().await;
        client.writable().await.unwrap();
        let mut sent = 0;
        while let Ok(bytes) = client.try_write(&[7; 8192]) {
            sent += bytes;
        }
        assert!(sent > 64 * 1024, "the system takes {sent} bytes");
        let most = most_read_at_once(&mut connection, sent).await;
        assert!(most <= 40 * 1024, "{most} of {sent} bytes");
    }

    #[tokio::test]
    async fn a_client_that_is_sent_much_at_once_is_written_to_in_turns() {
        let (mut connection, client, _slot) = connected().await;
        let written = poll_fn(|context| {
            let mut written = 0;
            while let Poll::Ready(some) = Pin::new(&mut connection).poll_write(context, &[7; 8192])
            {
                written += some.unwrap();
            }
            Poll::Ready(written)
        });
        let written = written.await;
        assert!(written <= 40 * 1024, "{written} bytes");
        drop(client);
    }
}
