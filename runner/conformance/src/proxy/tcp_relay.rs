use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A relay that the bot connects to: it forwards connections to another address and can cut them.
#[derive(Debug)]
pub(super) struct TcpRelay {
    pub(super) address: SocketAddr,
    /// Ends with all connections when it is dropped.
    _open: JoinSet<()>,
}

impl TcpRelay {
    /// A relay to `inside`. All connections are cut whenever `cuts` changes.
    pub(super) async fn open(inside: SocketAddr, cuts: watch::Receiver<u64>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut open = JoinSet::new();
        open.spawn(accept(listener, inside, cuts));
        Ok(Self {
            address,
            _open: open,
        })
    }
}

async fn accept(listener: TcpListener, inside: SocketAddr, cuts: watch::Receiver<u64>) {
    let mut connections = JoinSet::new();
    loop {
        // If a connection cannot be accepted, the bot has to try again.
        let Ok((bot, _)) = listener.accept().await else {
            continue;
        };
        let mut cuts = cuts.clone();
        cuts.mark_unchanged();
        connections.spawn(async move {
            tokio::select! {
                // The check may be over.
                _ = cuts.changed() => {}
                _ = lead(bot, inside) => {}
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn lead(mut bot: TcpStream, inside: SocketAddr) -> io::Result<()> {
    let mut proxy = TcpStream::connect(inside).await?;
    bot.set_nodelay(true)?;
    proxy.set_nodelay(true)?;
    copy_bidirectional(&mut bot, &mut proxy).await?;
    Ok(())
}
