use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_domain::{Command, Decided, MatchState, decide};
use dragontooth_service_vocabulary::Timestamp;
use tracing::error;

use super::{Actor, DECISIONS, Duty, Undone, kept_for, overtaken};
use crate::matches::presence::{GraceOver, Presence};
use crate::matches::{Players, Refusal, SharedMatch};

/// The time after which a service on the same log has heard of an event, even if a message was lost.
const LATEST_NEWS: Duration = Duration::from_secs(6);

/// The time by which a service lets another one go first whose clock it is.
const OTHERS_FIRST: Duration = Duration::from_secs(1);

/// The time after which a match looks again for what it waits for without being told.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The time after the last call about a match for which a service follows it.
const REST: Duration = Duration::from_secs(30);

/// The smallest step of a [`Timestamp`].
const MICROSECOND: Duration = Duration::from_micros(1);

/// The start of the clock of a decision that another service has made due at `since`, by its own clock, of which this one hears `now`: a
/// player does not pay for the way of the news, nor for a time before `unknown_until`, in which the event was not in the log, or may have
/// waited for it.
pub(in crate::matches) fn clock_start(
    since: Timestamp,
    unknown_until: Timestamp,
    now: Timestamp,
) -> Timestamp {
    now.min(since.max(unknown_until).after(LATEST_NEWS))
}

/// The start of the clock of a decision that has been due since `since`, if its player can have been told of it at another service, and this
/// one hears of it `now`.
pub(in crate::matches) fn clock_start_elsewhere(since: Timestamp, now: Timestamp) -> Timestamp {
    now.min(since.after(OTHERS_FIRST))
}

/// The latest time by which something happens in a match to which events are appended at `time`, or a timer ends it; `None` if it has none.
/// Decisions that follow may make it a little later. With a free seat, it is the time to join.
pub(super) fn latest_timer(
    state: &MatchState,
    is_full: bool,
    time: Timestamp,
) -> Option<Timestamp> {
    if !is_full {
        return state.join_deadline();
    }
    let clocks = state.clocks();
    let longest = Seat::BOTH.into_iter().filter_map(|seat| {
        let next = clocks.remaining_after(seat, Duration::ZERO);
        clocks.allowance(seat).max(next)
    });
    let grace = || state.created().disconnect_grace;
    let longest = longest.max().or_else(|| Some(grace()?.duration()));
    longest.map(|longest| time.after(longest))
}

/// The presence of the players of a match in which they can be away for too long.
pub(super) fn presence_in(
    state: &MatchState,
    begun: Timestamp,
    players: &Players,
) -> Option<Presence> {
    let grace = state.created().disconnect_grace?;
    if !state.is_full() {
        return None;
    }
    Some(Presence::new(
        grace.duration() + players.hearing_time(),
        begun,
    ))
}

/// Returns true if a service has to know how a match goes on: a player of it has a stream here, or somebody looks at it.
pub(in crate::matches) fn is_followed(shared: &SharedMatch, players: &Players) -> bool {
    if shared.is_looked_at(REST) {
        return true;
    }
    let state = shared.state();
    let mut kept_for = kept_for(&state);
    kept_for.any(|player| players.stream(player).is_some())
}

impl Actor {
    /// Returns the time of the next timer: the end of a clock, of a grace, or of the time to join.
    pub(super) fn next_timer(&mut self) -> Option<Timestamp> {
        if self.timer_failed {
            // Of a log of this service alone it is told that it is back.
            return self.is_shared.then(|| self.looked.after(LOOK_AGAIN));
        }
        let deadline = self.deadline().map(|deadline| {
            // At the deadline itself it is not over.
            deadline.after(self.patience().unwrap_or_default() + MICROSECOND)
        });
        let rest = (self.is_shared && !self.has_duty()).then(|| self.clock.now().after(REST));
        let forfeits = self.publish_forfeits();
        let timers = forfeits.into_iter().chain([deadline, rest]).flatten();
        // One that was up at the last look and has ended nothing is another service's to end, or waits until that one has ended another.
        let (looked, again) = (self.looked, self.looked.after(LOOK_AGAIN));
        let timers = timers.map(|time| if time <= looked { again } else { time });
        timers.min()
    }

    /// Publishes, and returns, the times at which absent players lose the match, by [`Seat::index`].
    pub(super) fn publish_forfeits(&mut self) -> [Option<Timestamp>; 2] {
        let has_stream = self.has_stream();
        let Some(presence) = &self.presence else {
            return [None; 2];
        };
        let forfeits = presence.forfeits(has_stream);
        self.shared.set_forfeits(forfeits);
        forfeits
    }

    /// Returns true if this service is the one that sees to the timers of the match, and it has some.
    pub(super) fn has_duty(&self) -> bool {
        self.duty != Duty::None && (self.deadline().is_some() || self.presence.is_some())
    }

    /// Returns true if this service need not know how the match goes on: no player of it has a stream here, and nobody looks at it.
    pub(super) fn may_rest(&self) -> bool {
        self.is_shared && !self.has_duty() && !is_followed(&self.shared, &self.players)
    }

