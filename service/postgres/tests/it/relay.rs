//! A relay to a server, which is cut or loses answers.

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
    sync::watch,
    task::JoinSet,
};

/// A relay on a port of the loopback. Its connections end when it is dropped.
#[derive(Debug)]
pub(crate) struct Relay {
    address: SocketAddr,
    server: watch::Sender<SocketAddr>,
    is_whole: watch::Sender<bool>,
    answers: Arc<Answers>,
    _tasks: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Answers {
    loses_next: AtomicBool,
    lost: AtomicU64,
}

/// The end of a connection from which something came.
enum Side {
    Client,
    Server,
}

impl Relay {
    /// A relay to the server at this address.
    pub(crate) async fn to(server: impl Into<SocketAddr>) -> Self {
        let (server, leads_to) = watch::channel(server.into());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_whole, whole) = watch::channel(true);
        let answers = Arc::<Answers>::default();
        let of_each = Arc::clone(&answers);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let (whole, answers) = (whole.clone(), Arc::clone(&of_each));
                let server = *leads_to.borrow();
                connections.spawn(async move { carry(client, server, whole, &answers).await });
            }
        });
        Self {
            address,
            server,
            is_whole,
            answers,
            _tasks: tasks,
        }
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads new connections to another server.
    pub(crate) fn lead_to(&self, server: impl Into<SocketAddr>) {
        self.server.send_replace(server.into());
    }

    /// Passes nothing on, not even the end of a connection, until it is [mended](Self::mend). New connections wait too.
    pub(crate) fn cut(&self) {
        self.is_whole.send_replace(false);
    }

    /// Goes on where it was cut.
    pub(crate) fn mend(&self) {
        self.is_whole.send_replace(true);
    }

    /// Ends the next connection whose server answers, without the answer.
    pub(crate) fn lose_the_next_answer(&self) {
        self.answers.loses_next.store(true, Ordering::SeqCst);
    }

    /// The number of answers that were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.answers.lost.load(Ordering::SeqCst)
    }
}

async fn carry(
    mut client: TcpStream,
    server: SocketAddr,
    mut whole: watch::Receiver<bool>,
    answers: &Answers,
) {
    mended(&mut whole).await;
    let Ok(mut server) = TcpStream::connect(server).await else {
        return;
    };
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let (from, read) = tokio::select! {
            read = client.read(&mut asked) => (Side::Client, read),
            read = server.read(&mut answered) => (Side::Server, read),
        };
        mended(&mut whole).await;
        let Ok(len @ 1..) = read else {
            return;
        };
        let passed_on = match from {
            Side::Client => server.write_all(&asked[..len]).await,
            Side::Server if answers.loses_next.swap(false, Ordering::SeqCst) => {
                answers.lost.fetch_add(1, Ordering::SeqCst);
                return;
            }
            Side::Server => client.write_all(&answered[..len]).await,
        };
        if passed_on.is_err() {
            return;
        }
    }
}

/// Waits while the relay is cut.
async fn mended(whole: &mut watch::Receiver<bool>) {
    // Without the sender the relay is gone, and this with it.
    let _ = whole.wait_for(|is_whole| *is_whole).await;
}
