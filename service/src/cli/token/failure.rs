use dragontooth_service_client::{ClientError, InvalidToken, TlsFileError};
use dragontooth_service_domain::InvalidText;
use dragontooth_service_domain::access::ParseTokenIdError;

use super::super::{EXIT_NOT_STARTED, EXIT_REFUSED, EXIT_USAGE};
use crate::OfflineError;

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the name of the identity is none")]
    Name(#[source] InvalidText),
    #[error("the token's id is none")]
    Id(#[source] ParseTokenIdError),
    #[error("set DRAGONTOOTH_TOKEN to a token of the service with the scope admin")]
    NoToken,
    #[error("the value of DRAGONTOOTH_TOKEN is wrong")]
    Token(#[source] InvalidToken),
    #[error(transparent)]
    Tls(#[from] TlsFileError),
    #[error(transparent)]
    Offline(#[from] OfflineError),
    #[error(transparent)]
    Service(#[from] ClientError),
}

impl Failure {
    pub(super) const fn exit_code(&self) -> u8 {
        match self {
            Self::Name(_) | Self::Id(_) | Self::NoToken | Self::Token(_) | Self::Tls(_) => {
                EXIT_USAGE
            }
            Self::Offline(OfflineError::Refused(_)) | Self::Service(_) => EXIT_REFUSED,
            Self::Offline(OfflineError::Open(_) | OfflineError::Read(_)) => EXIT_NOT_STARTED,
        }
    }
}
