use std::path::Path;

use dragontooth_service_domain::access::TokenState;
use dragontooth_service_vocabulary::{NewToken, Timestamp, TokenStanding};

use super::arguments::Create;
use super::failure::TokenCommandError;
use super::shown::{Issued, Shown};
use crate::OfflineTokens;

/// Issues a token in a folder.
pub(super) async fn create(folder: &Path, create: &Create) -> Result<Issued, TokenCommandError> {
    let new = NewToken {
        name: create.name.clone(),
        scopes: create.scopes.iter().copied().collect(),
        life: create.life,
        request_id: None,
    };
    let tokens = OfflineTokens::open(folder).await?;
    let issued = tokens.issue(new).await;
    let issued = issued.map(|(token, secret)| Issued {
        token: shown(&tokens, &token),
        secret,
    });
    tokens.close().await;
    Ok(issued?)
}

/// Lists the tokens in a folder.
pub(super) async fn list(folder: &Path) -> Result<Vec<Shown>, TokenCommandError> {
    let tokens = open_existing(folder).await?;
    let list = tokens.list();
    let list = list.iter().map(|token| shown(&tokens, token)).collect();
    tokens.close().await;
    Ok(list)
}

/// Revokes a token in a folder.
pub(super) async fn revoke(folder: &Path, id: &str) -> Result<Shown, TokenCommandError> {
    let id = id.parse().map_err(TokenCommandError::Id)?;
    let tokens = open_existing(folder).await?;
    let revoked = tokens.revoke(id).await;
    let revoked = revoked.map(|token| shown(&tokens, &token));
    tokens.close().await;
    Ok(revoked?)
}

/// Opens the tokens of a folder that is there: a mistyped one must not look like one without tokens.
async fn open_existing(folder: &Path) -> Result<OfflineTokens, TokenCommandError> {
    if folder.is_dir() {
        Ok(OfflineTokens::open(folder).await?)
    } else {
        Err(TokenCommandError::Missing(folder.to_owned()))
    }
}

fn shown(tokens: &OfflineTokens, token: &TokenState) -> Shown {
    Shown {
        id: token.id().to_string(),
        player: token.player.to_string(),
        name: token.name.to_string(),
        scopes: token.scopes.iter().map(|scope| scope.to_string()).collect(),
        state: match tokens.standing(token) {
            TokenStanding::Live => "live",
            TokenStanding::Expired => "expired",
            TokenStanding::Revoked => "revoked",
        },
        created: time(token.issued),
        expires: token.expires().map(time),
        revoked: token.revoked.map(time),
        last_used: token.last_used.map(time),
    }
}

fn time(time: Timestamp) -> std::time::SystemTime {
    std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_micros(time.micros())
}
