//! The other services on the database, as far as this one needs to know of them.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// A service that has seen no other one for so long is alone. After a failover the table of services is empty, until each has renewed itself.
const ALONE: Duration = Duration::from_secs(2);

/// Knows when a service is alone: the exchange of sessions notes whom it sees, and the writer tells nobody of its events then.
///
/// Before the first note there may be others.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    alone_since: Mutex<Option<Instant>>,
}

impl Peers {
    /// Notes that the table of services was read, and whether there were others in it.
    pub(crate) fn note(&self, has_others: bool) {
        let mut since = self.lock();
        *since = (!has_others).then(|| since.unwrap_or_else(Instant::now));
    }

    /// Notes that the table of services cannot be read.
    pub(crate) fn note_unknown(&self) {
        *self.lock() = None;
    }

    /// Returns false if there is nobody else.
    pub(crate) fn may_exist(&self) -> bool {
        self.lock().is_none_or(|since| since.elapsed() < ALONE)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.alone_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_service_is_alone_after_it_has_seen_no_other_for_two_seconds() {
        let peers = Peers::default();
        advance(ALONE).await;
        assert!(peers.may_exist());
        peers.note(false);
        assert!(peers.may_exist());
        advance(ALONE).await;
        peers.note(false);
        assert!(!peers.may_exist());
        peers.note(true);
        assert!(peers.may_exist());
    }

    #[tokio::test(start_paused = true)]
    async fn a_table_that_was_away_is_read_for_two_seconds_again() {
        let peers = Peers::default();
        peers.note(false);
        advance(ALONE).await;
        assert!(!peers.may_exist());
        peers.note_unknown();
        assert!(peers.may_exist());
        peers.note(false);
        advance(ALONE / 2).await;
        peers.note(false);
        assert!(peers.may_exist());
        advance(ALONE / 2).await;
        assert!(!peers.may_exist());
    }
}
