use std::time::{Duration, SystemTime};

use dragontooth_service_vocabulary::{PlayerId, RequestId, Scope, TokenStanding};

use crate::Token;

/// Who one is: what a token stands for, and what it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The player.
    pub player: PlayerId,
    /// The name of the identity; none for a player that has chosen its token itself.
    pub name: Option<String>,
    /// What the token allows.
    pub scopes: Vec<Scope>,
    /// From when on the token does not count; none for never.
    pub expires: Option<SystemTime>,
    /// The token's id; none for one that the player has chosen itself.
    pub token_id: Option<String>,
}

/// A token as the service shows it: without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenView {
    /// Its id.
    pub id: String,
    /// The player that it stands for.
    pub player: PlayerId,
    /// The name of that identity.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// Whether it counts.
    pub state: TokenStanding,
    /// When it was issued.
    pub created: SystemTime,
    /// From when on it does not count; none for never.
    pub expires: Option<SystemTime>,
    /// When it was revoked.
    pub revoked: Option<SystemTime>,
    /// When it was last used.
    pub last_used: Option<SystemTime>,
}

/// A token to be issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The name of the identity.
    pub name: String,
    /// What it is to allow.
    pub scopes: Vec<Scope>,
    /// How long it is to count; none for ever.
    pub life: Option<Duration>,
    /// Makes asking again safe.
    pub request_id: Option<RequestId>,
}

/// A token that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub view: TokenView,
    /// Its secret, which is told only here.
    pub secret: Token,
}
