use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, RequestAnswer};
use dragontooth_service_store::ChainedEvent;
use dragontooth_service_vocabulary::{PlayerId, Sequence, Timestamp};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Notice, Refusal, RequestRef, Sink};

/// A command to a match, when it was received, and where its answer goes.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) command: Command,
    pub(super) received: Timestamp,
    pub(super) reply: Reply,
}

/// A message to the actor of a match that is no command. It takes none of the places of commands: readers must not keep players from
/// their answers.
#[derive(Debug)]
pub(super) enum Message {
    /// A player's stream was opened: the actor sends the player the notices it lacks, and then signals the
    /// waiting task.
    StreamOpened(PlayerId, oneshot::Sender<()>),
    /// The event log is back after it was away.
    LogBack,
    /// Other services have appended events; some before them may be missing.
    Grown(Vec<ChainedEvent>),
    /// Another service has appended events up to this one, and nobody here follows the match.
    Overtaken(Sequence),
    /// Somebody needs what other services had appended when it asked.
    CatchUp {
        asked: Instant,
        reply: oneshot::Sender<Result<(), Refusal>>,
    },
}

/// The recipient of the answer to a command.
#[derive(Debug)]
pub(crate) enum Reply {
    /// To a caller that waits.
    Caller(oneshot::Sender<Result<Accepted, Refusal>>),
    /// To a player's stream.
    Stream(Sink, RequestRef),
}

/// The result of an accepted command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// An action was played.
    Acted {
        seat: Seat,
        sequence: Sequence,
        action: String,
    },
    /// It is done.
    Done,
}

impl Reply {
    pub(super) fn send(self, answer: Result<Accepted, Refusal>) {
        match self {
            Self::Caller(caller) => drop(caller.send(answer)),
            Self::Stream(sink, request) => match answer {
                Ok(Accepted::Acted {
                    seat,
                    sequence,
                    action,
                }) => {
                    sink.send(Notice::Accepted {
                        request,
                        seat,
                        sequence,
                        action,
                    });
                }
                Ok(Accepted::Done) => {}
                Err(refusal) => {
                    sink.send(Notice::Refused {
                        request,
                        refusal: Box::new(refusal),
                    });
                }
            },
        }
    }
}

impl From<RequestAnswer> for Accepted {
    fn from(answer: RequestAnswer) -> Self {
        match answer {
            RequestAnswer::Acted {
                seat,
                sequence,
                action,
                ..
            } => Self::Acted {
                seat,
                sequence,
                action,
            },
            // A repeated refusal is refused again, which is not an acceptance.
            RequestAnswer::Joined | RequestAnswer::Refused { .. } | RequestAnswer::Ended => {
                Self::Done
            }
        }
    }
}