    pub(super) async fn time_is_up(&mut self) {
        let now = self.clock.now();
        if self.timer_failed {
            self.looked = now;
            if self.log.health().is_ok() {
                self.resume_time();
            }
            return;
        }
        if self.may_rest() {
            self.is_at_rest = true;
            return;
        }
        debug_assert!(self.looked < now, "a timer that ends nothing repeats");
        self.looked = now;
        if let Err(refusal) = self.check_timers(now).await {
            error!(%refusal, "the end of a match cannot be recorded");
            self.timer_failed = true;
        }
        self.notify_players().await;
    }

    /// Starts the clock of the pending decision and the graces again, as after a restart of the service: none of them
    /// runs while the log is away.
    pub(super) fn resume_time(&mut self) {
        let now = self.clock.now();
        let mut state = self.shared.state();
        state.state_mut().restart_clock(now);
        self.presence = presence_in(&state, now, &self.players);
        drop(state);
        self.timer_failed = false;
        self.resumed = now;
    }

    /// The time at which a command counts as received. If the clock, or the time to join, is for another service to end, it is in time
    /// as long as that has not.
    pub(super) fn judged_at(&self, received: Timestamp) -> Timestamp {
        let Some(deadline) = self.deadline() else {
            return received;
        };
        let is_for_others = match self.patience() {
            Some(patience) => received < deadline.after(patience),
            None => true,
        };
        if self.is_shared && is_for_others {
            received.min(deadline.before(MICROSECOND))
        } else {
            received
        }
    }

    pub(super) async fn let_time_act(
        &mut self,
        command: &Command,
        now: Timestamp,
    ) -> Result<(), Undone> {
        let decided = decide(&self.shared.state(), command, now)?;
        if let Decided::Events(events) = decided
            && !events.is_empty()
        {
            self.record(events).await?;
        }
        Ok(())
    }

    async fn check_timers(&mut self, now: Timestamp) -> Result<(), Refusal> {
        for _ in 0..DECISIONS {
            match self.check_timers_once(now).await {
                Ok(()) => return Ok(()),
                Err(Undone::Refused(refusal)) => return Err(refusal),
                Err(Undone::Rejected(rejection)) => return Err(rejection.into()),
                Err(Undone::Overtaken) => self.catch_up().await?,
            }
        }
        Err(overtaken())
    }

    async fn check_timers_once(&mut self, now: Timestamp) -> Result<(), Undone> {
        let time = self.judged_at(now);
        self.let_time_act(&Command::CheckClock, time).await?;
        let has_stream = self.has_stream();
        let over = self
            .presence
            .and_then(|presence| presence.grace_over(has_stream, now));
        match over {
            Some(GraceOver {
                seat,
                opponent_away,
            }) => {
                let end = Command::EndGrace {
                    seat,
                    opponent_away,
                };
                self.let_time_act(&end, now).await
            }
            None => Ok(()),
        }
    }

    /// The end of the clock that runs, or of the time to join.
    fn deadline(&self) -> Option<Timestamp> {
        let state = self.shared.state();
        state.deadline().or_else(|| state.join_deadline())
    }

    /// The time by which the end of the clock, or of the time to join, is late at this service: it may be for another one to tell, which
    /// knows better when its player heard of the decision. `None` if that is surely so.
    fn patience(&self) -> Option<Duration> {
        if !self.is_shared {
            return Some(Duration::ZERO);
        }
        let due = {
            let state = self.shared.state();
            let seated = state.due().and_then(|due| state.seated(due.seat));
            seated.map(|seated| seated.player)
        };
        if let Some(player) = due {
            if self.players.stream(player).is_some() {
                return Some(Duration::ZERO);
            }
            if self.players.whereabouts(player).has_stream {
                return None;
            }
        }
        Some(match (self.duty, due) {
            (Duty::OfLast, _) => Duration::ZERO,
            (Duty::None | Duty::OfGone, None) => OTHERS_FIRST,
            (Duty::None | Duty::OfGone, Some(_)) => LATEST_NEWS + OTHERS_FIRST,
        })
    }

    /// Which seats' players have a stream, if that matters. Notes when the last one of the others ended.
    fn has_stream(&mut self) -> [bool; 2] {
        let Some(presence) = &mut self.presence else {
            return [false; 2];
        };
        let state = self.shared.state();
        Seat::BOTH.map(|seat| {
            let seated = state.seated(seat);
            let player = seated.map(|seated| self.players.whereabouts(seated.player));
            player.is_some_and(|player| {
                presence.note(seat, player.seen.max(self.shared.heard(seat)));
                player.has_stream
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_clock_starts_with_the_news() {
        for (since, unknown_until, now, start) in [
            (100, 0, 103, 103),
            (100, 0, 120, 106),
            // The clocks of services may differ.
            (100, 0, 99, 99),
            (80, 98, 100, 100),
            // The event was decided before the log went, and was in it only when that came back.
            (100, 119, 120, 120),
            (100, 110, 120, 116),
        ] {
            assert_eq!(
                clock_start(at(since), at(unknown_until), at(now)),
                at(start)
            );
        }
    }
}
