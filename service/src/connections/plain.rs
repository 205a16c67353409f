//! What a client is told that speaks no TLS where only that is spoken.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// How long a client is heard out, so that it reads what it is told before the connection ends.
const HEAR_OUT: Duration = Duration::from_secs(1);

const WORDS: &str = "this port speaks TLS: use an https:// address";

/// The code of HTTP/2 for a connection that is not protected as it has to be.
const INADEQUATE_SECURITY: u32 = 0xc;

/// Whether a client begins as TLS does; an error if it ends without a word. Its first byte stays to be read.
pub(super) async fn is_tls(stream: &TcpStream) -> std::io::Result<bool> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(first == [HANDSHAKE])
}

/// Says in the client's own protocol that TLS is spoken here, and ends the connection.
pub(super) async fn refuse(mut stream: TcpStream) {
    let mut first = [0];
    let is_http2 = matches!(stream.peek(&mut first).await, Ok(1)) && first == *b"P";
    let answer = if is_http2 { go_away() } else { bad_request() };
    let told = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // Whoever has gone away does not hear it.
    let _ = tokio::time::timeout(HEAR_OUT, told).await;
}

/// Empty settings, as a server has to begin, and the end of the connection with its reason.
fn go_away() -> Vec<u8> {
    const SETTINGS: u8 = 4;
    const GO_AWAY: u8 = 7;
    let mut payload = vec![0; 4];
    payload.extend(INADEQUATE_SECURITY.to_be_bytes());
    payload.extend(WORDS.as_bytes());
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

fn bad_request() -> Vec<u8> {
    let length = WORDS.len() + 1;
    format!(
        "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n{WORDS}\n"
    )
    .into_bytes()
}
