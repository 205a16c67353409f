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

/// Receives a request.
///
/// Of one that is too long for its decoder only the beginning is received, by which the decoder refuses it.
pub(super) async fn receive(
    mut body: Body,
    most: usize,
    mut share: BodyShare,
) -> Result<Body, Status> {
    let Some(first) = next(&mut body).await? else {
        return Ok(Body::empty());
    };
    // Nearly every request arrives in one piece.
    let mut all = Vec::new();
    let mut held = first.len();
    while !body.is_end_stream() && !is_too_long(if all.is_empty() { &first } else { &all }, most) {
        share.resize(held).map_err(fault)?;
        let Some(more) = next(&mut body).await? else {
            break;
        };
        // A copy, because a piece of a few bytes may keep a whole buffer of the connection.
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&more);
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
        match frame.transpose()?.map(http_body::Frame::into_data) {
            None => return Ok(None),
            Some(Ok(data)) => return Ok(Some(data)),
            Some(Err(_trailers)) => {}
        }
    }
}

fn is_too_long(begun: &[u8], most: usize) -> bool {
    let Some(prefix) = begun.first_chunk::<PREFIX_BYTES>() else {
        return false;
    };
    message_bytes(*prefix) > most || begun.len() > most + PREFIX_BYTES
}

/// The length of the message after a prefix.
pub(super) fn message_bytes([_, length @ ..]: [u8; PREFIX_BYTES]) -> usize {
    usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX)
}
