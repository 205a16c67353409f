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

/// The most requests of a stream that wait to be sent; a sender waits beyond that.
pub const PLAY_QUEUE_REQUESTS: usize = 1024;

/// How a player wants to be served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayOptions {
    /// Whether to leave the legal actions out of the decisions.
    pub omit_legal_actions: bool,
}

/// A stream on which all of a player's matches are played. Dropping the receiver ends it; dropping the
/// sender only ends what the player can send.
#[derive(Debug)]
pub struct PlaySession {
    /// The player that the token stands for.
    pub player: PlayerId,
    /// A message, if only a heartbeat, comes at least so often.
    pub heartbeat_interval: Duration,
    /// What the player sends.
    pub sender: PlaySender,
    /// What the service sends.
    pub receiver: PlayReceiver,
}

/// The player's half of a stream.
#[derive(Clone, Debug)]
pub struct PlaySender(mpsc::Sender<v1::PlayRequest>);

/// The service's half of a stream.
#[derive(Debug)]
pub struct PlayReceiver(Streaming<v1::PlayResponse>);

/// The stream has ended and takes no requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream has ended")]
pub struct StreamEnded;

/// An answer to a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The match.
    pub match_id: MatchId,
    /// The decision that is answered.
    pub decision_id: DecisionId,
    /// The action, in the game's notation.
    pub action: String,
    /// Makes answering again safe.
    pub request_id: Option<RequestId>,
}

/// What the service sends on a player's stream.
#[derive(Debug)]
pub enum PlayEvent {
    /// The stream is open. [`Client::play`](crate::Client::play) has taken it off already.
    Ready {
        /// The player that the token stands for.
        player: PlayerId,
        /// A message, if only a heartbeat, comes at least so often.
        heartbeat_interval: Duration,
    },
    /// A seat is kept for the player.
    Invitation(Invitation),
    /// A match in which the player has a seat is played from here on.
    Opened(Opened),
    /// The player has to decide.
    Decision(Decision),
    /// An answer was accepted; the action is durable.
    Accepted(AnswerAccepted),
    /// A request was refused. The match goes on.
    Refused(RefusedRequest),
    /// A match of the player is over.
    Closed(MatchView),
    /// The stream lives; the service's time.
    Heartbeat(SystemTime),
    /// The stream ends: the last message.
    Closing(Closing),
}

/// A seat that is kept for the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The match.
    pub view: MatchView,
    /// The seat.
    pub seat: Seat,
}

/// A match that is played from here on.
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
    /// The decision that it answered; none if it was no answer.
    pub decision_id: Option<DecisionId>,
    /// Its request id; empty if it had none.
    pub request_id: String,
    /// Why, as the same call without a stream says it.
    pub error: ClientError,
}

/// The announcement of the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Closing {
    /// It ends for this reason.
    Reason(CloseReason),
    /// It ends for a reason of a later version of the API, which has this number.
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

    /// Takes a seat that is kept for the player, under a name of at most 64 bytes. The seed, of at
    /// most 64 bytes too, is what the player adds to the random choices of the match.
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

    /// What the service sends next; none when the stream has ended. It may be dropped while it
    /// waits and called again.
    ///
    /// # Errors
    ///
    /// The connection broke, or the message cannot be read.
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

/// What a message tells; none for one of a kind that later versions of the API have.
fn read(message: v1::PlayResponse) -> Option<Result<PlayEvent, InvalidResponse>> {
    message.response.map(from_proto::play_event)
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// The field 1000 is no kind that there is.
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
