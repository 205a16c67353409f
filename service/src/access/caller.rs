use dragontooth_service_domain::access::TokenState;
use dragontooth_service_vocabulary::{IdentityName, PlayerId, Scope, Scopes, Timestamp, TokenId};
use sha2::{Digest, Sha256};

/// The caller of a request: the player that the token identifies, and the scopes of the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) player: PlayerId,
    pub(crate) scopes: Scopes,
    /// The token, if the service has issued it.
    pub(crate) token: Option<TokenId>,
    /// The name of the identity, if the service has issued the token.
    pub(crate) name: Option<IdentityName>,
    /// From when on the token does not count.
    pub(crate) expires: Option<Timestamp>,
}

/// The player that has chosen this secret as its token.
///
/// Every client with the same secret is the same player. The player's id is the first 16 bytes of
/// SHA-256 of a tag and the secret.
#[must_use]
pub fn own_player(secret: &str) -> PlayerId {
    let digest = Sha256::new()
        .chain_update(b"dragontooth.player.v1\0")
        .chain_update(secret);
    let digest: [u8; 32] = digest.finalize().into();
    let id = digest.first_chunk::<16>().expect("a digest has 32 bytes");
    PlayerId::from_bytes(*id)
}

impl Caller {
    /// A player with a token of its own choice.
    pub(crate) fn of_own_choice(player: PlayerId) -> Self {
        Self {
            player,
            scopes: [Scope::Play, Scope::Watch, Scope::Create]
                .into_iter()
                .collect(),
            token: None,
            name: None,
            expires: None,
        }
    }

    pub(super) fn of_token(token: &TokenState) -> Self {
        Self {
            player: token.player,
            scopes: token.scopes,
            token: Some(token.id()),
            name: Some(token.name.clone()),
            expires: token.expires(),
        }
    }
}

/// The client of a call: a caller, or an anonymous one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Viewer(Option<Caller>);

impl Viewer {
    /// The caller, if it is one.
    pub(crate) const fn caller(&self) -> Option<&Caller> {
        self.0.as_ref()
    }

    /// The player, if it is one.
    pub(crate) fn player(&self) -> Option<PlayerId> {
        self.0.as_ref().map(|caller| caller.player)
    }

    /// Returns true if the viewer may see every match.
    pub(crate) fn is_admin(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|caller| caller.scopes.has(Scope::Admin))
    }

    /// The token, if the service has issued it.
    pub(crate) fn token(&self) -> Option<TokenId> {
        self.0.as_ref()?.token
    }
}

impl From<Caller> for Viewer {
    fn from(caller: Caller) -> Self {
        Self(Some(caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `printf 'dragontooth.player.v1\0%s' 0123456789abcdef | sha256sum`.
    #[test]
    fn the_id_of_an_own_secret_is_the_documented_hash() {
        let id = own_player("0123456789abcdef");
        assert_eq!(id.to_string(), "9d475faf7f0798b9b3f1c5f04ba938d7");
        let other = own_player("0123456789abcdeg");
        assert_ne!(id, other);
    }
}
