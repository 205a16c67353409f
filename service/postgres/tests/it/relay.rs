//! A relay to a server, which loses answers.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A relay on a port of the loopback.
#[derive(Debug)]
pub(crate) struct Relay {
    address: SocketAddr,
    loses: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Relay {
    /// A relay to the server at this port.
    pub(crate) async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let loses = Arc::new(AtomicBool::new(false));
        let lost = Arc::new(AtomicU64::new(0));
        let (of_each, lost_in_all) = (Arc::clone(&loses), Arc::clone(&lost));
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (loses, lost) = (Arc::clone(&of_each), Arc::clone(&lost_in_all));
                tokio::spawn(async move {
                    let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    carry(client, server, &loses, &lost).await;
                });
            }
        });
        Self {
            address,
            loses,
            lost,
            task,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Cuts the next connection whose server answers, without the answer.
    pub(crate) fn lose_the_next_answer(&self) {
        self.loses.store(true, Ordering::SeqCst);
    }

    /// The number of answers that were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn carry(mut client: TcpStream, mut server: TcpStream, loses: &AtomicBool, lost: &AtomicU64) {
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => match read {
                Ok(len) if len > 0 => {
                    if server.write_all(&asked[..len]).await.is_err() {
                        return;
                    }
                }
                Ok(_) | Err(_) => return,
            },
            read = server.read(&mut answered) => match read {
                Ok(len) if len > 0 => {
                    if loses.swap(false, Ordering::SeqCst) {
                        lost.fetch_add(1, Ordering::SeqCst);
                        return;
                    }
                    if client.write_all(&answered[..len]).await.is_err() {
                        return;
                    }
                }
                Ok(_) | Err(_) => return,
            },
        }
    }
}
