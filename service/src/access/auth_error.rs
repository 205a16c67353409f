use dragontooth_service_vocabulary::Scope;

use super::bearer::TOKEN_CHARACTERS;
use super::secret::PREFIX;

/// Why a call has no identity, or not the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("this call needs the header `authorization: Bearer TOKEN`")]
    Missing,
    #[error("a token has {} to {} visible ASCII characters", TOKEN_CHARACTERS.start(), TOKEN_CHARACTERS.end())]
    Malformed,
    #[error("the token begins with {PREFIX} and is none: mistyped, or a part is missing")]
    Mistyped,
    #[error("this service takes only tokens that it has issued: they begin with {PREFIX}")]
    NotIssued,
    #[error("this service does not know the token")]
    Unknown,
    #[error("the time of the token is up")]
    Expired,
    #[error("the token was revoked")]
    Revoked,
    #[error("the token does not have the scope {0}, which this call needs")]
    ScopeMissing(Scope),
}
