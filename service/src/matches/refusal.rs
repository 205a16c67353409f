use std::time::Duration;

use dragontooth_service_domain::Rejection;
use dragontooth_service_store::{AppendError, MatchLogError, ReadError};
use dragontooth_service_vocabulary::{MatchId, PlayerId, Sequence};

use crate::limits::LimitExceeded;

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error("there is no match {0}")]
    MatchNotFound(MatchId),
    #[error("the request id has been used for another match")]
    RequestIdReused,
    #[error("the player {0} accepts no invitations from you")]
    Blocked(PlayerId),
    #[error("at most {} are allowed", humantime::format_duration(*most))]
    JoinTimeoutTooLong { most: Duration },
    #[error("another program with the same token has made an offer or opened a stream later")]
    Superseded,
    #[error("the service is shutting down")]
    Draining,
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
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

impl From<AppendError> for Refusal {
    fn from(error: AppendError) -> Self {
        match error {
            // The log is closed only by the shutdown.
            AppendError::Closed => Self::Draining,
            AppendError::Damaged(damage) => Self::unreadable(
                MatchId::from_bytes(damage.stream.0),
                ReadError::Damaged(damage),
            ),
            AppendError::Conflict { .. }
            | AppendError::RecordTooLarge { .. }
            | AppendError::TooManyRecords { .. }
            | AppendError::AppendTooLarge { .. }
            | AppendError::Storage(_)
            | AppendError::Unavailable(_)
            | AppendError::Failed(_) => Self::LogUnavailable(error.to_string()),
        }
    }
}
