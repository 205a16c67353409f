//! The other services on the database, as far as this one needs to know of them.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// A service that has seen no other one renew itself in the table for so long is alone. After a failover the table is empty, until each has renewed itself.
const UNSEEN: Duration = Duration::from_secs(2);

/// A service from which nothing was heard for so long is not there: each says so every five seconds.
const UNHEARD: Duration = Duration::from_secs(20);

/// Knows when a service is alone, and need not tell anybody of its events: no other one renews itself in the table of services, and none is heard.
///
/// Before the first note there may be others.
#[derive(Debug, Default)]
pub(crate) struct Peers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    unseen_since: Option<Instant>,
    heard: Option<Instant>,
}

impl Peers {
    /// Notes that the table of services was read, and whether there were others in it that are not gone.
    pub(crate) fn note_seen(&self, has_others: bool) {
        let mut known = self.known();
        known.unseen_since = (!has_others).then(|| known.unseen_since.unwrap_or_else(Instant::now));
    }

    /// Notes that the table of services cannot be read.
    pub(crate) fn note_unknown(&self) {
        self.known().unseen_since = None;
    }

    /// Notes a message of another service.
    pub(crate) fn note_heard(&self) {
        self.known().heard = Some(Instant::now());
    }

    /// Returns false if there is nobody else.
    pub(crate) fn may_exist(&self) -> bool {
        let known = self.known();
        let is_seen = known
            .unseen_since
            .is_none_or(|since| since.elapsed() < UNSEEN);
        is_seen || known.heard.is_some_and(|at| at.elapsed() < UNHEARD)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_service_is_alone_after_it_has_seen_no_other_for_two_seconds() {
        let peers = Peers::default();
        advance(UNSEEN).await;
        assert!(peers.may_exist());
        peers.note_seen(false);
        assert!(peers.may_exist());
        advance(UNSEEN).await;
        peers.note_seen(false);
        assert!(!peers.may_exist());
        peers.note_seen(true);
        assert!(peers.may_exist());
    }

    #[tokio::test(start_paused = true)]
    async fn a_table_that_was_away_is_read_for_two_seconds_again() {
        let peers = Peers::default();
        peers.note_seen(false);
        advance(UNSEEN).await;
        assert!(!peers.may_exist());
        peers.note_unknown();
        assert!(peers.may_exist());
        peers.note_seen(false);
        advance(UNSEEN / 2).await;
        peers.note_seen(false);
        assert!(peers.may_exist());
        advance(UNSEEN / 2).await;
        assert!(!peers.may_exist());
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_that_is_heard_is_there_whatever_the_table_says() {
        let peers = Peers::default();
        peers.note_seen(false);
        advance(UNSEEN).await;
        assert!(!peers.may_exist());
        peers.note_heard();
        advance(UNHEARD / 2).await;
        assert!(peers.may_exist());
        advance(UNHEARD / 2).await;
        assert!(!peers.may_exist());
    }
}
