use std::sync::Arc;

use axum::http::uri::PathAndQuery;
use bytes::Bytes;
use dragontooth_service_client::wire_tap::{
    PLAY, RawCodec, SUBMIT_ACTION, TappedAnswer, TappedRequest, TappedResponse, WATCH_MATCH,
    WHO_AM_I, play_closing, refusal_status, refused, watch_closing,
};
use dragontooth_service_client::{ClientError, Closing, MAX_RESPONSE_BYTES, PlayEvent};
use dragontooth_service_vocabulary::{CloseReason, Sequence};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_stream::wrappers::ReceiverStream;
use tonic::client::Grpc;
use tonic::{Extensions, Request, Response, Status, Streaming};

use super::fault_injection::FaultInjection;
use super::traffic_log::{Refused, Traffic};
use super::wire::{Fate, Wire, draining};

/// The most messages of a call that wait in one direction.
const QUEUE_MESSAGES: usize = 64;

/// The messages of the service on a call.
pub(super) type Answers = ReceiverStream<Result<Bytes, Status>>;

/// A call of the bot.
#[derive(Debug)]
struct Call {
    wire: Arc<Wire>,
    path: PathAndQuery,
    /// The number of the connection on which it was made.
    generation: u64,
}

/// Forwards a call of the bot to the service, and the service's messages back.
pub(super) async fn carry(
    wire: Arc<Wire>,
    path: PathAndQuery,
    request: Request<Streaming<Bytes>>,
) -> Result<Response<Answers>, Status> {
    if wire.now() == FaultInjection::Drained {
        return Err(draining());
    }
    let call = Call {
        generation: wire.generation(),
        wire,
        path,
    };
    let (mut metadata, _, mut from_bot) = request.into_parts();
    // Between proxy and service nothing is compressed.
    for name in ["grpc-encoding", "grpc-accept-encoding"] {
        metadata.remove(name);
    }
    let (to_service, outgoing) = mpsc::channel(QUEUE_MESSAGES);
    let (to_bot, incoming) = mpsc::channel(QUEUE_MESSAGES);
    let mut answered = None;
    let call = Arc::new(call);
    if call.path.path() == PLAY {
        // The service's stream ends with the service, even if the bot still sends.
        let to_bot = to_bot.downgrade();
        tokio::spawn(Arc::clone(&call).carry_requests(from_bot, to_service, to_bot));
    } else {
        // A bot that asks who it is does not play yet: its stream may follow.
        if call.path.path() != WHO_AM_I {
            call.wire.log.note(Traffic::Called);
        }
        if let Some(message) = from_bot.message().await? {
            answered = call.answer_in(&message);
            match call.wire.pass(call.path.path(), message).await {
                // Both ends are here.
                Fate::Carried(message) => drop(to_service.send(message).await),
                Fate::Lost => return Err(Status::unavailable("the connection is cut")),
                Fate::Refused(answer, refusal) => {
                    let status = refusal_status(&refusal);
                    call.note_refusal(&answer, &status);
                    return Err(status);
                }
            }
        }
        drop(to_service);
    }
    let request = Request::from_parts(
        metadata,
        Extensions::default(),
        ReceiverStream::new(outgoing),
    );
    let mut service =
        Grpc::new(call.wire.service.clone()).max_decoding_message_size(MAX_RESPONSE_BYTES);
    service
        .ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let response = service
        .streaming(request, call.path.clone(), RawCodec)
        .await;
    let from_service = match response {
        Ok(response) => response.into_inner(),
        Err(status) => {
            call.refused(answered.as_ref(), &status);
            return Err(status);
        }
    };
    tokio::spawn(call.carry_answers(from_service, to_bot, answered));
    Ok(Response::new(ReceiverStream::new(incoming)))
}

impl Call {
    /// The answer to a decision in the message of a call.
    fn answer_in(&self, message: &[u8]) -> Option<TappedAnswer> {
        if self.path.path() != SUBMIT_ACTION {
            return None;
        }
        match TappedRequest::read(SUBMIT_ACTION, message) {
            TappedRequest::Answer(answer) => Some(answer),
            TappedRequest::Start
            | TappedRequest::Join(_)
            | TappedRequest::Resign(_)
            | TappedRequest::Other
            | TappedRequest::Unreadable(_) => None,
        }
    }

    async fn carry_requests(
        self: Arc<Self>,
        mut from_bot: Streaming<Bytes>,
        to_service: mpsc::Sender<Bytes>,
        to_bot: mpsc::WeakSender<Result<Bytes, Status>>,
    ) {
        while let Ok(Some(message)) = from_bot.message().await {
            match self.wire.pass(PLAY, message).await {
                Fate::Carried(message) => {
                    if to_service.send(message).await.is_err() {
                        return;
                    }
                }
                Fate::Lost => return,
                Fate::Refused(answer, refusal) => {
                    let message = refused(&answer, &refusal);
                    self.note_refusal(&answer, &refusal_status(&refusal));
                    let Some(to_bot) = to_bot.upgrade() else {
                        return;
                    };
                    // The bot may be gone.
                    let _ = to_bot.send(Ok(message.into())).await;
                }
            }
        }
    }

