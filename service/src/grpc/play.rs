use std::pin::pin;
use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_service_domain::Command;
use dragontooth_service_vocabulary::{CloseReason, MatchId};
use dragontooth_service_wire::duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};
use tracing::debug;
use wire::play_request::Request;
use wire::play_response::{Ready, Response};

use super::fault::{Fault, InvalidField};
use super::from_proto;
use super::play_body::PlayBody;
use super::stream_ends::StreamEnds;
use crate::access::Caller;
use crate::matches::{
    HEARTBEAT_INTERVAL, Matches, Notice, Refusal, Reply, RequestRef, Sink, ThinkingNote,
};

/// Plays all of a player's matches over one stream.
pub(super) async fn play(
    matches: Arc<Matches>,
    caller: Caller,
    ends: StreamEnds,
    mut requests: Streaming<wire::PlayRequest>,
) -> Result<PlayBody, Status> {
    let first = tokio::select! {
        message = requests.message() => message?.and_then(|message| message.request),
        () = matches.draining().cancelled() => return Err(Fault::from(Refusal::Draining).into()),
    };
    let Some(Request::Start(start)) = first else {
        let why = "the first request on a stream is `start`";
        return Err(Fault::from(InvalidField::new("start", why)).into());
    };
    let player = caller.player;
    let offer = start.offer.map(from_proto::offer).transpose();
    let offer = offer.map_err(|InvalidField { field, why }| {
        Fault::from(InvalidField::new(format!("start.{field}"), why))
    })?;
    let (sink, notices) = matches
        .open_stream(player, !start.omit_legal_actions, offer)
        .map_err(Fault::from)?;
    let (break_off, broken_off) = oneshot::channel();
    let token_ended = CancellationToken::new();
    tokio::spawn(end(sink.clone(), ends, token_ended.clone()));
    tokio::spawn(listen(
        Arc::clone(&matches),
        caller,
        requests,
        sink,
        token_ended,
        break_off,
    ));

    let ready = Response::Ready(Ready {
        player_id: player.to_string(),
        heartbeat_interval: Some(duration::to_proto(HEARTBEAT_INTERVAL)),
    });
    Ok(PlayBody::new(matches, notices, broken_off, ready))
}

/// Ends a stream with the token that it was opened with, after which no request of it counts, or when its
/// connection is as old as it may become.
async fn end(sink: Sink, ends: StreamEnds, token_ended: CancellationToken) {
    tokio::select! {
        reason = ends.reason() => {
            if reason == CloseReason::TokenEnded {
                token_ended.cancel();
            }
            sink.close(reason);
        }
        () = sink.closed() => {}
    }
}

/// Takes a player's requests until either side ends the stream. What cannot be read as a request at
/// all ends the stream with the status that explains it.
async fn listen(
    matches: Arc<Matches>,
    caller: Caller,
    mut requests: Streaming<wire::PlayRequest>,
    sink: Sink,
    token_ended: CancellationToken,
    break_off: oneshot::Sender<Status>,
) {
    // Made once: to begin to wait takes a lock.
    let mut token_ended = pin!(token_ended.cancelled_owned());
    let mut closed = pin!(sink.closed());
    loop {
        let message = tokio::select! {
            biased;
            () = &mut token_ended => return,
            message = requests.message() => message,
            () = &mut closed => return,
        };
        match message {
            Ok(Some(message)) => take(&matches, &caller, message.request, &sink).await,
            Ok(None) => return,
            Err(status) => {
                debug!(player = %caller.player, %status, "a player's stream broke");
                // The client may have gone.
                let _ = break_off.send(status);
                return;
            }
        }
    }
}

