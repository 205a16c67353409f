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
    /// Refuse the invitations of a player.
    Block {
        /// The player that refuses.
        player: PlayerId,
        /// The player to block.
        blocked: PlayerId,
    },
    /// Accept the invitations of a player again.
    Unblock {
        /// The player that refused.
        player: PlayerId,
        /// The blocked player.
        blocked: PlayerId,
    },
    /// Record the times at which tokens were last used.
    NoteUse(Vec<(TokenId, Timestamp)>),
}
