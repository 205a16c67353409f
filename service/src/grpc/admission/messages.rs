use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use http_body::{Body as HttpBody, Frame};
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;

use super::request_body::{PREFIX_BYTES, broken_off, message_bytes};
use super::{fault, too_slow};
use crate::limits::{BodyShare, CallerKey};
use crate::matches::Matches;

/// The most bytes of a question.
const MAX_QUESTION_BYTES: usize = 4096;

/// A request that is a stream of messages: each arrives within the time and the budgets, or the stream ends with
/// the reason.
///
/// The time of the first message begins with the stream, that of any other with its first byte.
#[derive(Debug)]
pub(super) struct Messages {
    body: Body,
    share: BodyShare,
    timeout: Duration,
    place: Place,
    late: Option<Pin<Box<Sleep>>>,
    /// Each message is charged to this caller.
    charged: Option<(Arc<Matches>, CallerKey)>,
    /// The reason that the stream has been ended, for the end of its answer.
    why: Arc<OnceLock<Status>>,
}

/// The place in a stream of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first message.
    Start,
    /// Between two messages.
    Between,
    /// In the prefix of a message.
    Prefix {
        read: usize,
        prefix: [u8; PREFIX_BYTES],
    },
    /// In a message.
    Message { left: usize, read: usize },
}

impl Messages {
    pub(super) const fn new(
        body: Body,
        share: BodyShare,
        timeout: Duration,
        why: Arc<OnceLock<Status>>,
    ) -> Self {
        Self {
            body,
            share,
            timeout,
            place: Place::Start,
            late: None,
            charged: None,
            why,
        }
    }

    /// The same for short messages, each of which is charged to a caller as a call.
    pub(super) fn charged(self, matches: Arc<Matches>, caller: CallerKey) -> Self {
        Self {
            charged: Some((matches, caller)),
            ..self
        }
    }

    /// Takes note of data that have arrived.
    fn note(&mut self, mut data: &[u8]) -> Result<(), Status> {
        let before = self.place;
        while !data.is_empty() {
            let (place, rest) = self.place.after(data);
            if let Place::Message { left, read: 0 } = place {
                self.begin(left)?;
            }
            (self.place, data) = (place.settled(), rest);
        }
        let waiting = self.place.waiting();
        if waiting > 0 || before.waiting() > 0 {
            self.share.resize(waiting).map_err(fault)?;
        }
        if self.place == Place::Between {
            self.late = None;
        }
        Ok(())
    }

    /// A message of this length begins.
    fn begin(&mut self, bytes: usize) -> Result<(), Status> {
        // A message that arrives with the end of the one before has its own time.
        self.late = None;
        let Some((matches, caller)) = &self.charged else {
            return Ok(());
        };
        if bytes > MAX_QUESTION_BYTES {
            return Err(Status::out_of_range(format!(
                "a question of {bytes} bytes is too long: at most {MAX_QUESTION_BYTES}"
            )));
        }
        let charged = matches.guard().spend_call(*caller, matches.now());
        charged.map_err(|limit| fault(limit).into())
    }

    fn end<T>(&mut self, why: Status) -> Poll<Option<Result<T, Status>>> {
        // The first reason counts.
        let _ = self.why.set(why.clone());
        Poll::Ready(Some(Err(why)))
    }
}

impl Place {
    /// The place after some of the data, and the rest of them.
    fn after(self, data: &[u8]) -> (Self, &[u8]) {
        match self {
            Self::Start | Self::Between => {
                let prefix = [0; PREFIX_BYTES];
                Self::Prefix { read: 0, prefix }.after(data)
            }
            Self::Prefix { read, mut prefix } => {
                let (now, rest) = data.split_at(data.len().min(PREFIX_BYTES - read));
                prefix[read..read + now.len()].copy_from_slice(now);
                let read = read + now.len();
                let place = if read < PREFIX_BYTES {
                    Self::Prefix { read, prefix }
                } else {
                    let left = message_bytes(prefix);
                    Self::Message { left, read: 0 }
                };
                (place, rest)
            }
            Self::Message { left, read } => {
                let (now, rest) = data.split_at(data.len().min(left));
                let (left, read) = (left - now.len(), read + now.len());
                (Self::Message { left, read }, rest)
            }
        }
    }

    /// The same place, or the one behind a message that is complete.
    const fn settled(self) -> Self {
        match self {
            Self::Message { left: 0, .. } => Self::Between,
            Self::Start | Self::Between | Self::Prefix { .. } | Self::Message { .. } => self,
        }
    }

    /// The bytes that wait for the rest of their message.
    const fn waiting(self) -> usize {
        match self {
            Self::Start | Self::Between => 0,
            Self::Prefix { read, .. } => read,
            Self::Message { read, .. } => PREFIX_BYTES + read,
        }
    }
}

impl HttpBody for Messages {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let noted = frame.data_ref().map(|data| self.note(data));
                match noted.transpose() {
                    Ok(_) => Poll::Ready(Some(Ok(frame))),
                    Err(why) => self.end(why),
                }
            }
            Poll::Pending if self.place != Place::Between => {
                let timeout = self.timeout;
                let late = self
                    .late
                    .get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
                match late.as_mut().poll(context) {
                    Poll::Ready(()) => self.end(too_slow(timeout)),
                    Poll::Pending => Poll::Pending,
                }
            }
            Poll::Ready(Some(Err(error))) => self.end(broken_off(&error)),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pieces: &[&[u8]]) -> Vec<usize> {
        let mut place = Place::Start;
        let mut waiting = Vec::new();
        for piece in pieces {
            let mut data = *piece;
            while !data.is_empty() {
                let (next, rest) = place.after(data);
                (place, data) = (next.settled(), rest);
            }
            waiting.push(place.waiting());
        }
        waiting
    }

    #[test]
    fn bytes_wait_until_their_message_is_complete() {
        let message = [&[0, 0, 0, 0, 3][..], b"abc"].concat();
        let empty = [0; PREFIX_BYTES];
        assert_eq!(places(&[&message]), [0]);
        assert_eq!(
            places(&[&message[..2], &message[2..6], &message[6..]]),
            [2, 6, 0]
        );
        assert_eq!(places(&[&empty, &message[..5], b"ab"]), [0, 5, 7]);
        let two_and_a_half = [&message[..], &empty, &message[..7]].concat();
        assert_eq!(places(&[&two_and_a_half, b"c"]), [7, 0]);
    }
}
