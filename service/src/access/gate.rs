use std::sync::Arc;

use dragontooth_service_vocabulary::{Scope, TokenId};
use tonic::metadata::MetadataMap;

use super::bearer::bearer;
use super::{AuthError, Caller, Secret, TokenWatch, Tokens, Viewer};
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

    /// The caller of a request.
    pub(crate) fn caller(&self, metadata: &MetadataMap) -> Result<Caller, AuthError> {
        let text = bearer(metadata)?;
        if Secret::is_meant(text) {
            let secret = Secret::read(text).ok_or(AuthError::Mistyped)?;
            return self.tokens.caller(&secret);
        }
        match self.mode {
            AuthMode::Open => Ok(Caller::of_own_secret(text)),
            AuthMode::Tokens => Err(AuthError::NotIssued),
        }
    }

    /// The caller of a request, if its token has `scope`.
    pub(crate) fn demand(&self, metadata: &MetadataMap, scope: Scope) -> Result<Caller, AuthError> {
        let caller = self.caller(metadata)?;
        if caller.scopes.has(scope) {
            Ok(caller)
        } else {
            Err(AuthError::ScopeMissing(scope))
        }
    }

    /// The reader of matches. In an open service any client may read them, without a token or with any
    /// valid one.
    pub(crate) fn reader(&self, metadata: &MetadataMap) -> Result<Viewer, AuthError> {
        match self.mode {
            AuthMode::Tokens => self.demand(metadata, Scope::Watch).map(Viewer::from),
            AuthMode::Open => match self.caller(metadata) {
                Ok(caller) => Ok(caller.into()),
                Err(AuthError::Missing) => Ok(Viewer::default()),
                Err(error) => Err(error),
            },
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
