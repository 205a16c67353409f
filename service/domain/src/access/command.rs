use dragontooth_service_vocabulary::{NewToken, PlayerId, Timestamp, TokenId};

use super::TokenHash;

/// A command about tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessCommand {
    /// Issue a token.
    Issue {
        /// The token.
        new: NewToken,
        /// The caller; `None` for the operator while the service is stopped.
        by: Option<PlayerId>,
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
