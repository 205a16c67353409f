use std::time::Duration;

use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scopes, Sequence, Timestamp, TokenId,
};

use super::TokenHash;

/// An event with its place in the log of the tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAccess {
    /// Its number, from 1.
    pub sequence: Sequence,
    /// The time when it was recorded.
    pub time: Timestamp,
    /// The event.
    pub event: AccessEvent,
}

/// An event of a token, or of the players that others block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessEvent {
    /// A token was issued.
    Issued(Box<TokenIssued>),
    /// A token was revoked.
    Revoked {
        /// The token.
        id: TokenId,
        /// The player that asked for it; `None` for the operator while the service is stopped.
        by: Option<PlayerId>,
    },
    /// A player blocked another, whose invitations it refuses.
    Blocked {
        /// The player that refuses.
        player: PlayerId,
        /// The blocked player.
        blocked: PlayerId,
    },
    /// A player removed a block.
    Unblocked {
        /// The player that refused.
        player: PlayerId,
        /// The player that is no longer blocked.
        blocked: PlayerId,
    },
    /// Tokens were last used at these times.
    Used(Vec<(TokenId, Timestamp)>),
}

/// A newly issued token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenIssued {
    /// The hash of its secret.
    pub hash: TokenHash,
    /// Its player.
    pub player: PlayerId,
    /// The name of that identity.
    pub name: IdentityName,
    /// Its scopes.
    pub scopes: Scopes,
    /// Its lifetime; `None` means for ever.
    pub ttl: Option<Duration>,
    /// The player that asked for it; `None` for the operator while the service is stopped.
    pub by: Option<PlayerId>,
    /// The id of the request.
    pub request_id: Option<RequestId>,
}
