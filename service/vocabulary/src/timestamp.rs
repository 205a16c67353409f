use std::time::Duration;

/// A point in time: whole microseconds since the Unix epoch.
///
/// ```
/// use std::time::Duration;
/// use dragontooth_service_vocabulary::Timestamp;
///
/// let start = Timestamp::from_micros(1_500_000);
/// let end = start.after(Duration::from_secs(2));
/// assert_eq!(end.micros(), 3_500_000);
/// assert_eq!(end.since(start), Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time `micros` microseconds after the epoch.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// The time `duration` later, at most the latest timestamp.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(micros))
    }

    /// The time `duration` earlier, at least the epoch.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Self(self.0.saturating_sub(micros))
    }

    /// The time that has passed since `earlier`; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}
