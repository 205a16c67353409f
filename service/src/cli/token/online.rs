use dragontooth_service_client::{NewToken, TokenState, TokenView, random_request_id};

use super::arguments::Create;
use super::failure::Failure;
use super::shown::{Issued, Shown};
use crate::cli::place::Place;

/// Has a service issue a token.
pub(super) async fn create(create: &Create) -> Result<Issued, Failure> {
    let new = NewToken {
        name: create.name.clone(),
        scopes: create.scopes.clone(),
        life: create.life,
        request_id: Some(random_request_id()),
    };
    let issued = create.place.connect().await?.create_token(new).await?;
    Ok(Issued {
        token: shown(issued.view),
        secret: issued.secret.reveal().to_owned(),
    })
}

/// Lists the tokens of a service.
pub(super) async fn list(place: &Place) -> Result<Vec<Shown>, Failure> {
    let client = place.connect().await?;
    let mut tokens = Vec::new();
    let mut next = None;
    loop {
        let page = client.list_tokens(next).await?;
        tokens.extend(page.items.into_iter().map(shown));
        next = page.next;
        if next.is_none() {
            return Ok(tokens);
        }
    }
}

/// Has a service revoke a token.
pub(super) async fn revoke(place: &Place, id: &str) -> Result<Shown, Failure> {
    Ok(shown(place.connect().await?.revoke_token(id).await?))
}

fn shown(view: TokenView) -> Shown {
    Shown {
        id: view.id,
        player: view.player.to_string(),
        name: view.name,
        scopes: view.scopes.iter().map(ToString::to_string).collect(),
        state: match view.state {
            TokenState::Live => "live",
            TokenState::Expired => "expired",
            TokenState::Revoked => "revoked",
        },
        created: view.created,
        expires: view.expires,
        revoked: view.revoked,
        last_used: view.last_used,
    }
}
