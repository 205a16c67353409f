use std::time::{Duration, SystemTime};

use dragontooth_games::Seat;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{CloseReason, MatchId, PlayerId, RequestId, Sequence};
use tokio::sync::mpsc;
use tonic::Streaming;

use crate::{
    ClientError, Decision, DecisionId, InvalidResponse, MatchView, Resignation, from_proto,
    to_proto,
};

/// Requests of a stream that may wait to be sent; beyond that, senders wait.
pub const PLAY_QUEUE_REQUESTS: usize = 1024;

/// Options of a player's stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayOptions {
    /// True to leave the legal actions out of the decisions.
    pub omit_legal_actions: bool,
}

/// A stream that carries all matches of a player. Dropping the receiver ends it; dropping the
/// sender only ends the player's requests.
#[derive(Debug)]
pub struct PlaySession {
    /// The player of the token.
    pub player: PlayerId,
    /// Longest silence: at least a heartbeat comes this often.
    pub heartbeat_interval: Duration,
    /// The player's half.
    pub sender: PlaySender,
    /// The service's half.
    pub receiver: PlayReceiver,
}

/// The player's half of a stream.
#[derive(Clone, Debug)]
pub struct PlaySender(mpsc::Sender<v1::PlayRequest>);

/// The service's half of a stream.
#[derive(Debug)]
pub struct PlayReceiver(Streaming<v1::PlayResponse>);

/// The stream has ended and accepts no requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream has ended")]
pub struct StreamEnded;

/// An answer to a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The match.
    pub match_id: MatchId,
    /// The decision.
    pub decision_id: DecisionId,
    /// The action, in the game's notation.
    pub action: String,
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
}

/// A message of the service on a player's stream.
#[derive(Debug)]
pub enum PlayEvent {
    /// The stream is open. [`Client::play`](crate::Client::play) consumes this message.
    Ready {
        /// The player of the token.
        player: PlayerId,
        /// Longest silence: at least a heartbeat comes this often.
        heartbeat_interval: Duration,
    },
    /// A seat is reserved for the player.
    Invitation(Invitation),
    /// A match in which the player has a seat has opened.
    Opened(Opened),
    /// The player has to decide.
    Decision(Decision),
    /// An answer was accepted; the action is durable.
    Accepted(AnswerAccepted),
    /// A request was refused. The match continues.
    Refused(RefusedRequest),
    /// A match of the player is over.
    Closed(MatchView),
    /// A heartbeat with the service's time.
    Heartbeat(SystemTime),
    /// The stream ends: the last message.
    Closing(Closing),
}

/// A seat reserved for the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The match.
    pub view: MatchView,
    /// The seat.
    pub seat: Seat,
}

/// A match that opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The match.
    pub view: MatchView,
    /// The player's seat.
    pub seat: Seat,
}

/// An answer that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerAccepted {
    /// The match.
    pub match_id: MatchId,
    /// The decision that was answered.
    pub decision_id: DecisionId,
    /// The sequence of the event that records the action.
    pub sequence: Sequence,
    /// The action in canonical notation.
    pub action: String,
    /// The request id of the answer; empty if it had none.
    pub request_id: String,
}

/// A request that was refused.
#[derive(Debug)]
pub struct RefusedRequest {
    /// The match that the request named.
    pub match_id: Option<MatchId>,
    /// The decision that it answered; `None` if it was not an answer.
    pub decision_id: Option<DecisionId>,
    /// Its request id; empty if it had none.
    pub request_id: String,
    /// The refusal, as a unary call would return it.
    pub error: ClientError,
}

/// The announcement that a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closing {
    /// The reason.
    Reason(CloseReason),
    /// A reason of a later version of the API, with this number.
    Unknown(i32),
}

impl PlaySender {
    pub(crate) fn new(requests: mpsc::Sender<v1::PlayRequest>) -> Self {
        Self(requests)
    }

    /// Answers a decision.
    ///
    /// # Errors
    ///
    /// The stream has ended.
    pub async fn answer(&self, answer: Answer) -> Result<(), StreamEnded> {
        self.send(to_proto::answer(answer)).await
    }

    /// Takes a reserved seat, under a name of at most 64 bytes. The seed, also of at most 64 bytes,
    /// is the player's share of the seed for the draws of the match.
    ///
    /// # Errors
    ///
    /// The stream has ended.
    pub async fn accept_invitation(
        &self,
        match_id: MatchId,
        name: impl Into<String>,
        seed: Option<String>,
    ) -> Result<(), StreamEnded> {
        self.send(to_proto::accept_invitation(match_id, name.into(), seed))
            .await
    }

    /// Resigns a match.
    ///
    /// # Errors
    ///
    /// The stream has ended.
    pub async fn resign(&self, resignation: Resignation) -> Result<(), StreamEnded> {
        self.send(to_proto::resign(resignation)).await
    }

    pub(crate) async fn send(&self, request: v1::PlayRequest) -> Result<(), StreamEnded> {
        self.0.send(request).await.map_err(|_| StreamEnded)
    }
}

impl PlayReceiver {
    pub(crate) fn new(responses: Streaming<v1::PlayResponse>) -> Self {
        Self(responses)
    }

    /// Returns the next message of the service; `None` at the end of the stream. Cancel safe.
    ///
    /// # Errors
    ///
    /// The connection was lost, or the message is malformed.
    pub async fn next(&mut self) -> Option<Result<PlayEvent, ClientError>> {
        loop {
            match self.0.message().await {
                Ok(Some(message)) => {
                    if let Some(event) = read(message) {
                        return Some(event.map_err(ClientError::from));
                    }
                }
                Ok(None) => return None,
                Err(status) => return Some(Err(ClientError::from_status(status))),
            }
        }
    }
}

/// Converts a message; `None` for a kind that only later versions of the API have.
fn read(message: v1::PlayResponse) -> Option<Result<PlayEvent, InvalidResponse>> {
    message.response.map(from_proto::play_event)
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// The field 1000 does not exist.
    #[test]
    fn kinds_of_later_versions_are_passed_over() {
        let unknown = v1::PlayResponse::decode(&[0xc2, 0x3e, 0x00][..]).unwrap();
        assert!(read(unknown).is_none());
        let known = v1::play_response::Response::Closing(v1::play_response::Closing { reason: 2 });
        let known = v1::PlayResponse {
            response: Some(known),
        };
        assert!(matches!(
            read(known),
            Some(Ok(PlayEvent::Closing(Closing::Reason(
                CloseReason::Superseded
            ))))
        ));
    }
}
