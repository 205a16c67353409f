use std::time::Duration;

use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scopes, Sequence, Timestamp, TokenId,
};

use super::TokenHash;

/// An event of the tokens with its place in their log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAccess {
    /// Its number, from 1.
    pub sequence: Sequence,
    /// When it was recorded.
    pub time: Timestamp,
    /// What happened.
    pub event: AccessEvent,
}

/// Something that happened to a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessEvent {
    /// A token was issued.
    Issued(Box<TokenIssued>),
    /// A token was revoked.
    Revoked {
        /// The token.
        id: TokenId,
        /// The player that asked for it; none for the operator at the stopped service.
        by: Option<PlayerId>,
    },
    /// Tokens were used, the last time at these moments.
    Used(Vec<(TokenId, Timestamp)>),
}

/// A token that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenIssued {
    /// The hash of its secret.
    pub hash: TokenHash,
    /// The player that it stands for.
    pub player: PlayerId,
    /// The name of that identity.
    pub name: IdentityName,
    /// What it allows.
    pub scopes: Scopes,
    /// How long it counts; none for ever.
    pub life: Option<Duration>,
    /// The player that asked for it; none for the operator at the stopped service.
    pub by: Option<PlayerId>,
    /// The request that asked for it.
    pub request_id: Option<RequestId>,
}
