use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_domain::{MatchId, Sequence, Timestamp};
use dragontooth_service_store::StoredMatch;
use tokio::sync::watch;

/// A live match as its actor has left it, for everyone to read.
#[derive(Debug)]
pub(crate) struct Shared {
    id: MatchId,
    state: Mutex<StoredMatch>,
    forfeits: Mutex<[Option<Timestamp>; 2]>,
    head: watch::Sender<Sequence>,
}

impl Shared {
    pub(crate) fn new(id: MatchId, state: StoredMatch) -> Self {
        let head = watch::Sender::new(state.head());
        Self {
            id,
            state: Mutex::new(state),
            forfeits: Mutex::default(),
            head,
        }
    }

    pub(crate) const fn id(&self) -> MatchId {
        self.id
    }

    /// The match. The lock is held for moments and never while waiting.
    pub(crate) fn state(&self) -> MutexGuard<'_, StoredMatch> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the match is lost for seats whose players are away, by [`Seat::index`].
    pub(crate) fn forfeits(&self) -> [Option<Timestamp>; 2] {
        *self.forfeits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_forfeits(&self, forfeits: [Option<Timestamp>; 2]) {
        *self.forfeits.lock().unwrap_or_else(PoisonError::into_inner) = forfeits;
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
