use std::time::Duration;

use super::LimitName;

/// A caller has reached one of its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitExceeded {
    #[error("the limit `{limit}` is reached: at most {allowed}")]
    Count { limit: LimitName, allowed: usize },
    #[error("the request was not complete after the time of the limit `{limit}`: {}", humantime::format_duration(*allowed))]
    Time { limit: LimitName, allowed: Duration },
    #[error("too fast for the limit `{limit}`: wait {} ms", wait.as_micros().div_ceil(1000))]
    Rate { limit: LimitName, wait: Duration },
}
