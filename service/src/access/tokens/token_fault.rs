use dragontooth_service_domain::access::AccessRejection;
use dragontooth_service_store::{AppendError, TokenLogError};
use dragontooth_service_vocabulary::TokenId;

use crate::limits::LimitExceeded;

/// A token is not issued or revoked.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum TokenFault {
    #[error(transparent)]
    Rejected(#[from] AccessRejection),
    #[error("this request has already issued token {0}, whose secret cannot be shown again")]
    SecretGone(TokenId),
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    #[error("the service is shutting down")]
    Draining,
    #[error("the event log is unavailable: {0}")]
    LogUnavailable(String),
}

impl From<TokenLogError> for TokenFault {
    fn from(error: TokenLogError) -> Self {
        Self::LogUnavailable(error.to_string())
    }
}

impl From<AppendError> for TokenFault {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Closed => Self::Draining,
            AppendError::Conflict { .. }
            | AppendError::Damaged(_)
            | AppendError::RecordTooLarge { .. }
            | AppendError::TooManyRecords { .. }
            | AppendError::AppendTooLarge { .. }
            | AppendError::Storage(_)
            | AppendError::Unavailable(_)
            | AppendError::Failed(_) => Self::LogUnavailable(error.to_string()),
        }
    }
}
