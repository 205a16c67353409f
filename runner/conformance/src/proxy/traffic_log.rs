use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_client::wire_tap::TappedRequest;
use dragontooth_service_client::{ClientError, DecisionId, Reason};
use dragontooth_service_vocabulary::MatchId;
use tokio::sync::watch;

/// The most that is noted of a bot; a bot that says more says nothing that matters any more.
const MAX_ENTRIES: usize = 100_000;

/// Something that was said between a bot and the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// The stream on which the bot plays is open, and it knows.
    StreamOpened,
    /// The bot has made another call than `WhoAmI`; those that follow at once are not noted.
    Called,
    /// From here on another fault is injected, or another process plays.
    Changed,
    /// A request of the bot.
    TappedRequest(TappedRequest),
    /// An answer of the bot was held back, lost or changed.
    Tampered,
    /// The bot received a decision.
    Decision(MatchId, DecisionId),
    /// The bot received the acceptance of its answer.
    Accepted(MatchId, DecisionId),
    /// The bot received the refusal of its answer.
    Refused(Refused),
    /// Its connections were cut, or all of its streams ended.
    Cut,
}

/// A refusal of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The match.
    pub(crate) match_id: Option<MatchId>,
    /// The decision that was answered.
    pub(crate) decision_id: Option<DecisionId>,
    /// Why.
    pub(crate) reason: Option<Reason>,
    /// Why, for people.
    pub(crate) text: String,
}

impl Refused {
    pub(super) fn new(
        match_id: Option<MatchId>,
        decision_id: Option<DecisionId>,
        error: &ClientError,
    ) -> Self {
        Self {
            match_id,
            decision_id,
            reason: error.reason().cloned(),
            text: error.to_string(),
        }
    }
}

/// All that was said between a bot and the service, in order.
#[derive(Debug)]
pub(crate) struct TrafficLog {
    heard: Mutex<Vec<Traffic>>,
    length: watch::Sender<usize>,
}

impl TrafficLog {
    pub(super) fn new() -> Self {
        Self {
            heard: Mutex::new(Vec::new()),
            length: watch::Sender::new(0),
        }
    }

    /// Adds an entry. Repeated calls are logged once.
    pub(super) fn note(&self, heard: Traffic) {
        let mut all = self.lock();
        let is_repeated = heard == Traffic::Called && all.last() == Some(&heard);
        if all.len() < MAX_ENTRIES && !is_repeated {
            all.push(heard);
            self.length.send_replace(all.len());
        }
    }

    /// Logs a decision that the bot asked for, unless it has asked for it before.
    pub(super) fn note_asked(&self, match_id: MatchId, decision_id: DecisionId) {
        let heard = Traffic::Decision(match_id, decision_id);
        let is_known = self.lock().iter().rev().any(|known| *known == heard);
        if !is_known {
            self.note(heard);
        }
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Looks at all that was said.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&[Traffic]) -> T) -> T {
        look(&self.lock())
    }

    /// Waits until `look` finds something in the entries from `from` on, and returns it.
    pub(crate) async fn find<T>(&self, from: usize, look: impl Fn(&[Traffic]) -> Option<T>) -> T {
        let mut length = self.length.subscribe();
        loop {
            length.mark_unchanged();
            let found = self.look(|all| look(all.get(from..).unwrap_or_default()));
            if let Some(found) = found {
                return found;
            }
            // The sender lives as long as this.
            let _ = length.changed().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Traffic>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
