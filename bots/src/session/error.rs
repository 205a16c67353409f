use std::time::Duration;

use dragontooth_service_client::{ClientError, Code};
use dragontooth_service_vocabulary::MatchId;

/// Error that ends a session early.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A newer stream of the same player has taken over.
    #[error("another program is now playing with the same token")]
    Superseded,
    /// The service does not accept the token.
    #[error("the service refuses the token: {0}")]
    TokenRefused(ClientError),
    /// The connection was lost for longer than the session's patience.
    #[error("no connection for {} s: {source}", patience.as_secs_f32())]
    Lost {
        /// The session's patience.
        patience: Duration,
        /// Error of the last attempt.
        source: ClientError,
    },
    /// The match that the session waits for cannot be played.
    #[error("the match {match_id} cannot be played: {source}")]
    MatchUnavailable {
        /// The match.
        match_id: MatchId,
        /// The reason.
        source: ClientError,
    },
    /// The service refuses to play, or its response cannot be read.
    #[error(transparent)]
    Service(ClientError),
}

/// Returns true if the stream may open again after this failure, or the same question be answered.
pub(super) fn is_passing(failure: &ClientError) -> bool {
    match failure {
        // Proxies before the service return these codes in passing as well.
        ClientError::Failed { code, .. } => {
            failure.is_transient()
                || matches!(code, Code::Internal | Code::Unknown | Code::Cancelled)
        }
        ClientError::Unreachable { .. }
        | ClientError::Tls { .. }
        | ClientError::Setup { .. }
        | ClientError::Identity { .. }
        | ClientError::NoTls(_)
        | ClientError::ClearText(_)
        | ClientError::Refused(_)
        | ClientError::Request(_)
        | ClientError::Response(_) => failure.is_transient(),
    }
}
