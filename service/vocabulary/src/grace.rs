use std::time::Duration;

/// The shortest grace: a second.
pub const MIN_GRACE: Duration = Duration::from_secs(1);

/// The longest grace: a day.
pub const MAX_GRACE: Duration = Duration::from_hours(24);

/// The time that a player may be away from a match before it loses the match: a second to a day, in
/// whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grace(Duration);

/// The error for a duration that is not a grace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a grace is 1 second to 24 hours, in whole microseconds")]
pub struct InvalidGrace;

impl Grace {
    /// The grace of this duration.
    ///
    /// # Errors
    ///
    /// The duration is out of range or not a whole number of microseconds.
    pub fn new(duration: Duration) -> Result<Self, InvalidGrace> {
        let is_whole = duration.subsec_nanos().is_multiple_of(1_000);
        if is_whole && (MIN_GRACE..=MAX_GRACE).contains(&duration) {
            Ok(Self(duration))
        } else {
            Err(InvalidGrace)
        }
    }

    /// The duration.
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }
}
