use std::time::Duration;

use dragontooth_games::Seat;
use dragontooth_service_vocabulary::TimeControl;

/// Both clocks of a match, as of the start of a decision. Each seat has its own time control, and
/// the actions of one seat never change the clock of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    controls: [Option<TimeControl>; 2],
    remaining: [Duration; 2],
}

impl Clocks {
    /// The clocks at the start of a match with these time controls, by [`Seat::index`]; `None` means
    /// no clock.
    #[must_use]
    pub fn new(controls: [Option<TimeControl>; 2]) -> Self {
        let remaining = controls.map(|control| match control {
            None => Duration::MAX,
            Some(TimeControl::PerAction { limit }) => limit,
            Some(TimeControl::Fischer { base, .. } | TimeControl::Delay { base, .. }) => base,
        });
        Self {
            controls,
            remaining,
        }
    }

    /// The time that `seat` has left; `None` without a clock.
    #[must_use]
    pub fn remaining(&self, seat: Seat) -> Option<Duration> {
        self.controls[seat.index()].map(|_| self.remaining[seat.index()])
    }

    /// The time that `seat` may take for the decision before it; `None` without a clock.
    #[must_use]
    pub fn allowance(&self, seat: Seat) -> Option<Duration> {
        let remaining = self.remaining[seat.index()];
        Some(match self.controls[seat.index()]? {
            TimeControl::PerAction { .. } | TimeControl::Fischer { .. } => remaining,
            TimeControl::Delay { delay, .. } => remaining.saturating_add(delay),
        })
    }

    /// The time that `seat` has left after a decision that took `elapsed`; `None` without a clock or
    /// if the time ran out.
    #[must_use]
    pub fn remaining_after(&self, seat: Seat, elapsed: Duration) -> Option<Duration> {
        if elapsed > self.allowance(seat)? {
            return None;
        }
        let remaining = self.remaining[seat.index()];
        Some(match self.controls[seat.index()]? {
            TimeControl::PerAction { .. } => remaining,
            TimeControl::Fischer { increment, .. } => {
                remaining.saturating_sub(elapsed).saturating_add(increment)
            }
            TimeControl::Delay { delay, .. } => {
                remaining.saturating_sub(elapsed.saturating_sub(delay))
            }
        })
    }

    /// Returns true if a decision of some length leaves `seat` with `remaining`.
    pub(crate) fn may_leave(&self, seat: Seat, remaining: Option<Duration>) -> bool {
        let before = self.remaining[seat.index()];
        match (self.controls[seat.index()], remaining) {
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
            (Some(TimeControl::PerAction { .. }), Some(after)) => after == before,
            (Some(TimeControl::Fischer { increment, .. }), Some(after)) => {
                (increment..=before.saturating_add(increment)).contains(&after)
            }
            (Some(TimeControl::Delay { .. }), Some(after)) => after <= before,
        }
    }

    pub(crate) fn set(&mut self, seat: Seat, remaining: Duration) {
        self.remaining[seat.index()] = remaining;
    }
}
