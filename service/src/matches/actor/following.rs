use dragontooth_service_store::{ChainedEvent, MatchLogError, MatchReplay};

use tokio::time::Instant;

use super::Actor;
use super::growth::Growth;
use crate::matches::Refusal;
use crate::metrics;

/// Events that are read from the log at once.
const PAGE_EVENTS: usize = 64;

impl Actor {
    /// Takes in events that another service has appended. If some are missing before them, they are read.
    pub(super) async fn follow(&mut self, events: Vec<ChainedEvent>) -> Result<(), Refusal> {
        let Some(last) = events.last().map(|entry| entry.recorded.time) else {
            return Ok(());
        };
        if !self.take_in(events)? {
            self.catch_up().await?;
        }
        metrics::heard(self.clock.now().since(last));
        Ok(())
    }

    /// Reads what other services have appended.
    pub(super) async fn catch_up(&mut self) -> Result<(), Refusal> {
        let (begun, time) = (Instant::now(), self.clock.now());
        loop {
            let head = self.shared.state().chain_head();
            let page = self.log.read(self.shared.id(), head, PAGE_EVENTS).await;
            let page = page.map_err(|error| self.unreadable(error))?;
            let is_last = page.len() < PAGE_EVENTS;
            self.take_in(page)?;
            if is_last {
                self.read_at = Some(begun);
                self.shared.note_current(time);
                return Ok(());
            }
        }
    }

    /// Makes those of the events part of the match that are new. Returns false if events are missing before them.
    fn take_in(&mut self, mut events: Vec<ChainedEvent>) -> Result<bool, Refusal> {
        let head = self.shared.state().head();
        events.retain(|entry| entry.recorded.sequence > head);
        let Some(first) = events.first() else {
            return Ok(true);
        };
        if first.recorded.sequence != head.next() {
            return Ok(false);
        }
        let mut replay = MatchReplay::after(self.shared.state().clone());
        for entry in &events {
            replay.push(entry).map_err(|error| self.unreadable(error))?;
        }
        let Some(next) = replay.into_match() else {
            return Ok(true);
        };
        let events: Vec<_> = events.into_iter().map(|entry| entry.recorded).collect();
        let next = Box::new(next);
        let now = self.clock.now();
        self.grow(&events, Growth::Read { next, now });
        Ok(true)
    }

    fn unreadable(&self, error: MatchLogError) -> Refusal {
        Refusal::unreadable(self.shared.id(), error)
    }
}
