use dragontooth_proto::v1;
use dragontooth_service_vocabulary::{MatchId, Sequence};
use prost::Message;
use v1::play_request::Request;

use super::path::{JOIN_MATCH, PLAY, RESIGN_MATCH, SUBMIT_ACTION};
use crate::DecisionId;

/// The content of a message from a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TappedRequest {
    /// Opens the stream.
    Start,
    /// Answers a decision.
    Answer(TappedAnswer),
    /// Takes a seat.
    Join(Option<MatchId>),
    /// Resigns a match.
    Resign(Option<MatchId>),
    /// Another request.
    Other,
    /// Not a message of the API, for this reason.
    Unreadable(String),
}

/// An answer as the player sent it, valid or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TappedAnswer {
    /// The match; `None` if the field is not an id.
    pub match_id: Option<MatchId>,
    /// The decision.
    pub decision_id: DecisionId,
    /// The action as written.
    pub action: String,
    /// The request id; may be empty.
    pub request_id: String,
}

impl TappedRequest {
    /// Decodes a message of a player on the call of this path.
    #[must_use]
    pub fn read(path: &str, message: &[u8]) -> Self {
        let read = match path {
            PLAY => {
                v1::PlayRequest::decode(message).map(|request| Self::on_stream(request.request))
            }
            SUBMIT_ACTION => v1::SubmitActionRequest::decode(message).map(|answer| {
                Self::Answer(TappedAnswer {
                    match_id: answer.match_id.parse().ok(),
                    decision_id: decision(answer.decision_id),
                    action: answer.action,
                    request_id: answer.request_id,
                })
            }),
            JOIN_MATCH => v1::JoinMatchRequest::decode(message)
                .map(|join| Self::Join(join.match_id.parse().ok())),
            RESIGN_MATCH => v1::ResignMatchRequest::decode(message)
                .map(|resign| Self::Resign(resign.match_id.parse().ok())),
            _ => return Self::Other,
        };
        read.unwrap_or_else(|error| Self::Unreadable(error.to_string()))
    }

    fn on_stream(request: Option<Request>) -> Self {
        match request {
            Some(Request::Start(_)) => Self::Start,
            Some(Request::Answer(answer)) => Self::Answer(TappedAnswer {
                match_id: answer.match_id.parse().ok(),
                decision_id: decision(answer.decision_id),
                action: answer.action,
                request_id: answer.request_id,
            }),
            Some(Request::AcceptInvitation(accept)) => Self::Join(accept.match_id.parse().ok()),
            Some(Request::Resign(resign)) => Self::Resign(resign.match_id.parse().ok()),
            Some(Request::DeclineInvitation(_)) | None => Self::Other,
        }
    }
}

fn decision(number: u64) -> DecisionId {
    DecisionId::after(Sequence(number))
}
