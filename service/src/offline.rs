use std::path::Path;
use std::sync::Arc;

use dragontooth_service_domain::access::TokenState;
use dragontooth_service_postgres::{PostgresError, PostgresLog, PostgresOptions};
use dragontooth_service_store::{EventLog, OpenError, SledLog, TokenLog, TokenLogError};
use dragontooth_service_vocabulary::TokenStanding;
use dragontooth_service_vocabulary::{NewToken, TokenId};

use crate::access::{TokenFault, Tokens};
use crate::wall_clock::WallClock;

/// The tokens in the data folder of a service that does not run: how the first one is issued.
#[derive(Debug)]
pub struct OfflineTokens {
    log: Arc<dyn EventLog>,
    tokens: Arc<Tokens>,
}

/// The reason why the tokens in a folder cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum OfflineError {
    /// The event log cannot be opened. While a service runs, it alone has it.
    #[error("cannot open the event log")]
    Open(#[from] OpenError),
    /// The event log on PostgreSQL cannot be opened.
    #[error("cannot open the event log")]
    OpenPostgres(#[from] PostgresError),
    /// The tokens cannot be read.
    #[error("cannot read the tokens")]
    Read(#[from] TokenLogError),
    /// The request is refused, or cannot be recorded.
    #[error("{0}")]
    Refused(String),
}

impl From<TokenFault> for OfflineError {
    fn from(fault: TokenFault) -> Self {
        Self::Refused(fault.to_string())
    }
}

impl OfflineTokens {
    /// Opens the event log in `folder`, which is made if it does not exist.
    ///
    /// # Errors
    ///
    /// The log is in use or damaged.
    pub async fn open(folder: &Path) -> Result<Self, OfflineError> {
        Self::of(Arc::new(SledLog::open(folder)?)).await
    }

    /// Opens the event log in a database, which is made there if there is none. Tables of an older format stay as they are.
    ///
    /// # Errors
    ///
    /// The log is in use, or the database cannot be used.
    pub async fn open_postgres(options: &PostgresOptions) -> Result<Self, OfflineError> {
        Self::of(Arc::new(PostgresLog::open_unchanged(options).await?)).await
    }

    /// The tokens in an open log.
    pub(crate) async fn of(log: Arc<dyn EventLog>) -> Result<Self, OfflineError> {
        let tokens = Tokens::open(TokenLog::new(Arc::clone(&log)), WallClock::start()).await?;
        Ok(Self { log, tokens })
    }

    /// Issues a token; returns it with its secret, which cannot be shown again.
    ///
    /// # Errors
    ///
    /// It is refused, or the log cannot be written.
    pub async fn issue(&self, new: NewToken) -> Result<(TokenState, String), OfflineError> {
        let issued = self.tokens.issue(new, None).await?;
        Ok((issued.token, issued.secret.reveal().to_owned()))
    }

    /// Revokes a token.
    ///
    /// # Errors
    ///
    /// The token does not exist, or the log cannot be written.
    pub async fn revoke(&self, id: TokenId) -> Result<TokenState, OfflineError> {
        Ok(self.tokens.revoke(id, None).await?)
    }

    /// All tokens, in the order of their ids.
    #[must_use]
    pub fn list(&self) -> Vec<TokenState> {
        self.tokens.list(None, usize::MAX).0
    }

    /// The standing of a token at this moment.
    #[must_use]
    pub fn standing(&self, token: &TokenState) -> TokenStanding {
        self.tokens.standing(token)
    }

    /// Lets go of the log.
    pub async fn close(self) {
        self.tokens.close().await;
        self.log.close().await;
    }
}
