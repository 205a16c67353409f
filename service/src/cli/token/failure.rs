use dragontooth_service_client::ClientError;
use dragontooth_service_vocabulary::InvalidTokenId;

use super::super::{EXIT_NOT_STARTED, EXIT_REFUSED, EXIT_USAGE};
use crate::OfflineError;
use crate::cli::log_location::OfflineLogError;
use crate::cli::service_location::ConnectError;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenCommandError {
    #[error("the token's id is wrong")]
    Id(#[source] InvalidTokenId),
    #[error(transparent)]
    Open(#[from] OfflineLogError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Offline(#[from] OfflineError),
    #[error(transparent)]
    Service(#[from] ClientError),
}

impl TokenCommandError {
    pub(super) const fn exit_code(&self) -> u8 {
        match self {
            Self::Id(_) => EXIT_USAGE,
            Self::Connect(error) => error.exit_code(),
            Self::Offline(OfflineError::Refused(_)) | Self::Service(_) => EXIT_REFUSED,
            Self::Open(_)
            | Self::Offline(
                OfflineError::Open(_) | OfflineError::OpenPostgres(_) | OfflineError::Read(_),
            ) => EXIT_NOT_STARTED,
        }
    }
}
