use std::collections::HashSet;
use std::sync::Arc;

use axum::http::HeaderMap;
use dragontooth_service_vocabulary::{PlayerId, Scope, TokenId};

use super::bearer::bearer;
use super::caller::own_player;
use super::{AuthError, Caller, Need, Secret, TokenFault, TokenWatch, Tokens, Viewer};
use crate::config::AuthMode;

/// Lets in who may come in.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    mode: AuthMode,
    /// The players whose tokens of their own choice are accepted; `None` means any.
    own_players: Option<Arc<HashSet<PlayerId>>>,
    /// True if reading needs no token, whatever the mode.
    public_watch: bool,
    tokens: Arc<Tokens>,
}

impl Gate {
    pub(crate) fn new(
        mode: AuthMode,
        own_players: Option<Vec<PlayerId>>,
        tokens: Arc<Tokens>,
    ) -> Self {
        let own_players = own_players.map(|players| Arc::new(players.into_iter().collect()));
        Self {
            mode,
            own_players,
            public_watch: mode == AuthMode::Open,
            tokens,
        }
    }

    /// The same gate; with `public_watch` anyone may come in to read.
    pub(crate) fn with_public_watch(self, public_watch: bool) -> Self {
        Self {
            public_watch: self.public_watch || public_watch,
            ..self
        }
    }

    /// The caller of a request, by its headers.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, AuthError> {
        let text = bearer(headers)?;
        if Secret::is_meant(text) {
            let secret = Secret::read(text).ok_or(AuthError::Mistyped)?;
            return self.tokens.caller(&secret);
        }
        match self.mode {
            AuthMode::Open => {
                let player = own_player(text);
                let known = self.own_players.as_ref();
                if known.is_some_and(|known| !known.contains(&player)) {
                    return Err(AuthError::Unknown);
                }
                Ok(Caller::of_own_choice(player))
            }
            AuthMode::Tokens => Err(AuthError::NotIssued),
        }
    }

    /// The client of a call that needs `need`, if it may be made: a caller, unless the call needs nothing or
    /// reads where that needs no token.
    pub(crate) fn viewer(
        &self,
        need: Need,
        caller: Result<Caller, AuthError>,
    ) -> Result<Viewer, AuthError> {
        let scope = match (need, self.mode) {
            (Need::Nothing, _) => {
                return Ok(caller.map_or_else(|_| Viewer::default(), Viewer::from));
            }
            (Need::Reader, _) if self.public_watch && caller == Err(AuthError::Missing) => {
                return Ok(Viewer::default());
            }
            (Need::Token, _) | (Need::Reader, AuthMode::Open) => None,
            (Need::Reader, AuthMode::Tokens) => Some(Scope::Watch),
            (Need::Scope(scope), _) => Some(scope),
        };
        let caller = caller?;
        match scope {
            Some(scope) if !caller.scopes.has(scope) => Err(AuthError::ScopeMissing(scope)),
            Some(_) | None => Ok(caller.into()),
        }
    }

    /// Takes in the tokens that other services on the log have issued until now. Returns false if there are no other services.
    pub(crate) async fn catch_up(&self) -> Result<bool, TokenFault> {
        if self.tokens.is_shared() {
            self.tokens.catch_up().await?;
        }
        Ok(self.tokens.is_shared())
    }

    /// The end of a token.
    pub(crate) fn watch(&self, token: Option<TokenId>) -> TokenWatch {
        TokenWatch::new(Arc::clone(&self.tokens), token)
    }

    /// The tokens, for those who issue and revoke them.
    pub(crate) const fn tokens(&self) -> &Arc<Tokens> {
        &self.tokens
    }
}
