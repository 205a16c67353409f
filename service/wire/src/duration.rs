//! Spans of time.

use std::time::Duration;

/// The error for a span of time that the API does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// Its seconds or nanoseconds are below zero.
    #[error("is negative")]
    Negative,
    /// Its nanoseconds are a second or more.
    #[error("has a second or more in its nanoseconds")]
    Nanos,
}

/// The longest duration that the API can express.
pub const MAX: Duration = Duration::new(i64::MAX.unsigned_abs(), 999_999_999);

/// The duration in the form of the API, at most [`MAX`].
#[must_use]
pub fn to_proto(duration: Duration) -> prost_types::Duration {
    let duration = duration.min(MAX);
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).expect("it is at most the maximum"),
        nanos: i32::try_from(duration.subsec_nanos()).expect("less than a second"),
    }
}

/// The duration of the API, exactly.
///
/// # Errors
///
/// It is negative, or its nanoseconds are a second or more.
pub fn from_proto(duration: prost_types::Duration) -> Result<Duration, InvalidDuration> {
    let seconds = u64::try_from(duration.seconds).map_err(|_| InvalidDuration::Negative)?;
    let nanos = u32::try_from(duration.nanos).map_err(|_| InvalidDuration::Negative)?;
    if nanos >= 1_000_000_000 {
        return Err(InvalidDuration::Nanos);
    }
    Ok(Duration::new(seconds, nanos))
}

/// The duration of the API in whole microseconds; a part of a microsecond is cut off.
///
/// # Errors
///
/// It is negative, or its nanoseconds are a second or more.
pub fn whole_micros(duration: prost_types::Duration) -> Result<Duration, InvalidDuration> {
    let exact = from_proto(duration)?;
    Ok(Duration::new(
        exact.as_secs(),
        exact.subsec_micros() * 1_000,
    ))
}
