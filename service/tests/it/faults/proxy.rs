use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::plan::{Fate, MAX_PIECE_BYTES, Plan};
use super::tally::{Counted, Tally};
use crate::random_player::Draws;

/// One connection of so many is cut before it has carried anything.
const REFUSED_ONE_IN: u64 = 16;

/// Stands between clients and a service and delays, cuts and half-opens their connections as its
/// draws want it. It ends when it is dropped.
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
            // Whichever way breaks takes the other with it.
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

/// Carries the bytes of one direction until it ends.
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
                hold(delay).await;
            }
            Fate::Cut { arriving } => {
                tally.count(Counted::Cut);
                return to.write_all(&buffer[..arriving]).await;
            }
            Fate::HalfOpen(time) => {
                tally.count(Counted::HalfOpen);
                tally.swallow(read);
                // What comes is read and lost, so that its sender believes that it has arrived.
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
            // Only the time ends it: a connection of which nothing comes is half open too.
            pending::<()>().await;
        }
        tally.swallow(read);
    }
}

/// Ready after `delay`.
async fn hold(delay: Duration) {
    let _ = timeout(delay, pending::<()>()).await;
}
