use std::time::Duration;

use dragontooth_games::Seat;

/// The longest duration in a time control: 30 days.
pub const MAX_THINKING_TIME: Duration = Duration::from_hours(30 * 24);

/// The agreement on thinking time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// No clocks.
    Unlimited,
    /// The same limit for every action.
    PerAction {
        /// The time for one action.
        limit: Duration,
    },
    /// A stock of time that grows with every action.
    Fischer {
        /// The stock at the start of the match.
        base: Duration,
        /// What is added after each action.
        increment: Duration,
    },
    /// A stock of time that is touched only after a delay in each decision.
    Delay {
        /// The stock at the start of the match.
        base: Duration,
        /// The time in each decision that is free.
        delay: Duration,
    },
}

/// A duration of a time control that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} must be {least} and at most 30 days, in whole microseconds", least = if *may_be_zero { "zero or more" } else { "more than zero" })]
pub struct InvalidTimeControl {
    /// Which duration: `limit`, `base`, `increment` or `delay`.
    pub part: &'static str,
    may_be_zero: bool,
}

impl TimeControl {
    /// Checks that the durations are whole microseconds and in their ranges.
    ///
    /// # Errors
    ///
    /// The first one that is not.
    pub fn check(self) -> Result<Self, InvalidTimeControl> {
        match self {
            Self::Unlimited => {}
            Self::PerAction { limit } => in_range("limit", limit, false)?,
            Self::Fischer { base, increment } => {
                in_range("base", base, false)?;
                in_range("increment", increment, true)?;
            }
            Self::Delay { base, delay } => {
                in_range("base", base, false)?;
                in_range("delay", delay, false)?;
            }
        }
        Ok(self)
    }
}

fn in_range(
    part: &'static str,
    duration: Duration,
    may_be_zero: bool,
) -> Result<(), InvalidTimeControl> {
    let too_short = duration.is_zero() && !may_be_zero;
    let is_whole = duration.subsec_nanos().is_multiple_of(1_000);
    if too_short || duration > MAX_THINKING_TIME || !is_whole {
        return Err(InvalidTimeControl { part, may_be_zero });
    }
    Ok(())
}

/// Both clocks of a match, as of the start of a decision. Each seat has a time control of its own, and
/// nothing that one seat does changes the other's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    controls: [TimeControl; 2],
    remaining: [Duration; 2],
}

impl Clocks {
    /// The clocks at the start of a match with these time controls, by [`Seat::index`].
    #[must_use]
    pub fn new(controls: [TimeControl; 2]) -> Self {
        let remaining = controls.map(|control| match control {
            TimeControl::Unlimited => Duration::MAX,
            TimeControl::PerAction { limit } => limit,
            TimeControl::Fischer { base, .. } | TimeControl::Delay { base, .. } => base,
        });
        Self {
            controls,
            remaining,
        }
    }

    /// What `seat` has left; none without a clock.
    #[must_use]
    pub fn remaining(&self, seat: Seat) -> Option<Duration> {
        let has_clock = self.controls[seat.index()] != TimeControl::Unlimited;
        has_clock.then_some(self.remaining[seat.index()])
    }

    /// How long `seat` may take for the decision before it; none without a clock.
    #[must_use]
    pub fn allowance(&self, seat: Seat) -> Option<Duration> {
        let remaining = self.remaining[seat.index()];
        match self.controls[seat.index()] {
            TimeControl::Unlimited => None,
            TimeControl::PerAction { .. } | TimeControl::Fischer { .. } => Some(remaining),
            TimeControl::Delay { delay, .. } => Some(remaining.saturating_add(delay)),
        }
    }

    /// What `seat` has left after a decision that took `elapsed`; none without a clock or if the
    /// time did not suffice.
    #[must_use]
    pub fn remaining_after(&self, seat: Seat, elapsed: Duration) -> Option<Duration> {
        if elapsed > self.allowance(seat)? {
            return None;
        }
        let remaining = self.remaining[seat.index()];
        Some(match self.controls[seat.index()] {
            TimeControl::Unlimited | TimeControl::PerAction { .. } => remaining,
            TimeControl::Fischer { increment, .. } => {
                remaining.saturating_sub(elapsed).saturating_add(increment)
            }
            TimeControl::Delay { delay, .. } => {
                remaining.saturating_sub(elapsed.saturating_sub(delay))
            }
        })
    }

    /// Whether some time for a decision leaves `seat` with `remaining`.
    pub(crate) fn may_leave(&self, seat: Seat, remaining: Option<Duration>) -> bool {
        let before = self.remaining[seat.index()];
        match (self.controls[seat.index()], remaining) {
            (TimeControl::Unlimited, None) => true,
            (TimeControl::Unlimited, Some(_)) | (_, None) => false,
            (TimeControl::PerAction { .. }, Some(after)) => after == before,
            (TimeControl::Fischer { increment, .. }, Some(after)) => {
                (increment..=before.saturating_add(increment)).contains(&after)
            }
            (TimeControl::Delay { .. }, Some(after)) => after <= before,
        }
    }

    pub(crate) fn set(&mut self, seat: Seat, remaining: Duration) {
        self.remaining[seat.index()] = remaining;
    }
}
