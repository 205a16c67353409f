use std::future::pending;
use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::plan::{Fate, MAX_PIECE_BYTES, Plan};
use super::tally::{Counted, Tally};
use crate::random_player::Draws;

/// One in this many connections is cut before it has carried anything.
const REFUSED_ONE_IN: u64 = 16;

/// A proxy between clients and a service that delays, cuts and half-opens connections as its
/// draws decide. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    accepting: AbortHandle,
}

impl Proxy {
    /// A proxy in front of the service at an address.
    pub(super) async fn before(service: SocketAddr, draws: Draws, tally: &Tally) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = tokio::spawn(accept(listener, service, draws, tally.clone()));
        Self {
            address,
            accepting: accepting.abort_handle(),
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, service: SocketAddr, mut draws: Draws, tally: Tally) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        tally.count(Counted::Connection);
        let mut draws = draws.split();
        if draws.below(REFUSED_ONE_IN) == 0 {
            tally.count(Counted::Cut);
            continue;
        }
        let tally = tally.clone();
        connections.spawn(async move {
            let server = TcpStream::connect(service).await.unwrap();
            // If one direction breaks, so does the other.
            let _ = carry(client, server, draws, &tally).await;
        });
    }
}

async fn carry(
    client: TcpStream,
    server: TcpStream,
    mut draws: Draws,
    tally: &Tally,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let there = Plan::new(draws.split());
    let back = Plan::new(draws);
    tokio::select! {
        ended = forward(from_client, to_server, there, tally) => ended,
        ended = forward(from_server, to_client, back, tally) => ended,
    }
}

/// Forwards the bytes of one direction until it ends.
async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut plan: Plan,
    tally: &Tally,
) -> io::Result<()> {
    let mut buffer = vec![0; MAX_PIECE_BYTES];
    loop {
        let read = from.read(&mut buffer[..plan.piece_bytes()]).await?;
        if read == 0 {
            return Ok(());
        }
        match plan.fate(read) {
            Fate::Arrives => {}
            Fate::Late(delay) => {
                tally.count(Counted::Delay);
                sleep(delay).await;
            }
            Fate::Cut { arriving } => {
                tally.count(Counted::Cut);
                return to.write_all(&buffer[..arriving]).await;
            }
            Fate::HalfOpen(time) => {
                tally.count(Counted::HalfOpen);
                tally.swallow(read);
                // Bytes are read and dropped, so that the sender believes they have arrived.
                let _ = timeout(time, swallow(from, tally)).await;
                return Ok(());
            }
        }
        to.write_all(&buffer[..read]).await?;
    }
}

async fn swallow(mut from: OwnedReadHalf, tally: &Tally) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            // Only the timeout ends it: a connection on which nothing arrives is half open too.
            pending::<()>().await;
        }
        tally.swallow(read);
    }
}