async fn take(matches: &Arc<Matches>, caller: &Caller, request: Option<Request>, sink: &Sink) {
    let mut reference = request.as_ref().map(reference).unwrap_or_default();
    let received = matches.now();
    if let Err(refusal) = matches.guard().spend_action(caller.player, received) {
        return sink.send(Notice::Refused {
            request: reference,
            refusal: Box::new(refusal.into()),
        });
    }
    let asked = match request {
        Some(request) => command(caller, request),
        None => Err(InvalidField::new(
            "request",
            "it is missing, or of a kind that this service does not know",
        )),
    };
    match asked {
        Ok((id, command, thinking)) => {
            reference.thinking = thinking;
            matches
                .send(
                    id,
                    command,
                    received,
                    Reply::Stream(sink.clone(), reference),
                )
                .await;
        }
        Err(InvalidField { field, why }) => {
            sink.send(Notice::Misread {
                request: reference,
                field,
                why,
            });
        }
    }
}

/// The reference to a request in its answer.
fn reference(request: &Request) -> RequestRef {
    match request {
        Request::Start(_) => RequestRef::default(),
        Request::Answer(answer) => RequestRef {
            match_id: echoed(&answer.match_id),
            decision: answer.decision_id,
            request: echoed(&answer.request_id),
            thinking: ThinkingNote::Nothing,
        },
        Request::AcceptInvitation(accept) => RequestRef {
            match_id: echoed(&accept.match_id),
            decision: 0,
            request: echoed(&accept.request_id),
            thinking: ThinkingNote::Nothing,
        },
        Request::Resign(resign) => RequestRef {
            match_id: echoed(&resign.match_id),
            decision: 0,
            request: echoed(&resign.request_id),
            thinking: ThinkingNote::Nothing,
        },
        Request::DeclineInvitation(decline) => RequestRef {
            match_id: echoed(&decline.match_id),
            decision: 0,
            request: echoed(&decline.request_id),
            thinking: ThinkingNote::Nothing,
        },
    }
}

/// The most bytes of an id that its answer repeats: more than a valid one has.
const ECHOED_BYTES: usize = 64;

/// An id of a request, for its answer; nothing if it is so long that many answers would fill the memory.
fn echoed(id: &str) -> String {
    if id.len() <= ECHOED_BYTES {
        id.to_owned()
    } else {
        String::new()
    }
}

/// The match and the command that a request is, and the remark on the thoughts in it.
pub(super) fn command(
    caller: &Caller,
    request: Request,
) -> Result<(MatchId, Command, ThinkingNote), InvalidField> {
    let player = caller.player;
    match request {
        Request::Start(_) => Err(InvalidField::new(
            "start",
            "the stream is open: `start` is sent once",
        )),
        Request::Answer(answer) => {
            let id = from_proto::match_id(&answer.match_id)?;
            let (thinking, note) = from_proto::thinking(answer.thinking);
            let command = from_proto::act(
                player,
                answer.decision_id,
                answer.action,
                thinking,
                &answer.request_id,
            )?;
            Ok((id, command, note))
        }
        Request::AcceptInvitation(accept) => {
            let id = from_proto::match_id(&accept.match_id)?;
            let name = from_proto::seat_name(caller, &accept.name)?;
            let seed = from_proto::seed(&accept.seed)?;
            let request_id = from_proto::request_id(&accept.request_id)?;
            let command = Command::Join {
                player,
                seat: None,
                name,
                seed,
                request_id,
            };
            Ok((id, command, ThinkingNote::Nothing))
        }
        Request::Resign(resign) => {
            let id = from_proto::match_id(&resign.match_id)?;
            let request_id = from_proto::request_id(&resign.request_id)?;
            let command = Command::Resign {
                player,
                failure: from_proto::failure(&resign.reason)?,
                request_id,
            };
            Ok((id, command, ThinkingNote::Nothing))
        }
        Request::DeclineInvitation(decline) => {
            let id = from_proto::match_id(&decline.match_id)?;
            let command = from_proto::decline(player, &decline.reason, &decline.request_id)?;
            Ok((id, command, ThinkingNote::Nothing))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_repeats_ids_but_no_long_text() {
        for (sent, repeated) in [("m".repeat(64), 64), ("m".repeat(65), 0)] {
            let answer = wire::play_request::Answer {
                match_id: sent.clone(),
                request_id: sent,
                ..Default::default()
            };
            let reference = reference(&Request::Answer(answer));
            assert_eq!(reference.match_id.len(), repeated);
            assert_eq!(reference.request.len(), repeated);
        }
    }
}
