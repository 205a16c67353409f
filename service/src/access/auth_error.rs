use dragontooth_service_vocabulary::Scope;

use super::secret::PREFIX;

/// The least and the greatest length of a token.
pub(super) const TOKEN_CHARACTERS: std::ops::RangeInclusive<usize> = 16..=256;

/// A call has no identity, or one without the scope that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("this call needs the header `authorization: Bearer TOKEN`")]
    Missing,
    #[error("a token has {} to {} visible ASCII characters", TOKEN_CHARACTERS.start(), TOKEN_CHARACTERS.end())]
    Malformed,
    #[error("the token begins with {PREFIX} but is mistyped or incomplete")]
    Mistyped,
    #[error("this service accepts only tokens that it has issued, which begin with {PREFIX}")]
    NotIssued,
    #[error("this service does not know the token")]
    Unknown,
    #[error("the token has expired")]
    Expired,
    #[error("the token was revoked")]
    Revoked,
    #[error("the token does not have the scope {0}, which this call needs")]
    ScopeMissing(Scope),
}
