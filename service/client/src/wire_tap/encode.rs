use std::collections::HashMap;

use dragontooth_proto::google::rpc;
use dragontooth_proto::v1;
use dragontooth_service_vocabulary::Sequence;
use dragontooth_service_wire::close_reason;
use prost::Message;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};
use v1::play_request::Request;
use v1::play_response::{self, Response};

use super::TappedAnswer;
use super::path::{PLAY, SUBMIT_ACTION};
use crate::refusal::DOMAIN;
use crate::{Closing, Refusal};

/// Encodes the status with which a service refuses a call.
#[must_use]
pub fn refusal_status(refusal: &Refusal) -> Status {
    let mut details = ErrorDetails::new();
    let reason = refusal.reason.as_str().to_ascii_uppercase();
    let metadata: HashMap<String, String> = refusal.metadata.clone().into_iter().collect();
    details.set_error_info(reason, DOMAIN, metadata);
    if refusal.retry_after.is_some() {
        details.set_retry_info(refusal.retry_after);
    }
    Status::with_error_details(refusal.code, refusal.message.clone(), details)
}

/// Encodes the message on a player's stream that refuses an answer.
#[must_use]
pub fn refused(answer: &TappedAnswer, refusal: &Refusal) -> Vec<u8> {
    let status = refusal_status(refusal);
    let status = rpc::Status::decode(status.details()).unwrap_or_default();
    let refused = play_response::Refused {
        match_id: answer
            .match_id
            .map_or_else(String::new, |id| id.to_string()),
        decision_id: answer.decision_id.sequence().0,
        request_id: answer.request_id.clone(),
        status: Some(status),
    };
    on_stream(Response::Refused(refused))
}

/// Encodes the message that ends a player's stream.
#[must_use]
pub fn play_closing(closing: Closing) -> Vec<u8> {
    on_stream(Response::Closing(play_response::Closing {
        reason: number_of(closing),
    }))
}

/// Encodes the message that ends a watch after the event `last`.
#[must_use]
pub fn watch_closing(closing: Closing, last: Sequence) -> Vec<u8> {
    use v1::watch_match_response::{self as wire, Response};
    let closing = wire::Closing {
        reason: number_of(closing),
        resume_after_sequence: last.0,
    };
    let response = v1::WatchMatchResponse {
        response: Some(Response::Closing(closing)),
    };
    response.encode_to_vec()
}

/// Returns the answer with another action; `None` if the message is not an answer.
#[must_use]
pub fn with_action(path: &str, message: &[u8], action: &str) -> Option<Vec<u8>> {
    match path {
        PLAY => {
            let mut request = v1::PlayRequest::decode(message).ok()?;
            let Some(Request::Answer(answer)) = &mut request.request else {
                return None;
            };
            action.clone_into(&mut answer.action);
            Some(request.encode_to_vec())
        }
        SUBMIT_ACTION => {
            let mut answer = v1::SubmitActionRequest::decode(message).ok()?;
            action.clone_into(&mut answer.action);
            Some(answer.encode_to_vec())
        }
        _ => None,
    }
}

fn on_stream(response: Response) -> Vec<u8> {
    let response = v1::PlayResponse {
        response: Some(response),
    };
    response.encode_to_vec()
}

