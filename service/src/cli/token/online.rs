use dragontooth_service_client::{TokenView, random_request_id};
use dragontooth_service_vocabulary::{NewToken, TokenStanding};

use super::arguments::Create;
use super::failure::TokenCommandError;
use super::shown::{Issued, Shown};
use crate::cli::log_location::LogLocation;

/// Has a service issue a token.
pub(super) async fn create(create: &Create) -> Result<Issued, TokenCommandError> {
    let new = NewToken {
        name: create.name.clone(),
        scopes: create.scopes.iter().copied().collect(),
        ttl: create.ttl,
        request_id: Some(random_request_id()),
    };
    let issued = create.location.connect().await?.create_token(new).await?;
    Ok(Issued {
        token: shown(issued.view),
        secret: issued.secret.reveal().to_owned(),
    })
}

/// Lists the tokens of a service.
pub(super) async fn list(location: &LogLocation) -> Result<Vec<Shown>, TokenCommandError> {
    let client = location.connect().await?;
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
pub(super) async fn revoke(location: &LogLocation, id: &str) -> Result<Shown, TokenCommandError> {
    Ok(shown(location.connect().await?.revoke_token(id).await?))
}

fn shown(view: TokenView) -> Shown {
    Shown {
        id: view.id,
        player: view.player.to_string(),
        name: view.name,
        scopes: view.scopes.iter().map(ToString::to_string).collect(),
        state: match view.state {
            TokenStanding::Live => "live",
            TokenStanding::Expired => "expired",
            TokenStanding::Revoked => "revoked",
        },
        created: view.created,
        expires: view.expires,
        revoked: view.revoked,
        last_used: view.last_used,
    }
}
