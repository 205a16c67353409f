use std::time::Duration;

use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scopes, Timestamp, TokenId,
};

use super::TokenHash;

/// A token to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The name of the identity; a new name creates an identity.
    pub name: IdentityName,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// Its lifetime; `None` means for ever.
    pub life: Option<Duration>,
    /// The caller; `None` for the operator while the service is stopped.
    pub by: Option<PlayerId>,
    /// The id of the request.
    pub request_id: Option<RequestId>,
}

/// A command about tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessCommand {
    /// Issue a token.
    Issue {
        /// The token.
        new: NewToken,
        /// The hash of the drawn secret.
        hash: TokenHash,
        /// The drawn player id, for a new identity.
        player: PlayerId,
    },
    /// Revoke a token.
    Revoke {
        /// The token.
        id: TokenId,
        /// The caller; `None` for the operator while the service is stopped.
        by: Option<PlayerId>,
    },
    /// Record the times at which tokens were last used.
    NoteUse(Vec<(TokenId, Timestamp)>),
}