fn number_of(closing: Closing) -> i32 {
    match closing {
        Closing::Reason(reason) => close_reason::to_proto(reason),
        Closing::Unknown(number) => number,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use dragontooth_service_vocabulary::{CloseReason, MatchId};
    use tonic::Code;

    use super::*;
    use crate::wire_tap::{TappedRequest, TappedResponse, WATCH_MATCH};
    use crate::{
        Answer, ClientError, Closing, DecisionId, MatchResignation, PlayEvent, PlayOptions, Reason,
        from_proto, to_proto,
    };

    fn match_id() -> MatchId {
        "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b".parse().unwrap()
    }

    fn answer() -> TappedAnswer {
        TappedAnswer {
            match_id: Some(match_id()),
            decision_id: DecisionId::after(Sequence(7)),
            action: "a1a7".to_owned(),
            request_id: "r7".to_owned(),
        }
    }

    fn busy() -> Refusal {
        Refusal {
            code: Code::Unavailable,
            reason: Reason::LogUnavailable,
            message: "not now".to_owned(),
            metadata: BTreeMap::new(),
            fields: Vec::new(),
            retry_after: Some(Duration::from_millis(100)),
        }
    }

    /// Decodes a message like a client on its stream.
    fn on_stream(message: &[u8]) -> PlayEvent {
        let TappedResponse::OnStream(event) = TappedResponse::read(PLAY, message) else {
            panic!("it cannot be read");
        };
        *event
    }

    #[test]
    fn what_a_client_sends_is_read_as_it_was_meant() {
        let sent = to_proto::answer(Answer {
            match_id: match_id(),
            decision_id: answer().decision_id,
            action: "a1a7".to_owned(),
            request_id: Some("r7".parse().unwrap()),
            thinking: None,
        });
        let bytes = sent.encode_to_vec();
        assert_eq!(
            TappedRequest::read(PLAY, &bytes),
            TappedRequest::Answer(answer())
        );
        let start = to_proto::start(&PlayOptions::default()).encode_to_vec();
        assert_eq!(TappedRequest::read(PLAY, &start), TappedRequest::Start);
        let resign = to_proto::resign(MatchResignation::by_choice(match_id())).encode_to_vec();
        assert_eq!(
            TappedRequest::read(PLAY, &resign),
            TappedRequest::Resign(Some(match_id()))
        );
        assert!(matches!(
            TappedRequest::read(PLAY, &[0xff, 0xff]),
            TappedRequest::Unreadable(_)
        ));
        assert_eq!(
            TappedRequest::read("/grpc.health.v1.Health/Check", &[1]),
            TappedRequest::Other
        );

        let other = with_action(PLAY, &bytes, "b1b2").unwrap();
        let TappedRequest::Answer(read) = TappedRequest::read(PLAY, &other) else {
            panic!("it is no answer any more");
        };
        assert_eq!(
            (read.action.as_str(), read.request_id.as_str()),
            ("b1b2", "r7")
        );
        assert_eq!(with_action(PLAY, &start, "b1b2"), None);
    }

    #[test]
    fn what_is_written_is_read_by_a_client_as_what_a_service_says() {
        let PlayEvent::Refused(refused) = on_stream(&super::refused(&answer(), &busy())) else {
            panic!("it is no refusal");
        };
        assert_eq!(refused.match_id, Some(match_id()));
        assert_eq!(refused.decision_id, Some(answer().decision_id));
        assert_eq!(refused.request_id, "r7");
        assert_eq!(refused.error.refusal(), Some(&busy()));

        let unary = ClientError::from(refusal_status(&busy()));
        assert_eq!(unary.refusal(), Some(&busy()));
        for number in 0..=99 {
            let reason = from_proto::closing(number);
            let PlayEvent::Closing(read) = on_stream(&play_closing(reason)) else {
                panic!("it does not end");
            };
            assert_eq!(read, reason);
            let is_known = (1..=8).contains(&number);
            assert_eq!(read == Closing::Unknown(number), !is_known, "{number}");
        }
        let closing = watch_closing(Closing::Reason(CloseReason::Draining), Sequence(9));
        let read = v1::WatchMatchResponse::decode(closing.as_slice()).unwrap();
        let Some(v1::watch_match_response::Response::Closing(closing)) = read.response else {
            panic!("it does not end");
        };
        assert_eq!(closing.resume_after_sequence, 9);
        assert!(matches!(
            TappedResponse::read(WATCH_MATCH, &[]),
            TappedResponse::Other
        ));
    }
}
