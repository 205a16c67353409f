use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dragontooth_service_client::relay::{Asked, AskedAnswer, refusal_status, with_action};
use dragontooth_service_client::{Code, Reason, Refusal};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::Status;
use tonic::transport::Channel;

use super::heard::{Heard, Log};
use super::meddling::Meddling;

/// How long a bot is asked to wait when its answer is refused for the time being.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// How long a bot is asked to wait when the service shuts down.
const COME_BACK_AFTER: Duration = Duration::from_millis(250);

/// What all calls of a bot have in common.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) service: Channel,
    pub(super) log: Arc<Log>,
    pub(super) meddling: watch::Sender<Meddling>,
    pub(super) cuts: watch::Sender<u64>,
}

/// What becomes of a message of the bot.
#[derive(Debug)]
pub(super) enum Fate {
    /// It is carried.
    Carried(Bytes),
    /// It is lost with the connection.
    Lost,
    /// The bot is told that its answer is refused.
    Refused(AskedAnswer, Box<Refusal>),
}

impl Wire {
    /// How often connections have been cut.
    pub(super) fn generation(&self) -> u64 {
        *self.cuts.borrow()
    }

    pub(super) fn cut(&self) {
        self.log.note(Heard::Cut);
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    pub(super) fn now(&self) -> Meddling {
        self.meddling.borrow().clone()
    }

    /// Notes a message of the bot, and does to it what is to be done.
    pub(super) async fn pass(&self, path: &str, message: Bytes) -> Fate {
        let asked = Asked::read(path, &message);
        if asked != Asked::Other {
            self.log.note(Heard::Asked(asked.clone()));
        }
        if let Meddling::Delay(delay) = self.now() {
            sleep(delay).await;
        }
        let Asked::Answer(answer) = asked else {
            return Fate::Carried(message);
        };
        match self.now() {
            Meddling::HoldAnswers => {
                self.log.note(Heard::Meddled);
                self.until(|now| *now != Meddling::HoldAnswers).await;
                Fate::Carried(message)
            }
            Meddling::LoseAnswer => {
                self.once();
                self.cut();
                Fate::Lost
            }
            Meddling::LoseAcceptance => {
                self.log.note(Heard::Meddled);
                self.meddling.send_replace(Meddling::Mute);
                Fate::Carried(message)
            }
            Meddling::Spoil(action) => {
                self.once();
                let spoilt = with_action(path, &message, &action);
                Fate::Carried(spoilt.map_or(message, Bytes::from))
            }
            Meddling::TryLater => {
                self.once();
                Fate::Refused(answer, Box::new(not_now()))
            }
            Meddling::Nothing
            | Meddling::Mute
            | Meddling::Delay(_)
            | Meddling::Repeat
            | Meddling::Drained => Fate::Carried(message),
        }
    }

    /// Ready when what is done to messages fulfils a condition.
    pub(super) async fn until(&self, is_it: impl FnMut(&Meddling) -> bool) {
        // The sender lives as long as this.
        let _ = self.meddling.subscribe().wait_for(is_it).await;
    }

    /// What was to be done once is done.
    fn once(&self) {
        self.log.note(Heard::Meddled);
        self.meddling.send_replace(Meddling::Nothing);
    }
}

/// The refusal of a service that cannot write its log for a moment.
fn not_now() -> Refusal {
    Refusal {
        code: Code::Unavailable,
        reason: Reason::LogUnavailable,
        message: "the event log cannot be written: this is a trial of the conformance kit"
            .to_owned(),
        metadata: BTreeMap::new(),
        fields: Vec::new(),
        retry_after: Some(TRY_AGAIN_AFTER),
    }
}

/// The refusal of a service that shuts down.
pub(super) fn draining() -> Status {
    refusal_status(&Refusal {
        code: Code::Unavailable,
        reason: Reason::Draining,
        message: "the service is shutting down: this is a trial of the conformance kit".to_owned(),
        metadata: BTreeMap::new(),
        fields: Vec::new(),
        retry_after: Some(COME_BACK_AFTER),
    })
}
