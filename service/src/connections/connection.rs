use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use crate::limits::OpenConnection;

/// Length of the HTTP/2 connection preface.
const PREFACE_BYTES: usize = 24;

/// Time that a connection that the server has ended waits for the client to end it too.
const FAREWELL: Duration = Duration::from_secs(1);

/// A TCP connection that can be cut, reports its end, and ends when its client does not begin to speak.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    open: Arc<OpenConnection>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Runs until the client has begun to speak HTTP/2.
    greeting: Option<Pin<Box<Sleep>>>,
    /// Ends it at once if it has not begun when the service stops.
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    bytes_read: usize,
    /// True once the server serves it: with TLS, after the handshake.
    is_served: AtomicBool,
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
            is_served: AtomicBool::new(false),
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
            if self.bytes_read >= PREFACE_BYTES && self.is_served.load(Ordering::Relaxed) {
                self.greeting = None;
            } else if greeting.as_mut().poll(context).is_ready() {
                return Err(Error::new(ErrorKind::TimedOut, "no HTTP/2"));
            } else if self.stop.as_mut().poll(context).is_ready() {
                return Err(Error::new(ErrorKind::ConnectionAborted, "stopping"));
            }
        }
        Ok(())
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
        self.is_served.store(true, Ordering::Relaxed);
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
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.poll_end(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
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
