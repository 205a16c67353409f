use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Bytes, HttpBody};
use dragontooth_proto::v1 as wire;
use dragontooth_service_wire::{close_reason, timestamp};
use futures::FutureExt;
use futures::future::Fuse;
use http_body::Frame;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use tokio::sync::oneshot;
use tonic::Status;
use wire::play_response::{
    AnswerAccepted, Closing, Heartbeat, Invitation, MatchClosed, MatchOpened, Refused, Response,
};

use super::fault::{Fault, InvalidField};
use super::{encoded, to_proto};
use crate::matches::{DecisionView, Matches, Notations, Notice, PlayerStream, RequestRef};

/// Bytes of messages after which a frame is complete, even if more wait.
const FRAME_BYTES: usize = 32 * 1024;

/// The memory for messages that is taken at once.
const BUFFER_BYTES: usize = 8 * 1024;

/// The number of the field `decision` of a `PlayResponse`.
const DECISION: u32 = 4;

/// The number of the field `legal_actions` of a `Decision`.
const LEGAL_ACTIONS: u32 = 7;

/// The body of the answer to `Play`: the notices of a player's stream, as messages.
///
/// All that wait become one frame. A decision, which every action brings, is written without the many small texts of its
/// generated type.
pub(super) struct PlayBody {
    matches: Arc<Matches>,
    /// `None` after the last one.
    notices: Option<PlayerStream>,
    /// The status with which the stream is broken off.
    broken_off: Fuse<oneshot::Receiver<Status>>,
    messages: Vec<u8>,
    /// The status of the call, once it is known.
    status: Option<Status>,
    is_over: bool,
}

impl PlayBody {
    /// A body that begins with the message `ready`.
    pub(super) fn new(
        matches: Arc<Matches>,
        notices: PlayerStream,
        broken_off: oneshot::Receiver<Status>,
        ready: Response,
    ) -> Self {
        let mut body = Self {
            matches,
            notices: Some(notices),
            broken_off: broken_off.fuse(),
            messages: Vec::new(),
            status: None,
            is_over: false,
        };
        body.put(ready);
        body
    }

    /// Takes the next notice, or the end of the stream.
    fn poll_notice(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Poll::Ready(Ok(status)) = self.broken_off.poll_unpin(context) {
            self.end(status);
            return Poll::Ready(());
        }
        let notice = match &mut self.notices {
            Some(notices) => ready!(notices.poll_next(context)),
            None => None,
        };
        match notice {
            Some(Notice::Decision(view)) => self.put_decision(*view),
            Some(notice) => {
                let response = response(&self.matches, notice);
                self.put(response);
            }
            None => self.end(Status::ok("")),
        }
        Poll::Ready(())
    }

    fn put(&mut self, response: Response) {
        let message = wire::PlayResponse {
            response: Some(response),
        };
        self.put_with(|messages| message.encode_raw(messages));
    }

    fn put_decision(&mut self, mut view: DecisionView) {
        let legal_actions = std::mem::take(&mut view.legal_actions);
        let decision = to_proto::decision_without_actions(view);
        self.put_with(|messages| encode_decision(&decision, &legal_actions, messages));
    }

    fn put_with(&mut self, encode: impl FnOnce(&mut Vec<u8>)) {
        if self.messages.capacity() == 0 {
            self.messages.reserve(BUFFER_BYTES);
        }
        let most_bytes = self.matches.response_bytes();
        if let Err(status) = encoded::put(&mut self.messages, most_bytes, encode) {
            self.end(status);
        }
    }

    fn end(&mut self, status: Status) {
        self.notices = None;
        self.status.get_or_insert(status);
    }
}

/// Writes a response with this decision, which has these legal actions.
fn encode_decision(decision: &wire::Decision, legal_actions: &Notations, to: &mut Vec<u8>) {
    let text_bytes = |text: &str| {
        let len_bytes = text.len();
        key_len(LEGAL_ACTIONS) + encoded_len_varint(len_bytes as u64) + len_bytes
    };
    let actions_bytes: usize = legal_actions.iter().map(text_bytes).sum();
    let len_bytes = decision.encoded_len() + actions_bytes;
    encode_key(DECISION, WireType::LengthDelimited, to);
    encode_varint(len_bytes as u64, to);
    decision.encode_raw(to);
    for action in legal_actions.iter() {
        encode_key(LEGAL_ACTIONS, WireType::LengthDelimited, to);
        encode_varint(action.len() as u64, to);
        to.extend_from_slice(action.as_bytes());
    }
}

