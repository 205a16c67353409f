use dragontooth_proto::v1;
use tonic::Streaming;

use crate::resuming_stream::opening;
use crate::{Client, ClientError};

/// A stream of chunks of a backup of the event log.
#[derive(Debug)]
pub struct BackupChunks(Streaming<v1::BackupResponse>);

impl Client {
    /// Starts a backup of the service's event log, with a token that has the scope `admin`.
    ///
    /// # Errors
    ///
    /// The token lacks the scope, or the call failed.
    pub async fn backup(&self) -> Result<BackupChunks, ClientError> {
        let request = opening(v1::BackupRequest {});
        let answer = self.admin.clone().backup(request).await?;
        Ok(BackupChunks(answer.into_inner()))
    }
}

impl BackupChunks {
    /// Returns the next chunk; `None` at the end. The backup itself contains what is needed to tell
    /// if it is complete.
    ///
    /// # Errors
    ///
    /// The service cannot continue, or the connection was lost.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let response = self.0.message().await?;
        Ok(response.map(|response| response.chunk))
    }
}
