use dragontooth_proto::v1;
use dragontooth_service_vocabulary::Scope;
use dragontooth_service_wire::{scope, token_standing};

use super::Field;
use super::fields::{filled, player_id, time};
use crate::invalid_response::{FieldFault, InvalidResponse};
use crate::{Identity, IssuedToken, Token, TokenView};

/// Converts the identity of the caller.
pub(crate) fn identity(wire: v1::WhoAmIResponse) -> Result<Identity, InvalidResponse> {
    Ok(Identity {
        player: player_id(&wire.player_id)?,
        scopes: scopes(&wire.scopes)?,
        expires: wire
            .expire_time
            .map(|end| time(Some(end), "expire_time"))
            .transpose()?,
        name: filled(wire.name),
        token_id: filled(wire.token_id),
    })
}

/// Converts an issued token.
pub(crate) fn issued_token(wire: v1::CreateTokenResponse) -> Result<IssuedToken, InvalidResponse> {
    let secret = Token::new(wire.secret)
        .map_err(|error| InvalidResponse::new("secret", FieldFault::Id(error.to_string())))?;
    Ok(IssuedToken {
        view: token_view(wire.token)?,
        secret,
    })
}

/// Converts a token.
pub(crate) fn token_view(wire: Option<v1::Token>) -> Result<TokenView, InvalidResponse> {
    let wire = wire.ok_or_else(|| InvalidResponse::missing("token"))?;
    read(wire).within("token")
}

fn read(wire: v1::Token) -> Result<TokenView, InvalidResponse> {
    let optional = |at: Option<prost_types::Timestamp>, field: &str| {
        at.map(|at| time(Some(at), field)).transpose()
    };
    Ok(TokenView {
        player: player_id(&wire.player_id)?,
        scopes: scopes(&wire.scopes)?,
        state: token_standing::from_proto(wire.state)
            .ok()
            .flatten()
            .ok_or_else(|| InvalidResponse::new("state", FieldFault::UnknownNumber(wire.state)))?,
        created: time(wire.create_time, "create_time")?,
        expires: optional(wire.expire_time, "expire_time")?,
        revoked: optional(wire.revoke_time, "revoke_time")?,
        last_used: optional(wire.last_use_time, "last_use_time")?,
        id: wire.id,
        name: wire.name,
    })
}

/// Returns the known scopes; unknown ones allow nothing that this client asks for.
fn scopes(numbers: &[i32]) -> Result<Vec<Scope>, InvalidResponse> {
    let scope = |number: &i32| match scope::from_proto(*number) {
        Ok(Some(scope)) => Some(Ok(scope)),
        Ok(None) => {
            let fault = FieldFault::UnknownNumber(*number);
            Some(Err(InvalidResponse::new("scopes", fault)))
        }
        Err(_) => None,
    };
    numbers.iter().filter_map(scope).collect()
}
