use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_domain::{MatchId, MatchState, Sequence};
use tokio::sync::watch;

/// A live match as its actor has left it, for everyone to read.
#[derive(Debug)]
pub(crate) struct Shared {
    id: MatchId,
    state: Mutex<MatchState>,
    head: watch::Sender<Sequence>,
}

impl Shared {
    pub(crate) fn new(id: MatchId, state: MatchState) -> Self {
        let head = watch::Sender::new(state.head());
        Self {
            id,
            state: Mutex::new(state),
            head,
        }
    }

    pub(crate) const fn id(&self) -> MatchId {
        self.id
    }

    /// The match. The lock is held for moments and never while waiting.
    pub(crate) fn state(&self) -> MutexGuard<'_, MatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of every new last event; closed when the match is over or the service drains.
    pub(crate) fn head(&self) -> watch::Receiver<Sequence> {
        self.head.subscribe()
    }

    pub(super) fn tell_head(&self) {
        let head = self.state().head();
        self.head.send_replace(head);
    }
}
