use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scopes, Sequence, Timestamp, TokenId, TokenStanding,
};

use super::{AccessEvent, Blocks, RecordedAccess, TokenHash, TokenIssued};

/// Most ended tokens remembered per identity, so that a caller who still uses one gets the reason.
/// Older ones are unknown.
pub const REMEMBERED_DEAD_TOKENS: usize = 8;

/// Number of recent requests for tokens remembered, so that a repeated one issues no second token.
pub const REMEMBERED_TOKEN_REQUESTS: usize = 1024;

/// All identities with their tokens, and the players that others block.
#[derive(Clone, Debug, Default)]
pub struct AccessState {
    head: Sequence,
    players: HashMap<IdentityName, PlayerId>,
    identities: HashMap<PlayerId, IdentityState>,
    /// The earliest identity whose name has each skeleton.
    skeletons: HashMap<String, PlayerId>,
    tokens: BTreeMap<TokenId, TokenState>,
    requests: VecDeque<(Option<PlayerId>, RequestId, TokenId)>,
    blocks: Blocks,
}

#[derive(Clone, Debug)]
struct IdentityState {
    name: IdentityName,
    tokens: VecDeque<TokenId>,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenState {
    /// The hash of its secret.
    pub hash: TokenHash,
    /// Its player.
    pub player: PlayerId,
    /// The name of that identity.
    pub name: IdentityName,
    /// Its scopes.
    pub scopes: Scopes,
    /// The time of issue.
    pub issued: Timestamp,
    /// Its lifetime; `None` means for ever.
    pub ttl: Option<Duration>,
    /// The time of revocation.
    pub revoked: Option<Timestamp>,
    /// The time of its last use, as far as it is recorded.
    pub last_used: Option<Timestamp>,
}

impl TokenState {
    /// Its id.
    #[must_use]
    pub const fn id(&self) -> TokenId {
        self.hash.id()
    }

    /// The time of expiry; `None` means never.
    #[must_use]
    pub fn expires(&self) -> Option<Timestamp> {
        self.ttl.map(|ttl| self.issued.after(ttl))
    }

    /// Returns true if it is valid at `now`.
    #[must_use]
    pub fn standing(&self, now: Timestamp) -> TokenStanding {
        if self.revoked.is_some() {
            TokenStanding::Revoked
        } else if self.expires().is_some_and(|end| now >= end) {
            TokenStanding::Expired
        } else {
            TokenStanding::Live
        }
    }
}

/// The reason why an event does not fit those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessMisfit {
    /// It is not the next in number.
    #[error("it is not the next event")]
    Gap,
    /// A token that already exists, or an identity with another name or player.
    #[error("the token or its identity is there already")]
    Issued,
    /// A block that is there, or the end of one that is not, or of the player itself.
    #[error("the block is there already, or is not there")]
    Block,
    /// The end of an unknown token.
    #[error("there is no such token")]
    UnknownToken,
}

impl AccessState {
    /// Creates a state without identities.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the last event.
    #[must_use]
    pub const fn head(&self) -> Sequence {
        self.head
    }

