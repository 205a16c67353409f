use dragontooth_service_domain::{Answer, Command};
use dragontooth_service_vocabulary::{PlayerId, Sequence, Timestamp};
use tokio::sync::oneshot;

use super::{Notice, Refusal, RequestRef, Sink};

/// What a match is sent.
#[derive(Debug)]
pub(super) enum Message {
    /// A command, when it was received, and where its answer goes.
    Command {
        command: Command,
        received: Timestamp,
        reply: Reply,
    },
    /// A player's stream has been opened: the player is told what it has missed, and then whoever
    /// waits that it has been.
    StreamOpened(PlayerId, oneshot::Sender<()>),
    /// A player was there at a time: it called, or its stream ended then.
    Heard(PlayerId, Timestamp),
}

/// Where the answer to a command goes.
#[derive(Debug)]
pub(crate) enum Reply {
    /// To a caller that waits.
    Caller(oneshot::Sender<Result<Accepted, Refusal>>),
    /// To a player's stream.
    Stream(Sink, RequestRef),
}

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// An action was played.
    Acted { sequence: Sequence, action: String },
    /// It is done.
    Done,
}

impl Reply {
    pub(super) fn send(self, answer: Result<Accepted, Refusal>) {
        match self {
            Self::Caller(caller) => drop(caller.send(answer)),
            Self::Stream(sink, request) => match answer {
                Ok(Accepted::Acted { sequence, action }) => {
                    sink.tell(Notice::Accepted {
                        request,
                        sequence,
                        action,
                    });
                }
                Ok(Accepted::Done) => {}
                Err(refusal) => {
                    sink.tell(Notice::Refused {
                        request,
                        refusal: Box::new(refusal),
                    });
                }
            },
        }
    }
}

impl From<Answer> for Accepted {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Acted {
                sequence, action, ..
            } => Self::Acted { sequence, action },
            // What was refused is refused again, and is no answer.
            Answer::Joined | Answer::Refused { .. } | Answer::Ended => Self::Done,
        }
    }
}
