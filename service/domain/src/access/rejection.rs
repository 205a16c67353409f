use std::time::Duration;

use dragontooth_service_vocabulary::{IdentityName, TokenId};

/// The most tokens of an identity that count at the same time: the one in use and its successor.
pub const MAX_LIVE_TOKENS: usize = 2;
/// The most identities.
pub const MAX_IDENTITIES: usize = 100_000;
/// The longest life of a token that does not count for ever: ten years.
pub const MAX_TOKEN_LIFE: Duration = Duration::from_hours(24 * 3650);

/// Why a command is refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessRejection {
    /// The token is to allow nothing.
    #[error("a token has at least one scope")]
    NoScope,
    /// The token is to count for no time or for too long.
    #[error("a token counts for more than nothing and at most {} days, not for {} s",
            MAX_TOKEN_LIFE.as_secs() / 86_400, life.as_secs_f64())]
    Life {
        /// What was asked for.
        life: Duration,
    },
    /// The identity has as many live tokens as it may have.
    #[error("{name} has {MAX_LIVE_TOKENS} tokens that count: revoke one first")]
    TooManyTokens {
        /// The identity.
        name: IdentityName,
    },
    /// There are as many identities as there may be.
    #[error("there are {MAX_IDENTITIES} identities, and no more are taken")]
    TooManyIdentities,
    /// The hash or the player id that was drawn is another's. Draw again.
    #[error("what was drawn for the token is there already")]
    Collision,
    /// There is no such token.
    #[error("there is no token {0}")]
    UnknownToken(TokenId),
    /// The request id stands for another token.
    #[error("the request id has been used for another token, {0}")]
    RequestIdReused(TokenId),
}
