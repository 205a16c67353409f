use dragontooth_proto::google::rpc;
use dragontooth_proto::v1;
use dragontooth_proto::v1::play_response::{self as wire, Response};
use dragontooth_service_vocabulary::Sequence;
use prost::Message;
use tonic::{Code, Status};

use super::Field;
use super::fields;
use super::history::history;
use super::{decision, events, match_view};
use crate::invalid_response::InvalidResponse;
use crate::{
    AnswerAccepted, ClientError, Closed, Invitation, Opened, PlayEvent, RefusedRequest,
    RefusedThinking,
};

/// Converts a message on a player's stream.
pub(crate) fn play_event(response: Response) -> Result<PlayEvent, InvalidResponse> {
    match response {
        Response::Ready(ready) => Ok(PlayEvent::Ready {
            player: fields::id("ready.player_id", &ready.player_id)?,
            heartbeat_interval: fields::some_duration(
                ready.heartbeat_interval,
                "ready.heartbeat_interval",
            )?,
        }),
        Response::Invitation(invitation) => Ok(PlayEvent::Invitation(Invitation {
            seat: fields::some_seat(invitation.seat, "invitation.seat")?,
            view: match_view(invitation.r#match).within("invitation")?,
        })),
        Response::MatchOpened(opened) => Ok(PlayEvent::Opened(Opened {
            seat: fields::some_seat(opened.seat, "match_opened.seat")?,
            view: match_view(opened.r#match).within("match_opened")?,
        })),
        Response::Decision(due) => decision(*due).map(PlayEvent::Decision),
        Response::AnswerAccepted(accepted) => answer_accepted(accepted).within("answer_accepted"),
        Response::Refused(refused) => refused_request(refused).within("refused"),
        Response::MatchClosed(closed) => match_closed(*closed).within("match_closed"),
        Response::Heartbeat(heartbeat) => {
            fields::time(heartbeat.server_time, "heartbeat.server_time").map(PlayEvent::Heartbeat)
        }
        Response::Closing(closing) => Ok(PlayEvent::Closing(events::closing(closing.reason))),
    }
}

fn match_closed(wire: wire::MatchClosed) -> Result<PlayEvent, InvalidResponse> {
    Ok(PlayEvent::Closed(Closed {
        view: match_view(wire.r#match)?,
        since: history(wire.since)?,
    }))
}

fn answer_accepted(wire: wire::AnswerAccepted) -> Result<PlayEvent, InvalidResponse> {
    let decision_id = fields::decision_id(wire.decision_id);
    Ok(PlayEvent::Accepted(AnswerAccepted {
        match_id: fields::match_id(&wire.match_id)?,
        decision_id: decision_id.ok_or_else(|| InvalidResponse::missing("decision_id"))?,
        sequence: Sequence(wire.sequence),
        action: wire.action,
        request_id: wire.request_id,
        refused_thinking: wire.thinking_fault.map(refused_thinking),
    }))
}

/// Converts the fault for which thoughts were left out.
pub(crate) fn refused_thinking(wire: v1::ThinkingFault) -> RefusedThinking {
    RefusedThinking {
        field: wire.field,
        why: wire.description,
    }
}

fn refused_request(wire: wire::Refused) -> Result<PlayEvent, InvalidResponse> {
    let status = wire
        .status
        .ok_or_else(|| InvalidResponse::missing("status"))?;
    Ok(PlayEvent::Refused(RefusedRequest {
        match_id: wire.match_id.parse().ok(),
        decision_id: fields::decision_id(wire.decision_id),
        request_id: wire.request_id,
        error: refusal(status),
    }))
}

/// Returns the error of a unary call with the same status.
pub(crate) fn refusal(wire: rpc::Status) -> ClientError {
    let details = wire.encode_to_vec();
    ClientError::from(Status::with_details(
        Code::from_i32(wire.code),
        wire.message,
        details.into(),
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use dragontooth_service_vocabulary::CloseReason;
    use tonic_types::{ErrorDetails, StatusExt};

    use super::*;
    use crate::refusal::DOMAIN;
    use crate::{Closing, Reason};

    const ID: &str = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

    #[test]
    fn a_refusal_says_what_a_unary_call_says() {
        let mut details = ErrorDetails::new();
        let metadata = HashMap::from([("rule".to_owned(), "sideways".to_owned())]);
        details.set_error_info("ILLEGAL_ACTION", DOMAIN, metadata);
        let unary = Status::with_error_details(Code::FailedPrecondition, "a1b1 is …", details);
        let status = rpc::Status::decode(unary.details()).unwrap();
        let refused = wire::Refused {
            match_id: ID.to_owned(),
            decision_id: 5,
            request_id: "r".to_owned(),
            status: Some(status),
        };

        let Ok(PlayEvent::Refused(refused)) = play_event(Response::Refused(refused)) else {
            panic!("a refusal can be read");
        };
        let refusal = refused.error.refusal().unwrap();
        assert_eq!(refusal.reason, Reason::IllegalAction);
        assert_eq!(refusal.code, Code::FailedPrecondition);
        assert_eq!(refusal.message, "a1b1 is …");
        assert_eq!(refusal.metadata["rule"], "sideways");
    }

    #[test]
    fn names_the_field_that_cannot_be_read() {
        for (response, field) in [
            (Response::Ready(wire::Ready::default()), "ready.player_id"),
            (Response::Invitation(Box::default()), "invitation.seat"),
            (Response::MatchClosed(Box::default()), "match_closed.match"),
            (
                Response::AnswerAccepted(wire::AnswerAccepted::default()),
                "answer_accepted.match_id",
            ),
            (
                Response::Refused(wire::Refused::default()),
                "refused.status",
            ),
            (
                Response::Heartbeat(wire::Heartbeat::default()),
                "heartbeat.server_time",
            ),
        ] {
            assert_eq!(play_event(response).unwrap_err().field, field);
        }
        for (number, expected) in [
            (2, Closing::Reason(CloseReason::Superseded)),
            (8, Closing::Reason(CloseReason::LogUnavailable)),
            // From a newer service.
            (99, Closing::Unknown(99)),
        ] {
            let closing = Response::Closing(wire::Closing { reason: number });
            let Ok(PlayEvent::Closing(reason)) = play_event(closing) else {
                panic!("a closing can be read");
            };
            assert_eq!(reason, expected);
        }
    }
}