fn response(matches: &Matches, notice: Notice) -> Response {
    match notice {
        Notice::Invitation { seat, state } => Response::Invitation(Box::new(Invitation {
            r#match: Some(to_proto::shown_match(matches, &(&*state).into())),
            seat: to_proto::seat(Some(seat)),
        })),
        Notice::Opened { seat, state } => Response::MatchOpened(Box::new(MatchOpened {
            r#match: Some(to_proto::shown_match(matches, &(&*state).into())),
            seat: to_proto::seat(Some(seat)),
        })),
        Notice::Decision(view) => Response::Decision(Box::new(to_proto::decision(*view))),
        Notice::Accepted {
            request,
            seat,
            sequence,
            action,
        } => Response::AnswerAccepted(AnswerAccepted {
            match_id: request.match_id,
            decision_id: request.decision,
            sequence: sequence.0,
            action,
            request_id: request.request,
            thinking_fault: to_proto::thinking_fault(request.thinking, seat),
        }),
        Notice::Refused { request, refusal } => refused(request, Fault::Refused(*refusal)),
        Notice::Misread {
            request,
            field,
            why,
        } => refused(request, Fault::Field(InvalidField { field, why })),
        Notice::Closed { state, since } => Response::MatchClosed(Box::new(MatchClosed {
            r#match: Some(to_proto::shown_match(matches, &(&*state).into())),
            since: to_proto::history(&since),
        })),
        Notice::Heartbeat => Response::Heartbeat(Heartbeat {
            server_time: Some(timestamp::to_proto(matches.now())),
        }),
        Notice::Closing(reason) => Response::Closing(Closing {
            reason: close_reason::to_proto(reason),
        }),
    }
}

fn refused(request: RequestRef, fault: Fault) -> Response {
    Response::Refused(Refused {
        match_id: request.match_id,
        decision_id: request.decision,
        request_id: request.request,
        status: Some(to_proto::status(&fault.into())),
    })
}

impl HttpBody for PlayBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = &mut *self;
        while body.status.is_none() && body.messages.len() < FRAME_BYTES {
            match body.poll_notice(context) {
                Poll::Ready(()) => {}
                Poll::Pending if body.messages.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        let frame = if !body.messages.is_empty() {
            Frame::data(std::mem::take(&mut body.messages).into())
        } else if let Some(status) = body.status.as_ref().filter(|_| !body.is_over) {
            body.is_over = true;
            encoded::end(status)
        } else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dragontooth_games::match_play::{Score, Step};
    use dragontooth_games::{Seat, catalogue};
    use dragontooth_service_vocabulary::{History, HistoryEvent, MatchId, Sequence, Timestamp};

    use super::*;

    fn history() -> History {
        let mut history = History::default();
        for (sequence, event) in [
            HistoryEvent::Action {
                seat: Seat::Second,
                action: "an action",
            },
            HistoryEvent::Pass { seat: Seat::First },
            HistoryEvent::Roll { roll: "31" },
        ]
        .into_iter()
        .enumerate()
        {
            history.push(Sequence(sequence as u64 + 298), event);
        }
        history
    }

    #[test]
    fn a_decision_is_read_with_its_legal_actions() {
        for game in catalogue::GAMES {
            let mut play = game.new_match(None, 3).unwrap();
            let draws = dragontooth_games::chance::Draws::from_text("a seed");
            while !matches!(play.step(), Step::Decide(_)) {
                match play.step() {
                    Step::Deal => {
                        let opening = play.deal(&mut draws.deal(1));
                        play.begin_game(&opening).unwrap();
                    }
                    Step::Chance => {
                        let roll = play.draw(&mut draws.roll(1, play.rolls() + 1));
                        play.roll(&roll).unwrap();
                    }
                    Step::Decide(_) | Step::Pass(_) | Step::Score(_) | Step::Over { .. } => {
                        panic!("{:?} before the first decision", play.step())
                    }
                }
            }
            for legal_actions in [Notations::default(), Notations::of_legal_actions(&*play)] {
                let has_actions = legal_actions.iter().next().is_some();
                let view = DecisionView {
                    match_id: MatchId::from_bytes([7; 16]),
                    decision: Sequence(300),
                    seat: Seat::Second,
                    game_number: 1,
                    ply: 200,
                    position: play.position().unwrap(),
                    legal_actions,
                    offers: vec!["an offer".to_owned()],
                    roll: play.rolled(),
                    score: Score::ZERO,
                    remaining: [None, Some(Duration::from_millis(1500))],
                    deadline: Some(Timestamp::from_micros(5)),
                    illegal_actions_left: Some(2),
                    since: history(),
                };
                let decision = to_proto::decision_without_actions(view.clone());
                let mut bytes = Vec::new();
                encode_decision(&decision, &view.legal_actions, &mut bytes);
                let read = wire::PlayResponse::decode(&bytes[..]).unwrap();
                let expected = wire::Decision {
                    legal_actions: if has_actions {
                        play.legal_actions()
                    } else {
                        Vec::new()
                    },
                    ..decision
                };
                assert_eq!(
                    read.response,
                    Some(Response::Decision(Box::new(expected))),
                    "{}",
                    game.name
                );
            }
        }
    }

    #[test]
    fn a_message_that_is_too_long_ends_the_stream() {
        let mut to = b"before".to_vec();
        let refused = encoded::put(&mut to, 3, |to| to.extend_from_slice(b"long"));
        assert_eq!(refused.unwrap_err().code(), tonic::Code::OutOfRange);
        encoded::put(&mut to, 3, |to| to.extend_from_slice(b"abc")).unwrap();
        assert_eq!(&to[..], b"before\0\0\0\0\x03abc");
    }
}