    /// Returns the token with an id.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Option<&TokenState> {
        self.tokens.get(&id)
    }

    /// Returns the token whose secret has this hash.
    #[must_use]
    pub fn token_of(&self, hash: &TokenHash) -> Option<&TokenState> {
        self.tokens
            .get(&hash.id())
            .filter(|token| token.hash == *hash)
    }

    /// Returns the tokens with an id greater than `after`, in the order of their ids.
    pub fn tokens_after(&self, after: Option<TokenId>) -> impl Iterator<Item = &TokenState> {
        use std::ops::Bound;
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.tokens
            .range((start, Bound::Unbounded))
            .map(|(_, token)| token)
    }

    /// The number of identities.
    #[must_use]
    pub fn identities(&self) -> usize {
        self.identities.len()
    }

    /// The players that others block.
    #[must_use]
    pub const fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub(super) fn player_called(&self, name: &IdentityName) -> Option<PlayerId> {
        self.players.get(name).copied()
    }

    /// Returns the name of the identity that is this player.
    #[must_use]
    pub fn name_of(&self, player: PlayerId) -> Option<&IdentityName> {
        self.identities.get(&player).map(|identity| &identity.name)
    }

    /// Returns the name of the earliest identity that this name looks like.
    pub(super) fn name_like(&self, name: &IdentityName) -> Option<&IdentityName> {
        self.name_of(*self.skeletons.get(&name.skeleton())?)
    }

    pub(super) fn tokens_of(&self, player: PlayerId) -> impl Iterator<Item = &TokenState> {
        let identity = self.identities.get(&player);
        let ids = identity.into_iter().flat_map(|identity| &identity.tokens);
        ids.filter_map(|id| self.tokens.get(id))
    }

    pub(super) fn issued_for(
        &self,
        by: Option<PlayerId>,
        request: Option<&RequestId>,
    ) -> Option<TokenId> {
        let request = request?;
        self.requests
            .iter()
            .find(|(asker, id, _)| *asker == by && id == request)
            .map(|(_, _, token)| *token)
    }

    /// Applies an event.
    ///
    /// # Errors
    ///
    /// The event does not fit those before it; the state is unchanged.
    pub fn follow(&mut self, recorded: &RecordedAccess) -> Result<(), AccessMisfit> {
        if recorded.sequence != self.head.next() {
            return Err(AccessMisfit::Gap);
        }
        match &recorded.event {
            AccessEvent::Issued(issued) => self.issue(issued, recorded.time)?,
            AccessEvent::Revoked { id, .. } => {
                let token = self.tokens.get_mut(id);
                let token = token.ok_or(AccessMisfit::UnknownToken)?;
                token.revoked.get_or_insert(recorded.time);
            }
            AccessEvent::Blocked { player, blocked } => {
                if player == blocked || !self.blocks.add(*player, *blocked) {
                    return Err(AccessMisfit::Block);
                }
            }
            AccessEvent::Unblocked { player, blocked } => {
                if !self.blocks.remove(*player, *blocked) {
                    return Err(AccessMisfit::Block);
                }
            }
            AccessEvent::Used(uses) => {
                for (id, time) in uses {
                    // A token that was forgotten meanwhile needs no time.
                    if let Some(token) = self.tokens.get_mut(id) {
                        token.last_used = token.last_used.max(Some(*time));
                    }
                }
            }
        }
        self.head = recorded.sequence;
        Ok(())
    }

    fn issue(&mut self, issued: &TokenIssued, now: Timestamp) -> Result<(), AccessMisfit> {
        let id = issued.hash.id();
        let is_other = match self.players.get(&issued.name) {
            Some(player) => *player != issued.player,
            None => self.identities.contains_key(&issued.player),
        };
        if is_other || self.tokens.contains_key(&id) {
            return Err(AccessMisfit::Issued);
        }
        self.players.insert(issued.name.clone(), issued.player);
        let identity = self.identities.entry(issued.player).or_insert_with(|| {
            let skeleton = issued.name.skeleton();
            self.skeletons.entry(skeleton).or_insert(issued.player);
            IdentityState {
                name: issued.name.clone(),
                tokens: VecDeque::new(),
            }
        });
        self.tokens.insert(
            id,
            TokenState {
                hash: issued.hash,
                player: issued.player,
                name: issued.name.clone(),
                scopes: issued.scopes,
                issued: now,
                ttl: issued.ttl,
                revoked: None,
                last_used: None,
            },
        );
        let tokens = &mut identity.tokens;
        tokens.push_back(id);
        let dead = |id: &TokenId| self.tokens[id].standing(now) != TokenStanding::Live;
        let too_many = tokens.iter().filter(|id| dead(id)).count() > REMEMBERED_DEAD_TOKENS;
        if too_many
            && let Some(oldest) = tokens.iter().position(dead)
            && let Some(forgotten) = tokens.remove(oldest)
        {
            self.tokens.remove(&forgotten);
        }
        if let Some(request) = &issued.request_id {
            if self.requests.len() == REMEMBERED_TOKEN_REQUESTS {
                self.requests.pop_front();
            }
            self.requests.push_back((issued.by, request.clone(), id));
        }
        Ok(())
    }
}
