use std::time::{Duration, SystemTime};

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{CloseReason, MatchId, Sequence};
use v1::watch_match_response::Response;

use crate::from_proto;
use crate::invalid_response::{FieldFault, InvalidResponse};
use crate::resuming_stream::{Resume, ResumingStream, opening};
use crate::{Client, ClientError, Closing, WatchedEvent};

/// Follows the events of a match without gaps.
#[derive(Debug)]
pub struct Watch {
    client: Client,
    match_id: MatchId,
    last: Sequence,
    caught_up: bool,
    over: bool,
    stream: ResumingStream<v1::WatchMatchResponse>,
}

/// An update of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchUpdate {
    /// Events in order, at least one. They follow those of the previous update.
    Events(Vec<WatchedEvent>),
    /// All events before the watch began have been delivered. Sent once.
    CaughtUp {
        /// The sequence of the last event.
        head: Sequence,
    },
    /// A heartbeat.
    Heartbeat {
        /// The sequence of the last event.
        head: Sequence,
        /// The service's time.
        server_time: SystemTime,
    },
    /// The stream ends: the last update. A watch that resumes reports it only if resuming does not
    /// help, or has not helped for too long.
    Closing(Closing),
}

impl Client {
    /// Follows the events of a match after `after`. The first [`Watch::next`] opens the stream.
    #[must_use]
    pub fn watch(&self, match_id: MatchId, after: Sequence, resume: Resume) -> Watch {
        Watch {
            client: self.clone(),
            match_id,
            last: after,
            caught_up: false,
            over: false,
            stream: ResumingStream::new(self, resume),
        }
    }
}

impl Watch {
    /// The sequence of the last event delivered, where another watch can continue.
    #[must_use]
    pub const fn last_sequence(&self) -> Sequence {
        self.last
    }

    /// Returns the next update; `None` after the last one or an error. Cancel safe.
    ///
    /// # Errors
    ///
    /// There is no such match, a message is malformed, or the connection was lost and the watch
    /// does not resume.
    pub async fn next(&mut self) -> Option<Result<WatchUpdate, ClientError>> {
        self.next_reporting(|_, _| ()).await
    }

    /// Like [`Watch::next`]; `report` receives each error of an attempt to resume the watch, and the time
    /// since it was lost.
    ///
    /// # Errors
    ///
    /// Those of [`Watch::next`].
    pub async fn next_reporting(
        &mut self,
        mut report: impl FnMut(&ClientError, Duration) + Send,
    ) -> Option<Result<WatchUpdate, ClientError>> {
        while !self.over {
            let failure = match self.receive().await {
                Ok(Some(update)) => return Some(Ok(update)),
                Ok(None) => continue,
                Err(failure) => failure,
            };
            if let Err(failure) = self.stream.lose(failure, &mut report) {
                self.over = true;
                return Some(Err(failure));
            }
        }
        None
    }

    /// Handles a message; returns `None` if it has no news.
    async fn receive(&mut self) -> Result<Option<WatchUpdate>, ClientError> {
        let Self {
            client,
            match_id,
            last,
            stream,
            ..
        } = self;
        let open = || async {
            let request = opening(v1::WatchMatchRequest {
                match_id: match_id.to_string(),
                after_sequence: last.0,
            });
            client.matches.clone().watch_match(request).await
        };
        let message = stream.message(open).await?;
        // A stream that ends without a message brought none.
        if !matches!(message.response, Some(Response::Closing(_))) {
            stream.has_answered();
        }
        self.read(message)
    }

    fn read(
        &mut self,
        message: v1::WatchMatchResponse,
    ) -> Result<Option<WatchUpdate>, ClientError> {
        // Later versions of the API may have unknown kinds of messages.
        let Some(response) = message.response else {
            return Ok(None);
        };
        Ok(match response {
            Response::Batch(batch) => {
                let events = batch.events.into_iter().map(from_proto::event);
                let events: Vec<WatchedEvent> = events.collect::<Result<_, _>>()?;
                self.advance(&events)?;
                Some(WatchUpdate::Events(events))
            }
            Response::CaughtUp(reached) => {
                let first = !std::mem::replace(&mut self.caught_up, true);
                first.then_some(WatchUpdate::CaughtUp {
                    head: Sequence(reached.head_sequence),
                })
            }
            Response::Heartbeat(beat) => Some(WatchUpdate::Heartbeat {
                head: Sequence(beat.head_sequence),
                server_time: from_proto::time(beat.server_time, "heartbeat.server_time")?,
            }),
            Response::Closing(closing) => {
                let reason = from_proto::closing(closing.reason);
                if !reason.is_of_the_replica() {
                    self.stream.stay();
                }
                if is_passing(reason) && self.stream.may_resume(&ClientError::ended()) {
                    return Err(ClientError::ended());
                }
                self.over = true;
                Some(WatchUpdate::Closing(reason))
            }
        })
    }

    /// Checks that events follow the last one, and each other.
    fn advance(&mut self, events: &[WatchedEvent]) -> Result<(), InvalidResponse> {
        for event in events {
            if event.recorded.sequence.0 != self.last.0 + 1 {
                return Err(InvalidResponse::new(
                    "batch.events.sequence",
                    FieldFault::Order,
                ));
            }
            self.last = event.recorded.sequence;
        }
        Ok(())
    }
}

