use dragontooth_service_vocabulary::{
    IdentityName, NewToken, PlayerId, Timestamp, TokenId, TokenStanding,
};

use super::{
    AccessCommand, AccessEvent, AccessRejection, AccessState, MAX_IDENTITIES, MAX_LIVE_TOKENS,
    MAX_TOKEN_TTL, TokenHash, TokenIssued,
};

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessDecided {
    /// Record these events, in order. An empty list means that nothing changes.
    Events(Vec<AccessEvent>),
    /// A repeated request: this token was issued for it.
    IssuedBefore(TokenId),
}

/// Decides `command`, received at `now`.
///
/// # Errors
///
/// The reason for refusing the command.
pub fn decide(
    state: &AccessState,
    command: &AccessCommand,
    now: Timestamp,
) -> Result<AccessDecided, AccessRejection> {
    match command {
        AccessCommand::Issue {
            new,
            by,
            hash,
            player,
        } => issue(state, new, *by, *hash, *player, now),
        AccessCommand::Revoke { id, by } => {
            let token = state.token(*id).ok_or(AccessRejection::UnknownToken(*id))?;
            let revoked = AccessEvent::Revoked { id: *id, by: *by };
            let is_revoked = token.revoked.is_some();
            Ok(AccessDecided::Events(
                (!is_revoked).then_some(revoked).into_iter().collect(),
            ))
        }
        AccessCommand::Block { player, blocked } if player == blocked => {
            Err(AccessRejection::OwnBlock)
        }
        AccessCommand::Block { player, blocked } => {
            let (player, blocked) = (*player, *blocked);
            let is_blocked = state.blocks().is_blocked(player, blocked);
            let event = AccessEvent::Blocked { player, blocked };
            let events = (!is_blocked).then_some(event).into_iter().collect();
            Ok(AccessDecided::Events(events))
        }
        AccessCommand::Unblock { player, blocked } => {
            let (player, blocked) = (*player, *blocked);
            let is_blocked = state.blocks().is_blocked(player, blocked);
            let event = AccessEvent::Unblocked { player, blocked };
            let events = is_blocked.then_some(event).into_iter().collect();
            Ok(AccessDecided::Events(events))
        }
        AccessCommand::NoteUse(uses) => {
            let is_news = |(id, time): &&(TokenId, Timestamp)| {
                let token = state.token(*id);
                token.is_some_and(|token| token.last_used.is_none_or(|known| known < *time))
            };
            let news: Vec<_> = uses.iter().filter(is_news).copied().collect();
            let events = (!news.is_empty()).then_some(AccessEvent::Used(news));
            Ok(AccessDecided::Events(events.into_iter().collect()))
        }
    }
}

fn issue(
    state: &AccessState,
    new: &NewToken,
    by: Option<PlayerId>,
    hash: TokenHash,
    player: PlayerId,
    now: Timestamp,
) -> Result<AccessDecided, AccessRejection> {
    if let Some(id) = state.issued_for(by, new.request_id.as_ref()) {
        let is_same = state.token(id).is_some_and(|token| {
            token.name == new.name && token.scopes == new.scopes && token.ttl == new.ttl
        });
        return if is_same {
            Ok(AccessDecided::IssuedBefore(id))
        } else {
            Err(AccessRejection::RequestIdReused(id))
        };
    }
    if new.scopes.is_empty() {
        return Err(AccessRejection::NoScope);
    }
    if let Some(ttl) = new.ttl
        && (ttl.as_micros() == 0 || ttl > MAX_TOKEN_TTL)
    {
        return Err(AccessRejection::Ttl { ttl });
    }
    let known = state.player_called(&new.name);
    match known {
        Some(known) => {
            let is_live = |standing: TokenStanding| standing == TokenStanding::Live;
            let live = state.tokens_of(known);
            if live.filter(|token| is_live(token.standing(now))).count() >= MAX_LIVE_TOKENS {
                return Err(AccessRejection::TooManyTokens {
                    name: new.name.clone(),
                });
            }
        }
        None => check_new_identity(state, &new.name, player)?,
    }
    if state.token(hash.id()).is_some() {
        return Err(AccessRejection::Collision);
    }
    let issued = TokenIssued {
        hash,
        player: known.unwrap_or(player),
        name: new.name.clone(),
        scopes: new.scopes,
        ttl: new.ttl,
        by,
        request_id: new.request_id.clone(),
    };
    Ok(AccessDecided::Events(vec![AccessEvent::Issued(Box::new(
        issued,
    ))]))
}

fn check_new_identity(
    state: &AccessState,
    name: &IdentityName,
    player: PlayerId,
) -> Result<(), AccessRejection> {
    if let Some(like) = state.name_like(name) {
        return Err(AccessRejection::Confusable {
            name: name.clone(),
            like: like.clone(),
        });
    }
    if state.identities() >= MAX_IDENTITIES {
        return Err(AccessRejection::TooManyIdentities);
    }
    if state.name_of(player).is_some() {
        return Err(AccessRejection::Collision);
    }
    Ok(())
}
