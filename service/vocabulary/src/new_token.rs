use std::time::Duration;

use crate::{IdentityName, RequestId, Scopes};

/// A token to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The name of the identity; a new name creates an identity.
    pub name: IdentityName,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// Its lifetime; `None` means for ever.
    pub ttl: Option<Duration>,
    /// Makes a retry safe.
    pub request_id: Option<RequestId>,
}
