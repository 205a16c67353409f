use std::time::SystemTime;

use dragontooth_service_vocabulary::{PlayerId, Scope, TokenStanding};

use crate::Token;

/// The identity behind a token, and its scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The player.
    pub player: PlayerId,
    /// The name of the identity; `None` for a player with a token of its own choice.
    pub name: Option<String>,
    /// The scopes of the token.
    pub scopes: Vec<Scope>,
    /// The time of expiry; `None` means never.
    pub expires: Option<SystemTime>,
    /// The token's id; `None` for a token of the player's own choice.
    pub token_id: Option<String>,
}

/// A token as the service lists it, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenView {
    /// Its id.
    pub id: String,
    /// The player of the token.
    pub player: PlayerId,
    /// The name of that identity.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// The state of the token.
    pub state: TokenStanding,
    /// The time of issue.
    pub created: SystemTime,
    /// The time of expiry; `None` means never.
    pub expires: Option<SystemTime>,
    /// The time of revocation.
    pub revoked: Option<SystemTime>,
    /// The time of its last use.
    pub last_used: Option<SystemTime>,
}

/// A newly issued token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub view: TokenView,
    /// Its secret, which the service returns only here.
    pub secret: Token,
}