/// Returns true if a stream that ended for this reason may be reopened. An unknown reason is worth
/// a try.
const fn is_passing(closing: Closing) -> bool {
    match closing {
        Closing::Unknown(_)
        | Closing::Reason(
            CloseReason::SlowReader
            | CloseReason::Draining
            | CloseReason::ConnectionAged
            | CloseReason::LogUnavailable,
        ) => true,
        Closing::Reason(
            CloseReason::MatchEnded
            | CloseReason::Superseded
            | CloseReason::LogDamaged
            | CloseReason::TokenEnded,
        ) => false,
    }
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::MatchEvent;

    use super::*;
    use crate::Token;

    fn watch(resume: Resume) -> Watch {
        let address = "127.0.0.1:1".parse().unwrap();
        let client = Client::connect_lazily(&address, &Token::random()).unwrap();
        let id = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap();
        client.watch(id, Sequence(6), resume)
    }

    fn message(response: Response) -> v1::WatchMatchResponse {
        v1::WatchMatchResponse {
            response: Some(response),
        }
    }

    fn batch(sequences: &[u64]) -> v1::WatchMatchResponse {
        let event = |sequence: &u64| v1::MatchEvent {
            sequence: *sequence,
            time: Some(SystemTime::UNIX_EPOCH.into()),
            event: Some(v1::match_event::Event::GameStarted(
                v1::match_event::GameStarted {
                    game_number: 1,
                    position: "…".to_owned(),
                },
            )),
        };
        let events = sequences.iter().map(event).collect();
        message(Response::Batch(v1::watch_match_response::Batch { events }))
    }

    fn closing(reason: v1::CloseReason) -> v1::WatchMatchResponse {
        message(Response::Closing(v1::watch_match_response::Closing {
            reason: reason.into(),
            resume_after_sequence: 0,
        }))
    }

    /// The first failure is that of the loss itself.
    #[tokio::test(start_paused = true)]
    async fn reports_what_keeps_it_from_resuming() {
        let mut watch = watch(Resume::For(Duration::from_secs(2)));
        let mut reported = Vec::new();
        let report = |error: &ClientError, gone| reported.push((error.to_string(), gone));
        let last = watch.next_reporting(report).await.unwrap().unwrap_err();
        assert!(reported.len() > 1, "{reported:?}");
        let mut before = Duration::ZERO;
        for (error, gone) in reported {
            assert_eq!(error, last.to_string());
            assert!(gone > before && gone < Duration::from_secs(2));
            before = gone;
        }
    }

    #[tokio::test]
    async fn remembers_where_to_go_on() {
        let mut watch = watch(Resume::Never);
        let Ok(Some(WatchUpdate::Events(events))) = watch.read(batch(&[7, 8])) else {
            panic!("a batch is an update");
        };
        assert!(matches!(
            events[1].event(),
            MatchEvent::GameStarted { number: 1, .. }
        ));
        assert_eq!(watch.last_sequence(), Sequence(8));
    }

    #[tokio::test]
    async fn a_gap_is_an_error() {
        for sequences in [&[8][..], &[7, 9], &[6], &[7, 7]] {
            let error = watch(Resume::Never).read(batch(sequences)).unwrap_err();
            assert!(
                error.to_string().contains("batch.events.sequence"),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn catches_up_once() {
        let mut watch = watch(Resume::Never);
        let reached = v1::watch_match_response::CaughtUp { head_sequence: 6 };
        let head = Sequence(6);
        let first = watch.read(message(Response::CaughtUp(reached))).unwrap();
        assert_eq!(first, Some(WatchUpdate::CaughtUp { head }));
        assert_eq!(
            watch.read(message(Response::CaughtUp(reached))).unwrap(),
            None
        );
    }

    #[tokio::test]
    async fn tells_the_end_unless_it_resumes() {
        let long = Resume::For(Duration::from_mins(1));
        let spent = Resume::For(Duration::ZERO);
        for (resume, reason, told) in [
            (Resume::Never, v1::CloseReason::Draining, true),
            (Resume::Never, v1::CloseReason::MatchEnded, true),
            (long, v1::CloseReason::MatchEnded, true),
            (long, v1::CloseReason::LogDamaged, true),
            (long, v1::CloseReason::Draining, false),
            (long, v1::CloseReason::SlowReader, false),
            (long, v1::CloseReason::ConnectionAged, false),
            (long, v1::CloseReason::LogUnavailable, false),
            (spent, v1::CloseReason::LogUnavailable, true),
            (long, v1::CloseReason::Unspecified, false),
        ] {
            let mut watch = watch(resume);
            assert_eq!(
                watch.read(closing(reason)).is_ok(),
                told,
                "{resume:?} {reason:?}"
            );
            assert_eq!(watch.over, told);
        }
    }

    #[tokio::test]
    async fn loses_patience() {
        let watch = watch(Resume::For(Duration::ZERO));
        assert!(!watch.stream.may_resume(&ClientError::ended()));
        let watch = self::watch(Resume::For(Duration::from_mins(1)));
        assert!(watch.stream.may_resume(&ClientError::ended()));
        let missing = InvalidResponse::missing("event").into();
        assert!(!watch.stream.may_resume(&missing));
    }
}
