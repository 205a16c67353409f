use std::time::Duration;

/// The longest duration in a time control: 30 days.
pub const MAX_THINKING_TIME: Duration = Duration::from_hours(30 * 24);

/// The agreement on the thinking time of a seat. A seat without one, `None`, has no clock.
///
/// ```
/// use std::time::Duration;
/// use dragontooth_service_vocabulary::TimeControl;
///
/// let control = TimeControl::Fischer {
///     base: Duration::from_secs(60),
///     increment: Duration::ZERO,
/// };
/// assert_eq!(control.check(), Ok(control));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// The same limit for every action.
    PerAction {
        /// The time for one action.
        limit: Duration,
    },
    /// A stock of time that grows with every action.
    Fischer {
        /// The stock at the start of the match.
        base: Duration,
        /// The time added after each action.
        increment: Duration,
    },
    /// A stock of time that is used only after a delay in each decision.
    Delay {
        /// The stock at the start of the match.
        base: Duration,
        /// The time at the start of each decision that does not use up the stock.
        delay: Duration,
    },
}

/// The error for a duration of a time control that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part} must be {least} and at most 30 days, in whole microseconds", least = if *may_be_zero { "zero or more" } else { "more than zero" })]
pub struct InvalidTimeControl {
    /// The duration: `limit`, `base`, `increment` or `delay`.
    pub part: &'static str,
    may_be_zero: bool,
}

impl TimeControl {
    /// Checks that the durations are whole microseconds, at most [`MAX_THINKING_TIME`], and more than
    /// zero but for the increment.
    ///
    /// # Errors
    ///
    /// The first duration out of its range.
    pub fn check(self) -> Result<Self, InvalidTimeControl> {
        match self {
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