    async fn carry_answers(
        self: Arc<Self>,
        mut from_service: Streaming<Bytes>,
        to_bot: mpsc::Sender<Result<Bytes, Status>>,
        answered: Option<TappedAnswer>,
    ) {
        let mut watched = Sequence(0);
        loop {
            let message = tokio::select! {
                message = from_service.message() => message,
                () = to_bot.closed() => return,
                () = self.wire.until(|now| *now == FaultInjection::Drained) => {
                    let _ = to_bot.send(self.last_word(watched)).await;
                    return;
                }
            };
            match message {
                Ok(Some(message)) => {
                    let told = TappedResponse::read(self.path.path(), &message);
                    if let TappedResponse::Watched(last) = told {
                        watched = last;
                    }
                    // Before the bot can say anything to it.
                    self.note(&told, answered.as_ref());
                    if !self.tell(&told, message, &to_bot).await {
                        return;
                    }
                }
                Ok(None) => return,
                Err(status) => {
                    self.refused(answered.as_ref(), &status);
                    let _ = to_bot.send(Err(status)).await;
                    return;
                }
            }
        }
    }

    /// Sends a message to the bot under the current injection. Returns false if the bot is gone.
    async fn tell(
        &self,
        told: &TappedResponse,
        message: Bytes,
        to_bot: &mpsc::Sender<Result<Bytes, Status>>,
    ) -> bool {
        self.wire.until(|now| *now != FaultInjection::Mute).await;
        if self.wire.generation() != self.generation {
            return false;
        }
        let mut times = 1;
        match self.wire.now() {
            FaultInjection::Delay(delay) => sleep(delay).await,
            FaultInjection::Repeat if is_repeatable(told) => times = 2,
            FaultInjection::Nothing
            | FaultInjection::HoldAnswers
            | FaultInjection::LoseAnswer
            | FaultInjection::LoseAcceptance
            | FaultInjection::Mute
            | FaultInjection::Spoil(_)
            | FaultInjection::TryLater
            | FaultInjection::Repeat
            | FaultInjection::Drained => {}
        }
        for _ in 0..times {
            if to_bot.send(Ok(message.clone())).await.is_err() {
                return false;
            }
        }
        true
    }

    /// The last message of a service that shuts down.
    fn last_word(&self, watched: Sequence) -> Result<Bytes, Status> {
        match self.path.path() {
            PLAY => Ok(play_closing(Closing::Reason(CloseReason::Draining)).into()),
            WATCH_MATCH => {
                Ok(watch_closing(Closing::Reason(CloseReason::Draining), watched).into())
            }
            _ => Err(draining()),
        }
    }

    fn note(&self, told: &TappedResponse, answered: Option<&TappedAnswer>) {
        let heard = match told {
            TappedResponse::OnStream(event) => match &**event {
                PlayEvent::Ready { .. } => Some(Traffic::StreamOpened),
                PlayEvent::Decision(due) => Some(Traffic::Decision(due.match_id, due.id)),
                PlayEvent::Accepted(accepted) => {
                    Some(Traffic::Accepted(accepted.match_id, accepted.decision_id))
                }
                // A refused join or resignation shows in what follows.
                PlayEvent::Refused(refused) if refused.decision_id.is_some() => {
                    let (id, decision) = (refused.match_id, refused.decision_id);
                    Some(Traffic::Refused(Refused::new(id, decision, &refused.error)))
                }
                PlayEvent::Refused(_)
                | PlayEvent::Invitation(_)
                | PlayEvent::Opened(_)
                | PlayEvent::Closed(_)
                | PlayEvent::Heartbeat(_)
                | PlayEvent::Closing(_) => None,
            },
            TappedResponse::Due(due) => {
                self.wire.log.note_asked(due.match_id, due.id);
                None
            }
            TappedResponse::Submitted(_) => answered.and_then(|answer| {
                let match_id = answer.match_id?;
                Some(Traffic::Accepted(match_id, answer.decision_id))
            }),
            TappedResponse::Watched(_) | TappedResponse::Other => None,
        };
        if let Some(heard) = heard {
            self.wire.log.note(heard);
        }
    }

    /// Notes that the service has refused a call, if that was an answer.
    fn refused(&self, answered: Option<&TappedAnswer>, status: &Status) {
        if let Some(answer) = answered {
            self.note_refusal(answer, status);
        }
    }

    fn note_refusal(&self, answer: &TappedAnswer, status: &Status) {
        let error = ClientError::from(status.clone());
        let refused = Refused::new(answer.match_id, Some(answer.decision_id), &error);
        self.wire.log.note(Traffic::Refused(refused));
    }
}

/// Returns true if repeating the message does not change its meaning.
fn is_repeatable(told: &TappedResponse) -> bool {
    match told {
        TappedResponse::OnStream(event) => match **event {
            PlayEvent::Ready { .. } | PlayEvent::Closing(_) => false,
            PlayEvent::Invitation(_)
            | PlayEvent::Opened(_)
            | PlayEvent::Decision(_)
            | PlayEvent::Accepted(_)
            | PlayEvent::Refused(_)
            | PlayEvent::Closed(_)
            | PlayEvent::Heartbeat(_) => true,
        },
        TappedResponse::Due(_)
        | TappedResponse::Submitted(_)
        | TappedResponse::Watched(_)
        | TappedResponse::Other => false,
    }
}
