use std::sync::Arc;

use dragontooth_service_vocabulary::TokenId;

use super::{AuthError, Tokens};

/// Watches for the end of the token that opened a stream.
#[derive(Clone, Debug)]
pub(crate) struct TokenWatch {
    tokens: Arc<Tokens>,
    token: Option<TokenId>,
}

impl TokenWatch {
    pub(super) const fn new(tokens: Arc<Tokens>, token: Option<TokenId>) -> Self {
        Self { tokens, token }
    }

    /// Returns true if the token is no longer valid.
    pub(crate) fn has_ended(&self) -> bool {
        self.token
            .is_some_and(|token| self.tokens.check(token).is_err())
    }

    /// Ready when the token is revoked or its time is up, which it returns; a secret that a player has
    /// chosen for itself has no end.
    pub(crate) async fn ended(&self) -> AuthError {
        match self.token {
            Some(token) => self.tokens.ended(token).await,
            None => std::future::pending().await,
        }
    }
}
