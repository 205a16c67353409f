use std::time::Duration;

use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scopes, Timestamp, TokenId,
};

use super::TokenHash;

/// A token that is to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The name of the identity; one that is new becomes an identity.
    pub name: IdentityName,
    /// What it is to allow.
    pub scopes: Scopes,
    /// How long it is to count; none for ever.
    pub life: Option<Duration>,
    /// Who asks; none for the operator at the stopped service.
    pub by: Option<PlayerId>,
    /// The request that asks for it.
    pub request_id: Option<RequestId>,
}

/// What is asked of the tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessCommand {
    /// A token is issued.
    Issue {
        /// What it is to be.
        new: NewToken,
        /// The hash of the secret that was drawn.
        hash: TokenHash,
        /// The player id that was drawn, for an identity that is new.
        player: PlayerId,
    },
    /// A token is revoked.
    Revoke {
        /// The token.
        id: TokenId,
        /// Who asks; none for the operator at the stopped service.
        by: Option<PlayerId>,
    },
    /// Tokens were used, the last time at these moments.
    NoteUse(Vec<(TokenId, Timestamp)>),
}
