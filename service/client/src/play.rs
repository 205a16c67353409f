use std::time::Duration;

use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{EndReason, MatchId, PlayerId, RequestId};
use tokio::sync::mpsc;
use tonic::Streaming;

use crate::replicas::Via;
use crate::{
    Answer, ClientError, InvalidResponse, MatchResignation, PlayEvent, from_proto, to_proto,
};

/// Requests of a stream that may wait to be sent; beyond that, senders wait.
pub const PLAY_QUEUE_REQUESTS: usize = 1024;

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
pub struct PlayReceiver {
    responses: Streaming<v1::PlayResponse>,
    via: Option<Via>,
}

/// The stream has ended and accepts no requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream has ended")]
pub struct StreamEnded;

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

    /// Declines a reserved seat, which ends the match.
    ///
    /// # Errors
    ///
    /// The stream has ended.
    pub async fn decline_invitation(
        &self,
        match_id: MatchId,
        reason: Option<EndReason>,
        request_id: Option<RequestId>,
    ) -> Result<(), StreamEnded> {
        self.send(to_proto::decline_invitation(match_id, reason, request_id))
            .await
    }

    /// Resigns a match.
    ///
    /// # Errors
    ///
    /// The stream has ended.
    pub async fn resign(&self, resignation: MatchResignation) -> Result<(), StreamEnded> {
        self.send(to_proto::resign(resignation)).await
    }

    pub(crate) async fn send(&self, request: v1::PlayRequest) -> Result<(), StreamEnded> {
        self.0.send(request).await.map_err(|_| StreamEnded)
    }
}

impl PlayReceiver {
    pub(crate) fn new(responses: Streaming<v1::PlayResponse>, via: Option<Via>) -> Self {
        Self { responses, via }
    }

    /// Returns the next message of the service; `None` at the end of the stream. Cancel safe.
    ///
    /// # Errors
    ///
    /// The connection was lost, or the message is malformed.
    pub async fn next(&mut self) -> Option<Result<PlayEvent, ClientError>> {
        loop {
            match self.responses.message().await {
                Ok(Some(message)) => {
                    if let Some(event) = read(message) {
                        if let Ok(PlayEvent::Closing(closing)) = &event
                            && closing.is_of_the_replica()
                        {
                            self.give_up();
                        }
                        return Some(event.map_err(ClientError::from));
                    }
                }
                Ok(None) => {
                    self.give_up();
                    return None;
                }
                Err(status) => {
                    self.give_up();
                    return Some(Err(ClientError::from(status)));
                }
            }
        }
    }

    /// Counts the connection as lost, so that the next stream opens on another replica if the client knows one. The
    /// receiver does so itself when the stream ends early.
    pub fn give_up(&self) {
        if let Some(via) = &self.via {
            via.lost();
        }
    }
}

/// Converts a message; `None` for a kind that only later versions of the API have.
fn read(message: v1::PlayResponse) -> Option<Result<PlayEvent, InvalidResponse>> {
    message.response.map(from_proto::play_event)
}

#[cfg(test)]
mod tests {
    use dragontooth_service_vocabulary::CloseReason;
    use prost::Message;

    use super::*;
    use crate::Closing;

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
