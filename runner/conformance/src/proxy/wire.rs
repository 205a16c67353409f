use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use dragontooth_service_client::wire_tap::{
    TappedAnswer, TappedRequest, refusal_status, with_action,
};
use dragontooth_service_client::{Code, Reason, Refusal};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::Status;
use tonic::transport::Channel;

use super::fault_injection::FaultInjection;
use super::traffic_log::{Traffic, TrafficLog};

/// Retry time of an answer that is refused temporarily.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// Retry time of a service that shuts down.
const COME_BACK_AFTER: Duration = Duration::from_millis(250);

/// The parts that all calls of a bot share.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) service: Channel,
    pub(super) log: Arc<TrafficLog>,
    pub(super) injection: watch::Sender<FaultInjection>,
    pub(super) cuts: watch::Sender<u64>,
}

/// The fate of a message of the bot.
#[derive(Debug)]
pub(super) enum Fate {
    /// It is carried.
    Carried(Bytes),
    /// It is lost with the connection.
    Lost,
    /// The bot receives the refusal of its answer.
    Refused(TappedAnswer, Box<Refusal>),
}

impl Wire {
    /// Number of times connections have been cut.
    pub(super) fn generation(&self) -> u64 {
        *self.cuts.borrow()
    }

    pub(super) fn cut(&self) {
        self.log.note(Traffic::Cut);
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    pub(super) fn now(&self) -> FaultInjection {
        self.injection.borrow().clone()
    }

    /// Logs a message of the bot, and applies the injected fault.
    pub(super) async fn pass(&self, path: &str, message: Bytes) -> Fate {
        let asked = TappedRequest::read(path, &message);
        if asked != TappedRequest::Other {
            self.log.note(Traffic::TappedRequest(asked.clone()));
        }
        if let FaultInjection::Delay(delay) = self.now() {
            sleep(delay).await;
        }
        let TappedRequest::Answer(answer) = asked else {
            return Fate::Carried(message);
        };
        match self.now() {
            FaultInjection::HoldAnswers => {
                self.log.note(Traffic::Tampered);
                self.until(|now| *now != FaultInjection::HoldAnswers).await;
                Fate::Carried(message)
            }
            FaultInjection::LoseAnswer => {
                self.once();
                self.cut();
                Fate::Lost
            }
            FaultInjection::LoseAcceptance => {
                self.log.note(Traffic::Tampered);
                self.injection.send_replace(FaultInjection::Mute);
                Fate::Carried(message)
            }
            FaultInjection::Spoil(action) => {
                self.once();
                let spoilt = with_action(path, &message, &action);
                Fate::Carried(spoilt.map_or(message, Bytes::from))
            }
            FaultInjection::TryLater => {
                self.once();
                Fate::Refused(answer, Box::new(not_now()))
            }
            FaultInjection::Nothing
            | FaultInjection::Mute
            | FaultInjection::Delay(_)
            | FaultInjection::Repeat
            | FaultInjection::Drained => Fate::Carried(message),
        }
    }

    /// Waits until the injected fault meets a condition.
    pub(super) async fn until(&self, is_it: impl FnMut(&FaultInjection) -> bool) {
        // The sender lives as long as this.
        let _ = self.injection.subscribe().wait_for(is_it).await;
    }

    /// Ends a fault that is injected once.
    fn once(&self) {
        self.log.note(Traffic::Tampered);
        self.injection.send_replace(FaultInjection::Nothing);
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
