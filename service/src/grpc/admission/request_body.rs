//! The receipt of a request of one message.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::Bytes;
use http_body::Body as _;
use tonic::Status;
use tonic::body::Body;

use super::fault;
use crate::limits::BodyShare;

/// Bytes before each message: a flag and the length.
pub(super) const PREFIX_BYTES: usize = 5;

/// Receives a request of at most `most` bytes. One that announces more is refused at once.
pub(super) async fn receive(
    mut body: Body,
    most: usize,
    mut share: BodyShare,
) -> Result<Body, Status> {
    let Some(first) = next(&mut body).await? else {
        return Ok(Body::empty());
    };
    check(&first, most)?;
    // Nearly every request arrives in one piece.
    let mut all = Vec::new();
    let mut held = first.len();
    while !body.is_end_stream() {
        share.resize(held).map_err(fault)?;
        let Some(more) = next(&mut body).await? else {
            break;
        };
        // A copy, because a piece of a few bytes may keep a whole buffer of the connection.
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&more);
        check(&all, most)?;
        held = all.len();
    }
    let whole = if all.is_empty() { first } else { all.into() };
    Ok(Body::new(axum::body::Body::from(whole)))
}

/// Reads a request and forgets it, up to as many bytes as a request may have.
pub(super) async fn discard(mut body: Body, most: usize) {
    let mut left = most;
    while let Ok(Some(data)) = next(&mut body).await {
        match left.checked_sub(data.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// The next data; what else a request may have is skipped.
async fn next(body: &mut Body) -> Result<Option<Bytes>, Status> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        let frame = frame.transpose().map_err(|error| broken_off(&error))?;
        match frame.map(http_body::Frame::into_data) {
            None => return Ok(None),
            Some(Ok(data)) => return Ok(Some(data)),
            Some(Err(_trailers)) => {}
        }
    }
}

/// The status of a call whose request breaks off, because the client has gone or has reset its stream. tonic has `UNKNOWN` or
/// `INTERNAL` for some of these, which would look like a fault of the service.
pub(super) fn broken_off(error: &Status) -> Status {
    Status::cancelled(format!("the request broke off: {}", error.message()))
}

/// Refuses a request that is too long by what has arrived of it.
fn check(begun: &[u8], most: usize) -> Result<(), Status> {
    let announced = begun.first_chunk().copied().map_or(0, message_bytes);
    let bytes = announced.max(begun.len().saturating_sub(PREFIX_BYTES));
    if bytes <= most {
        return Ok(());
    }
    Err(Status::out_of_range(format!(
        "the request has {bytes} bytes, the limit is {most} bytes"
    )))
}

/// The length of the message after a prefix.
pub(super) fn message_bytes([_, length @ ..]: [u8; PREFIX_BYTES]) -> usize {
    usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX)
}
