use std::time::Duration;

use dragontooth_service_client::ClientError;
use dragontooth_service_vocabulary::MatchId;

/// Why a session ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A newer stream of the same player has taken over.
    #[error("another program is now playing with the same token")]
    Superseded,
    /// The service knows no player of this token.
    #[error("the service refuses the token: {0}")]
    TokenRefused(ClientError),
    /// There was no connection for longer than the session's patience.
    #[error("no connection for {} s: {source}", patience.as_secs_f32())]
    Lost {
        /// The session's patience.
        patience: Duration,
        /// Why the last try failed.
        source: ClientError,
    },
    /// The match that the session waits for cannot be played.
    #[error("the match {match_id} cannot be played: {source}")]
    MatchUnavailable {
        /// The match.
        match_id: MatchId,
        /// Why.
        source: ClientError,
    },
    /// The service refuses to play, or cannot be understood.
    #[error(transparent)]
    Service(ClientError),
}
