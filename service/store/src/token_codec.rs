//! Events of the tokens as the bytes of `dragontooth.store.v1`.

use std::time::Duration;

use dragontooth_proto::store::v1::{self as wire, stored_token_event::Event as Wire};
use dragontooth_service_domain::access::{AccessEvent, TokenHash, TokenIssued};
use dragontooth_service_vocabulary::{
    IdentityName, PlayerId, RequestId, Scope, Scopes, Timestamp, TokenId,
};
use prost::Message;

use crate::DecodeError;

/// The version of the format of the tokens' events that is written.
pub const TOKEN_EVENT_FORMAT: u32 = 1;

/// The stored form of a token's event that is recorded at `time`.
#[must_use]
pub fn encode_token_event(time: Timestamp, event: &AccessEvent) -> Vec<u8> {
    wire::StoredTokenEvent {
        format: TOKEN_EVENT_FORMAT,
        time_us: time.micros(),
        event: Some(to_wire(event)),
    }
    .encode_to_vec()
}

/// The token's event that `bytes` store, and when it was recorded.
///
/// # Errors
///
/// The bytes are damaged or of a format that this program does not know.
pub fn decode_token_event(bytes: &[u8]) -> Result<(Timestamp, AccessEvent), DecodeError> {
    let stored = wire::StoredTokenEvent::decode(bytes).map_err(DecodeError::Unreadable)?;
    if stored.format != TOKEN_EVENT_FORMAT {
        return Err(DecodeError::UnknownFormat(stored.format));
    }
    let event = stored.event.ok_or(DecodeError::Field("event"))?;
    Ok((Timestamp::from_micros(stored.time_us), from_wire(event)?))
}

fn to_wire(event: &AccessEvent) -> Wire {
    match event {
        AccessEvent::Issued(issued) => Wire::TokenIssued(wire::TokenIssued {
            hash: issued.hash.bytes().to_vec(),
            player: issued.player.bytes().to_vec(),
            name: issued.name.to_string(),
            scopes: issued.scopes.iter().map(scope_to_wire).collect(),
            life_us: issued.ttl.map(micros),
            by: by_to_wire(issued.by),
            request_id: issued
                .request_id
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
        }),
        AccessEvent::Revoked { id, by } => Wire::TokenRevoked(wire::TokenRevoked {
            token: id.bytes().to_vec(),
            by: by_to_wire(*by),
        }),
        AccessEvent::Blocked { player, blocked } => Wire::PlayerBlocked(wire::PlayerBlocked {
            player: player.bytes().to_vec(),
            blocked: blocked.bytes().to_vec(),
        }),
        AccessEvent::Unblocked { player, blocked } => {
            Wire::PlayerUnblocked(wire::PlayerUnblocked {
                player: player.bytes().to_vec(),
                unblocked: blocked.bytes().to_vec(),
            })
        }
        AccessEvent::Used(uses) => Wire::TokensUsed(wire::TokensUsed {
            uses: uses
                .iter()
                .map(|(id, time)| wire::tokens_used::Use {
                    token: id.bytes().to_vec(),
                    time_us: time.micros(),
                })
                .collect(),
        }),
    }
}

fn from_wire(event: Wire) -> Result<AccessEvent, DecodeError> {
    Ok(match event {
        Wire::TokenIssued(issued) => AccessEvent::Issued(Box::new(TokenIssued {
            hash: bytes(&issued.hash, "hash").map(TokenHash::from_bytes)?,
            player: bytes(&issued.player, "player").map(PlayerId::from_bytes)?,
            name: IdentityName::recorded(&issued.name).map_err(|_| DecodeError::Field("name"))?,
            scopes: scopes(&issued.scopes)?,
            ttl: issued.life_us.map(Duration::from_micros),
            by: by(&issued.by)?,
            request_id: request(&issued.request_id)?,
        })),
        Wire::TokenRevoked(revoked) => AccessEvent::Revoked {
            id: token(&revoked.token)?,
            by: by(&revoked.by)?,
        },
        Wire::PlayerBlocked(event) => AccessEvent::Blocked {
            player: bytes(&event.player, "player").map(PlayerId::from_bytes)?,
            blocked: bytes(&event.blocked, "blocked").map(PlayerId::from_bytes)?,
        },
        Wire::PlayerUnblocked(event) => AccessEvent::Unblocked {
            player: bytes(&event.player, "player").map(PlayerId::from_bytes)?,
            blocked: bytes(&event.unblocked, "unblocked").map(PlayerId::from_bytes)?,
        },
        Wire::TokensUsed(used) => AccessEvent::Used(
            used.uses
                .into_iter()
                .map(|used| Ok((token(&used.token)?, Timestamp::from_micros(used.time_us))))
                .collect::<Result<_, DecodeError>>()?,
        ),
    })
}

fn scope_to_wire(scope: Scope) -> i32 {
    match scope {
        Scope::Play => wire::TokenScope::Play,
        Scope::Watch => wire::TokenScope::Watch,
        Scope::Create => wire::TokenScope::Create,
        Scope::Admin => wire::TokenScope::Admin,
    }
    .into()
}

fn scopes(numbers: &[i32]) -> Result<Scopes, DecodeError> {
    let scope = |number: &i32| match wire::TokenScope::try_from(*number) {
        Ok(wire::TokenScope::Play) => Ok(Scope::Play),
        Ok(wire::TokenScope::Watch) => Ok(Scope::Watch),
        Ok(wire::TokenScope::Create) => Ok(Scope::Create),
        Ok(wire::TokenScope::Admin) => Ok(Scope::Admin),
        Ok(wire::TokenScope::Unspecified) | Err(_) => Err(DecodeError::Field("scopes")),
    };
    numbers.iter().map(scope).collect()
}

fn bytes<const N: usize>(bytes: &[u8], field: &'static str) -> Result<[u8; N], DecodeError> {
    bytes.try_into().map_err(|_| DecodeError::Field(field))
}

fn token(id: &[u8]) -> Result<TokenId, DecodeError> {
    bytes(id, "token").map(TokenId::from_bytes)
}

fn by_to_wire(player: Option<PlayerId>) -> Vec<u8> {
    player.map_or_else(Vec::new, |player| player.bytes().to_vec())
}

fn by(player: &[u8]) -> Result<Option<PlayerId>, DecodeError> {
    match player {
        [] => Ok(None),
        player => bytes(player, "by").map(PlayerId::from_bytes).map(Some),
    }
}

fn request(text: &str) -> Result<Option<RequestId>, DecodeError> {
    if text.is_empty() {
        return Ok(None);
    }
    RequestId::new(text)
        .map(Some)
        .map_err(|_| DecodeError::Field("request_id"))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
