use dragontooth_proto::v1;
use dragontooth_service_vocabulary::Sequence;
use prost::Message;
use v1::watch_match_response::Response;

use super::path::{GET_DECISION, PLAY, SUBMIT_ACTION, WATCH_MATCH};
use crate::from_proto;
use crate::{Decision, PlayEvent};

/// The content of a message from the service.
#[derive(Debug)]
pub enum TappedResponse {
    /// A message on the player's stream.
    OnStream(Box<PlayEvent>),
    /// The requested decision.
    Due(Box<Decision>),
    /// The answer was accepted; the action in canonical notation.
    Submitted(String),
    /// Events of a watched match, up to this one.
    Watched(Sequence),
    /// Another message.
    Other,
}

impl TappedResponse {
    /// Decodes a message of the service on the call of this path.
    #[must_use]
    pub fn read(path: &str, message: &[u8]) -> Self {
        Self::try_read(path, message).unwrap_or(Self::Other)
    }

    fn try_read(path: &str, message: &[u8]) -> Option<Self> {
        match path {
            PLAY => {
                let response = v1::PlayResponse::decode(message).ok()?.response?;
                let event = from_proto::play_event(response).ok()?;
                Some(Self::OnStream(Box::new(event)))
            }
            GET_DECISION => {
                let due = v1::GetDecisionResponse::decode(message).ok()?.decision?;
                let due = from_proto::decision(due).ok()?;
                Some(Self::Due(Box::new(due)))
            }
            SUBMIT_ACTION => {
                let submitted = v1::SubmitActionResponse::decode(message).ok()?;
                Some(Self::Submitted(submitted.action))
            }
            WATCH_MATCH => match v1::WatchMatchResponse::decode(message).ok()?.response? {
                Response::Batch(batch) => {
                    let last = batch.events.last()?.sequence;
                    Some(Self::Watched(Sequence(last)))
                }
                Response::CaughtUp(_) | Response::Heartbeat(_) | Response::Closing(_) => None,
            },
            _ => None,
        }
    }
}
