use std::sync::Arc;

use axum::http::HeaderMap;
use dragontooth_service_vocabulary::{Scope, TokenId};

use super::bearer::bearer;
use super::{AuthError, Caller, Need, Secret, TokenWatch, Tokens, Viewer};
use crate::config::AuthMode;

/// Lets in who may come in.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    mode: AuthMode,
    tokens: Arc<Tokens>,
}

impl Gate {
    pub(crate) const fn new(mode: AuthMode, tokens: Arc<Tokens>) -> Self {
        Self { mode, tokens }
    }

    /// The caller of a request, by its headers.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, AuthError> {
        let text = bearer(headers)?;
        if Secret::is_meant(text) {
            let secret = Secret::read(text).ok_or(AuthError::Mistyped)?;
            return self.tokens.caller(&secret);
        }
        match self.mode {
            AuthMode::Open => Ok(Caller::of_own_secret(text)),
            AuthMode::Tokens => Err(AuthError::NotIssued),
        }
    }

    /// The client of a call that needs `need`, if it may be made: a caller, unless the call needs nothing or
    /// reads on an open service.
    pub(crate) fn viewer(
        &self,
        need: Need,
        caller: Result<Caller, AuthError>,
    ) -> Result<Viewer, AuthError> {
        let scope = match (need, self.mode) {
            (Need::Nothing, _) => {
                return Ok(caller.map_or_else(|_| Viewer::default(), Viewer::from));
            }
            (Need::Reader, AuthMode::Open) if caller == Err(AuthError::Missing) => {
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

    /// The end of a token.
    pub(crate) fn watch(&self, token: Option<TokenId>) -> TokenWatch {
        TokenWatch::new(Arc::clone(&self.tokens), token)
    }

    /// The tokens, for those who issue and revoke them.
    pub(crate) const fn tokens(&self) -> &Arc<Tokens> {
        &self.tokens
    }
}
