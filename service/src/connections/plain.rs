//! Answers to clients that speak another protocol than the port does.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// The first bytes of HTTP/2, which are not a method of HTTP/1.
const HTTP2: &[u8; 3] = b"PRI";

/// Time to keep reading from a client, so that it receives the answer before the connection ends.
const HEAR_OUT: Duration = Duration::from_secs(1);

/// The code of HTTP/2 for a connection that is not protected as it has to be.
const INADEQUATE_SECURITY: u32 = 0xc;

/// The protocol of a client, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greeting {
    Tls,
    Http2,
    Http1,
    Other,
}

/// The reason why a client is not served.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    /// It does not use TLS, which the port requires.
    NoTls,
    /// It speaks HTTP/1, like a browser, or a monitor that expects the side port.
    Http1,
}

impl Refused {
    const fn words(self) -> &'static str {
        match self {
            Self::NoTls => "this port speaks TLS: use an https:// address",
            Self::Http1 => {
                "this port speaks gRPC over HTTP/2; /livez, /readyz and /metrics are on the side port"
            }
        }
    }
}

/// Peeks at the first bytes of a client, which stay unread; an error if it closes without sending any.
pub(super) async fn greeting(stream: &TcpStream) -> std::io::Result<Greeting> {
    let mut first = [0; HTTP2.len()];
    let count = stream.peek(&mut first).await?;
    Ok(match &first[..count] {
        [] => return Err(std::io::ErrorKind::UnexpectedEof.into()),
        [HANDSHAKE, ..] => Greeting::Tls,
        begun if HTTP2.starts_with(begun) => Greeting::Http2,
        begun if begun.iter().all(u8::is_ascii_uppercase) => Greeting::Http1,
        _ => Greeting::Other,
    })
}

/// Reports to a client, in its protocol, why it is not served, and ends the connection.
pub(super) async fn refuse(mut stream: TcpStream, greeting: Greeting, why: Refused) {
    let answer = match greeting {
        Greeting::Http2 => go_away(why.words()),
        Greeting::Tls | Greeting::Http1 | Greeting::Other => bad_request(why.words()),
    };
    let answered = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // The client may have gone.
    let _ = tokio::time::timeout(HEAR_OUT, answered).await;
}

/// Empty settings, as a server has to begin, and the end of the connection with its reason.
fn go_away(words: &str) -> Vec<u8> {
    const SETTINGS: u8 = 4;
    const GO_AWAY: u8 = 7;
    let mut payload = vec![0; 4];
    payload.extend(INADEQUATE_SECURITY.to_be_bytes());
    payload.extend(words.as_bytes());
    let mut answer = frame(SETTINGS, &[]);
    answer.extend(frame(GO_AWAY, &payload));
    answer
}

/// A frame of HTTP/2 for the whole connection.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a frame of ours is short");
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.push(kind);
    // No flags, and stream 0.
    frame.extend([0; 5]);
    frame.extend(payload);
    frame
}

fn bad_request(words: &str) -> Vec<u8> {
    let length = words.len() + 1;
    format!(
        "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n{words}\n"
    )
    .into_bytes()
}
