use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// The most connections at once. Others are closed as they come.
const MAX_CONNECTIONS: usize = 512;

/// A connection to which nothing could be written for this long ends: its client does not read, or has not sent a
/// whole request.
const SILENCE: Duration = Duration::from_secs(30);

/// Pause in accepting after the system had no room for a connection.
const PAUSE_WITHOUT_ROOM: Duration = Duration::from_millis(50);

/// Lets connections in, as many as there is room for.
pub(crate) struct Door {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

/// A connection of a client, which ends if it comes to a standstill.
pub(crate) struct Connection {
    stream: TcpStream,
    silence: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Door {
    pub(crate) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            room: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        }
    }
}

impl Listener for Door {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else {
                        continue;
                    };
                    // Otherwise small writes wait for the client's acknowledgement.
                    let _ = stream.set_nodelay(true);
                    let connection = Connection {
                        stream,
                        silence: Box::pin(sleep(SILENCE)),
                        _place: place,
                    };
                    return (connection, address);
                }
                // It may be of one client alone, or of the system, as without room for more files.
                Err(_) => sleep(PAUSE_WITHOUT_ROOM).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connection {
    /// Notes what was written, or returns an error after a long silence.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_pending() {
            return self.poll_silence(context);
        }
        self.silence.as_mut().reset(Instant::now() + SILENCE);
        polled
    }

    fn poll_silence<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let silence = self.silence.as_mut().poll(context);
        silence.map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() {
            return self.poll_silence(context);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
