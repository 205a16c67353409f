use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::entrance::ByteStream;

/// A client that writes and reads the frames of HTTP/2 by itself, so that it decides which are sent together.
pub(super) struct Frames(Box<dyn ByteStream>);

/// A frame that was received.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

/// The setting of the windows of streams.
const INITIAL_WINDOW_SIZE: [u8; 2] = [0, 4];
const MAX_WINDOW: u32 = (1 << 31) - 1;
/// The window of a connection before it is made larger.
const FIRST_WINDOW: u32 = 65_535;

pub(super) const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

impl Frames {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self::over(Box::new(stream)).await.unwrap()
    }

    /// A client on this connection.
    pub(super) async fn over(stream: Box<dyn ByteStream>) -> io::Result<Self> {
        let mut frames = Self(stream);
        let mut greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        // The windows for answers are as large as they can be.
        let window = [&INITIAL_WINDOW_SIZE[..], &MAX_WINDOW.to_be_bytes()].concat();
        greeting.extend(frame(SETTINGS, 0, 0, &window));
        let more = (MAX_WINDOW - FIRST_WINDOW).to_be_bytes();
        greeting.extend(frame(WINDOW_UPDATE, 0, 0, &more));
        frames.write(&greeting).await?;
        Ok(frames)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await?;
        self.0.flush().await
    }

    pub(super) async fn read(&mut self) -> io::Result<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await?;
        let [high, middle, low, kind, _, stream @ ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).await?;
        Ok(Frame {
            kind,
            stream: u32::from_be_bytes(stream),
            payload,
        })
    }
}

/// The bytes of a frame.
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The headers of a call.
pub(super) fn headers(stream: u32, path: &str, token: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let authorization = format!("Bearer {token}");
    let mut block = Vec::new();
    let all = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "here"),
        (":path", path),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("authorization", &authorization),
    ];
    for (name, value) in all.iter().chain(more) {
        // A literal that is not indexed, without compression.
        block.push(0);
        for text in [name, value] {
            literal(&mut block, text);
        }
    }
    frame(HEADERS, END_HEADERS, stream, &block)
}

/// A text without compression, as HPACK writes it.
fn literal(block: &mut Vec<u8>, text: &str) {
    const PREFIX: usize = 127;
    match text.len().checked_sub(PREFIX) {
        None => block.push(u8::try_from(text.len()).unwrap()),
        Some(mut rest) => {
            block.push(127);
            while rest >= 128 {
                block.push(u8::try_from(rest % 128).unwrap() | 128);
                rest /= 128;
            }
            block.push(u8::try_from(rest).unwrap());
        }
    }
    block.extend(text.as_bytes());
}
