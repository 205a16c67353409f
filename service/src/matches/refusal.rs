use std::time::Duration;

use dragontooth_service_domain::Rejection;
use dragontooth_service_store::MatchLogError;
use dragontooth_service_vocabulary::{MatchId, Sequence};

use crate::limits::LimitName;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error("there is no match {0}")]
    MatchNotFound(MatchId),
    #[error("the request id has been used for another match")]
    RequestIdReused,
    #[error("the service is shutting down")]
    Draining,
    #[error("the limit `{limit}` is reached: at most {allowed}")]
    LimitReached { limit: LimitName, allowed: usize },
    #[error("too fast for the limit `{limit}`: wait {} ms", wait.as_micros().div_ceil(1000))]
    TooFast { limit: LimitName, wait: Duration },
    #[error("the event log is unavailable: {0}")]
    LogUnavailable(String),
    #[error("the log of match {id} is damaged: {what}")]
    LogDamaged {
        id: MatchId,
        /// The first event that cannot be read, where that is known.
        from: Option<Sequence>,
        what: String,
    },
}

impl Refusal {
    /// A match that cannot be read: it is damaged, unless the storage has failed and nothing is known of it.
    pub(crate) fn unreadable(id: MatchId, error: impl Into<MatchLogError>) -> Self {
        let error = error.into();
        if error.is_unavailable() {
            return Self::LogUnavailable(error.to_string());
        }
        let from = error.sequence();
        Self::LogDamaged {
            id,
            from,
            what: error.to_string(),
        }
    }
}
