use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The longest time to connect, and to wait for each answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of an answer that are read.
const MAX_ANSWER_BYTES: u64 = 4096;

/// The reason why a service is not healthy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HealthcheckError {
    /// The port does not answer.
    #[error("the side port {address} does not answer")]
    NoAnswer {
        address: SocketAddr,
        source: io::Error,
    },
    /// It answers that it is not.
    #[error("the service is not ready: {0}")]
    NotReady(String),
    /// It answers something else.
    #[error("the server at {0} is not a side port")]
    NoSidePort(SocketAddr),
}

/// Asks the side port at `address` for `path`.
///
/// # Errors
///
/// The answer is another than that all is well.
pub(crate) fn healthcheck(address: SocketAddr, path: &str) -> Result<(), HealthcheckError> {
    let answer =
        ask(address, path).map_err(|source| HealthcheckError::NoAnswer { address, source })?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    match head.split(' ').nth(1) {
        Some("200") => Ok(()),
        Some("503") => Err(HealthcheckError::NotReady(body.trim().to_owned())),
        Some(_) | None => Err(HealthcheckError::NoSidePort(address)),
    }
}

fn ask(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    // HTTP/1.0: the answer ends with the connection and is not in chunks.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
