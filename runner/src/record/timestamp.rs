use std::time::SystemTime;

/// The time in UTC, to the millisecond, as the records have it.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time.max(SystemTime::UNIX_EPOCH)).to_string()
}
