use dragontooth_service_domain::access::TokenState;
use dragontooth_service_vocabulary::{NewToken, Timestamp, TokenStanding};

use super::arguments::Create;
use super::failure::TokenCommandError;
use super::shown::{Issued, Shown};
use crate::OfflineTokens;
use crate::cli::log_location::OfflineLog;

/// Issues a token in a folder or a database.
pub(super) async fn create(
    place: &OfflineLog,
    create: &Create,
) -> Result<Issued, TokenCommandError> {
    let new = NewToken {
        name: create.name.clone(),
        scopes: create.scopes.iter().copied().collect(),
        ttl: create.ttl,
        request_id: None,
    };
    let tokens = match place {
        OfflineLog::Folder(folder) => OfflineTokens::open(folder).await?,
        OfflineLog::Postgres(options) => OfflineTokens::open_postgres(options).await?,
    };
    let issued = tokens.issue(new).await;
    let issued = issued.map(|(token, secret)| Issued {
        token: shown(&tokens, &token),
        secret,
    });
    tokens.close().await;
    Ok(issued?)
}

/// Lists the tokens in a folder or a database.
pub(super) async fn list(place: &OfflineLog) -> Result<Vec<Shown>, TokenCommandError> {
    let tokens = open_existing(place).await?;
    let list = tokens.list();
    let list = list.iter().map(|token| shown(&tokens, token)).collect();
    tokens.close().await;
    Ok(list)
}

/// Revokes a token in a folder or a database.
pub(super) async fn revoke(place: &OfflineLog, id: &str) -> Result<Shown, TokenCommandError> {
    let id = id.parse().map_err(TokenCommandError::Id)?;
    let tokens = open_existing(place).await?;
    let revoked = tokens.revoke(id).await;
    let revoked = revoked.map(|token| shown(&tokens, &token));
    tokens.close().await;
    Ok(revoked?)
}

/// Opens the tokens of a log that is there: a mistyped one must not look like one without tokens.
async fn open_existing(place: &OfflineLog) -> Result<OfflineTokens, TokenCommandError> {
    Ok(OfflineTokens::of(place.open().await?).await?)
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
