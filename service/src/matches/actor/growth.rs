use std::sync::Arc;

use dragontooth_service_store::{ChainHead, MatchEntry, StoredMatch};
use dragontooth_service_vocabulary::{MatchEvent, Recorded, Termination, Timestamp};

use super::timekeeping::{clock_start, presence_in};
use super::{Actor, Duty};
use crate::matches::FoundMatch;
use crate::metrics::{self, Forfeit};

/// The way in which events came that are durable.
pub(super) enum Growth {
    /// This service has decided and appended them.
    Appended { head: ChainHead, durable: Timestamp },
    /// Another one has; they were read.
    Read {
        next: Box<StoredMatch>,
        now: Timestamp,
    },
}

impl Actor {
    /// Makes durable events part of the match.
    pub(super) fn grow(&mut self, events: &[Recorded], growth: Growth) {
        let id = self.shared.id();
        let mut has_joined = false;
        let mut state = self.shared.state();
        let game = state.play().game();
        for recorded in events {
            if let MatchEvent::SeatJoined { player, seat, .. } = &recorded.event {
                self.pending[seat.index()] = None;
                self.players.add_match(*player, id);
                has_joined = true;
            }
        }
        let was_due = state.due().map(|due| due.decision);
        let now = match growth {
            Growth::Appended { head, durable } => {
                for recorded in events {
                    count(game, &recorded.event);
                }
                state.evolve(events, head);
                self.duty = Duty::OfLast;
                durable
            }
            Growth::Read { next, now } => {
                *state = *next;
                self.duty = Duty::None;
                now
            }
        };
        if let Some(due) = state.due()
            && Some(due.decision) != was_due
        {
            let start = if self.duty == Duty::OfLast {
                now
            } else {
                let unknown_until = self.resumed.max(self.shared.current());
                clock_start(due.since, unknown_until, now)
            };
            state.state_mut().restart_clock(start);
        }
        if has_joined {
            self.presence = presence_in(&state, now, &self.players);
        }
        if state.result().is_some() {
            self.pending = [None, None];
        }
        drop(state);
        self.note_for_lists(events);
    }

    /// Tells those who watch lists, if lists show what has happened.
    fn note_for_lists(&self, events: &[Recorded]) {
        let mut events = events.iter().map(|recorded| &recorded.event);
        if self.news.is_watched() && events.any(MatchEntry::is_changed_by) {
            let found = FoundMatch::Live(Arc::clone(&self.shared));
            self.news.note(self.shared.id(), found);
        }
    }
}

/// Counts an event of a match in the operator's metrics.
fn count(game: &'static str, event: &MatchEvent) {
    match event {
        MatchEvent::ActionPlayed { .. } => metrics::acted(game),
        MatchEvent::MatchEnded { outcome, .. } => match outcome.termination {
            Termination::Timeout => metrics::forfeited(Forfeit::Time),
            Termination::Disconnect => metrics::forfeited(Forfeit::Disconnect),
            Termination::IllegalAction => metrics::forfeited(Forfeit::IllegalAction),
            Termination::Normal
            | Termination::Resignation
            | Termination::Aborted
            | Termination::Expired
            | Termination::Declined => {}
        },
        MatchEvent::Created(_)
        | MatchEvent::SeatJoined { .. }
        | MatchEvent::GameStarted { .. }
        | MatchEvent::ActionRefused { .. }
        | MatchEvent::Rolled { .. }
        | MatchEvent::TurnPassed { .. }
        | MatchEvent::GameEnded { .. } => {}
    }
}
