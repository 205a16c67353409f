//! Attacks on the port for browsers, over HTTP/1.1, which the other port does not speak.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::program::Program;

/// The most that the service may grow by what one address does.
const MOST_BYTES: usize = 64 << 20;

/// The connections that an address may have. One is left for an honest client.
const ATTACKERS: usize = 23;

/// Number of bytes that each attacker tries to send: together ten times as much as the service may grow by all of them.
const EACH_BYTES: usize = 10 * MOST_BYTES / ATTACKERS;

/// The head of an unending call, with a length or in chunks, as binary or as text.
fn call(content_type: &str, length: &str) -> String {
    format!(
        "POST /dragontooth.v1.MatchService/ListMatches HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/{content_type}\r\n{length}\r\n\r\n"
    )
}

/// Bytes that attackers send: something once, and something again and again.
fn attacks() -> [(&'static str, String, String); 6] {
    let filler = "A".repeat(0x8000);
    let header = format!("x: {}\r\n", &filler[..8000]);
    let chunk = format!("8000\r\n{filler}\r\n");
    let head = "GET / HTTP/1.1\r\nhost: localhost\r\n".to_owned();
    let picture = "GET /board/linja.svg?position=6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6%20r%201 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let length = "content-length: 4000000000";
    let chunked = "transfer-encoding: chunked";
    [
        ("headers", head.clone(), header),
        ("a message", call("grpc-web", length), filler.clone()),
        ("chunks", call("grpc-web", chunked), chunk.clone()),
        ("text", call("grpc-web-text", chunked), chunk),
        (
            "files that are not read",
            String::new(),
            format!("{head}\r\n").repeat(200),
        ),
        (
            "pictures that are not read",
            String::new(),
            picture.repeat(200),
        ),
    ]
}

/// Sends until the service has had enough, or takes no more.
async fn attack(page: SocketAddr, once: &str, again: &str, sent: &AtomicUsize) {
    let Ok(mut stream) = TcpStream::connect(page).await else {
        return;
    };
    let mut written = stream.write_all(once.as_bytes()).await;
    for _ in 0..EACH_BYTES / again.len() {
        if written.is_err() {
            return;
        }
        written = stream.write_all(again.as_bytes()).await;
        sent.fetch_add(again.len(), Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_on_the_page_cost_little() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve_with(folder.path(), &["--web", "127.0.0.1:0"]).await;
    let page = program.web();
    for (what, once, again) in attacks() {
        let before = program.resident_bytes();
        let (once, again) = (Arc::<str>::from(once), Arc::<str>::from(again));
        let sent = Arc::<AtomicUsize>::default();
        let mut attackers = JoinSet::new();
        for _ in 0..ATTACKERS {
            let (once, again, sent) = (Arc::clone(&once), Arc::clone(&again), Arc::clone(&sent));
            attackers.spawn(async move { attack(page, &once, &again, &sent).await });
        }
        let (mut grown, mut answers) = (0, 0);
        // Until they send no more between two answers.
        let mut last = None;
        while last != Some(sent.load(Ordering::Relaxed)) || answers < 20 {
            last = Some(sent.load(Ordering::Relaxed));
            let mut honest = TcpStream::connect(page).await.unwrap();
            let request = b"GET / HTTP/1.0\r\nhost: localhost\r\n\r\n";
            honest.write_all(request).await.unwrap();
            let mut answer = String::new();
            honest.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.0 200"), "{what}: {answer}");
            answers += 1;
            grown = grown.max(program.resident_bytes().saturating_sub(before));
            assert!(grown <= MOST_BYTES, "{what}: grown by {} MiB", grown >> 20);
        }
        attackers.shutdown().await;
        let sent = sent.load(Ordering::Relaxed);
        println!(
            "{what}: grown by {} MiB, sent {} MiB, {answers} answers to others",
            grown >> 20,
            sent >> 20
        );
        assert!(sent > 0, "{what}: nothing was sent");
    }
    program.kill().await;
}
