use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use tonic::{Request, Response, Status, Streaming};

use crate::replicas::{Repeatable, Via};
use crate::{Backoff, Client, ClientError};

/// Longest silence on a stream before the connection counts as lost. The service sends something at
/// least every 10 seconds.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// Age of a stream from which on the loss of it is mended at once, on another replica if the client knows one.
const STEADY: Duration = Duration::from_secs(1);

/// The reaction of a watch to a lost connection, or to a stream that ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// End the watch.
    Never,
    /// Resume, unless there was no connection for this long.
    For(Duration),
}

/// A stream that is opened again when it was lost.
#[derive(Debug)]
pub(crate) struct ResumingStream<M> {
    resume: Resume,
    has_alternatives: bool,
    stream: Option<Opened<M>>,
    backoff: Backoff,
    lost: Option<Instant>,
    /// The time before which it is not opened again.
    paused_until: Option<Instant>,
}

/// An open stream.
#[derive(Debug)]
struct Opened<M> {
    responses: Streaming<M>,
    via: Option<Via>,
    since: Instant,
}

impl<M> ResumingStream<M> {
    /// A stream that is opened for its first message.
    pub(crate) fn new(client: &Client, resume: Resume) -> Self {
        Self {
            resume,
            has_alternatives: client.has_alternatives(),
            stream: None,
            backoff: Backoff::new(),
            lost: None,
            paused_until: None,
        }
    }

    /// Returns the next message, after `open` if the stream is not open. Cancel safe.
    pub(crate) async fn message<F>(&mut self, open: impl FnOnce() -> F) -> Result<M, ClientError>
    where
        F: Future<Output = Result<Response<Streaming<M>>, Status>>,
    {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                if let Some(until) = self.paused_until {
                    sleep_until(until).await;
                    self.paused_until = None;
                }
                let opened = open().await?;
                none.insert(Opened {
                    via: opened.extensions().get().cloned(),
                    responses: opened.into_inner(),
                    since: Instant::now(),
                })
            }
        };
        timeout(LONGEST_SILENCE, stream.responses.message())
            .await
            .map_err(|_| ClientError::too_late(LONGEST_SILENCE))??
            .ok_or_else(ClientError::ended)
    }

    /// Notes that the stream has brought something besides its end.
    pub(crate) fn has_answered(&mut self) {
        self.lost = None;
        self.backoff.reset();
    }

    /// Stays at the replica of the stream when that is lost: only the stream ends.
    pub(crate) fn stay(&mut self) {
        if let Some(stream) = &mut self.stream {
            stream.via = None;
        }
    }

    /// Gives the stream up because of a failure, for another one with the next message. `report` receives
    /// a failure to replace one that was lost before, and the time since then.
    ///
    /// # Errors
    ///
    /// The failure, if another stream does not help, or has not helped for too long.
    pub(crate) fn lose(
        &mut self,
        failure: ClientError,
        report: impl FnOnce(&ClientError, Duration),
    ) -> Result<(), ClientError> {
        let lost = self.stream.take();
        let via = lost.as_ref().and_then(|stream| stream.via.as_ref());
        if let Some(via) = via {
            via.lost();
        }
        let has_left = via.is_some();
        if !self.may_resume(&failure) {
            return Err(failure);
        }
        match self.lost {
            Some(since) => report(&failure, since.elapsed()),
            None => self.lost = Some(Instant::now()),
        }
        let was_steady = lost.is_some_and(|stream| stream.since.elapsed() > STEADY);
        if !(was_steady && has_left && self.has_alternatives) {
            let pause = self.backoff.pause(failure.retry_after());
            self.paused_until = Some(Instant::now() + pause);
        }
        Ok(())
    }

    /// Returns true if it is to be opened again after this failure.
    pub(crate) fn may_resume(&self, failure: &ClientError) -> bool {
        let Resume::For(patience) = self.resume else {
            return false;
        };
        let gone = self.lost.map_or(Duration::ZERO, |since| since.elapsed());
        failure.is_transient() && gone < patience
    }
}

/// The request of a stream, which may be sent twice.
pub(crate) fn opening<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Repeatable);
    request
}
