//! Points in time.

use dragontooth_service_vocabulary::Timestamp;

/// The error for a point in time before 1970, or whose parts are out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a time since 1970")]
pub struct InvalidTimestamp;

/// The time in the form of the API.
#[must_use]
pub fn to_proto(time: Timestamp) -> prost_types::Timestamp {
    let micros = time.micros();
    prost_types::Timestamp {
        seconds: i64::try_from(micros / 1_000_000).expect("fewer than 2^63 seconds"),
        nanos: i32::try_from(micros % 1_000_000 * 1000).expect("less than a second"),
    }
}

/// The time of the API in whole microseconds; a part of a microsecond is cut off.
///
/// # Errors
///
/// It is before 1970 or after the last timestamp, or its nanoseconds are a second or more.
pub fn from_proto(time: prost_types::Timestamp) -> Result<Timestamp, InvalidTimestamp> {
    let seconds = u64::try_from(time.seconds).ok();
    let micros = u64::try_from(time.nanos)
        .ok()
        .filter(|nanos| *nanos < 1_000_000_000)
        .map(|nanos| nanos / 1_000);
    seconds
        .and_then(|seconds| seconds.checked_mul(1_000_000))
        .zip(micros)
        .and_then(|(whole, part)| whole.checked_add(part))
        .map(Timestamp::from_micros)
        .ok_or(InvalidTimestamp)
}
