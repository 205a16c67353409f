use dragontooth_service_domain::access::AccessRejection;
use dragontooth_service_vocabulary::TokenId;

/// Why a token is not issued or revoked.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum TokenFault {
    #[error(transparent)]
    Rejected(#[from] AccessRejection),
    #[error("the request has had token {0} issued, and nobody has its secret any more")]
    SecretGone(TokenId),
    #[error("the service is shutting down")]
    Draining,
    #[error("the event log is unavailable: {0}")]
    LogUnavailable(String),
}
