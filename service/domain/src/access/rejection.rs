use std::time::Duration;

use dragontooth_service_vocabulary::{IdentityName, TokenId};

/// Most valid tokens of an identity: the one in use and its successor.
pub const MAX_LIVE_TOKENS: usize = 2;
/// Most identities.
pub const MAX_IDENTITIES: usize = 100_000;
/// Longest lifetime of a token that expires: ten years.
pub const MAX_TOKEN_TTL: Duration = Duration::from_hours(24 * 3650);

/// The reason why a command is refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessRejection {
    /// The token has no scope.
    #[error("a token has at least one scope")]
    NoScope,
    /// The lifetime is zero or too long.
    #[error("the lifetime of a token is more than 0 and at most {} days, not {} s",
            MAX_TOKEN_TTL.as_secs() / 86_400, ttl.as_secs_f64())]
    Ttl {
        /// The requested lifetime.
        ttl: Duration,
    },
    /// The identity already has the maximum number of valid tokens.
    #[error("{name} already has {MAX_LIVE_TOKENS} valid tokens: revoke one first")]
    TooManyTokens {
        /// The identity.
        name: IdentityName,
    },
    /// The maximum number of identities is reached.
    #[error("the maximum of {MAX_IDENTITIES} identities is reached")]
    TooManyIdentities,
    /// The name of the new identity looks like that of another one.
    #[error("the name {name} looks like {like}, the name of another identity")]
    Confusable {
        /// The new name.
        name: IdentityName,
        /// The name that it looks like.
        like: IdentityName,
    },
    /// The player would block itself.
    #[error("a player cannot block itself")]
    OwnBlock,
    /// The drawn hash or player id is already in use. Draw again.
    #[error("the drawn token already exists: draw again")]
    Collision,
    /// There is no such token.
    #[error("there is no token {0}")]
    UnknownToken(TokenId),
    /// The request id was used for another token.
    #[error("the request id has been used for another token, {0}")]
    RequestIdReused(TokenId),
}
