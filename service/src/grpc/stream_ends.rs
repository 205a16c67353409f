use dragontooth_service_vocabulary::CloseReason;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::fault::Fault;
use crate::access::TokenWatch;

/// The conditions that end the stream of a caller, independent of its content.
#[derive(Clone, Debug)]
pub(super) struct StreamEnds {
    /// The end of the token that opened it.
    pub(super) token: TokenWatch,
    /// Cancelled when its connection is as old as it may become.
    pub(super) connection_aged: CancellationToken,
}

impl StreamEnds {
    /// Returns the reason why it ends, if it is to end at once.
    pub(super) fn reached(&self) -> Option<CloseReason> {
        if self.token.has_ended() {
            Some(CloseReason::TokenEnded)
        } else if self.connection_aged.is_cancelled() {
            Some(CloseReason::ConnectionAged)
        } else {
            None
        }
    }

    /// Waits until it has to end, and returns the reason.
    pub(super) async fn reason(&self) -> CloseReason {
        tokio::select! {
            _ = self.token.ended() => CloseReason::TokenEnded,
            () = self.connection_aged.cancelled() => CloseReason::ConnectionAged,
        }
    }

    /// Waits until it has to end, and returns the status that explains it, for a stream without a message that does.
    pub(super) async fn status(&self) -> Status {
        tokio::select! {
            error = self.token.ended() => Fault::from(error).into(),
            () = self.connection_aged.cancelled() => {
                Status::unavailable("the connection has reached its maximum age")
            }
        }
    }
}
