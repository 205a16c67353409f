use dragontooth_proto::v1;
use tonic::{Request, Streaming};

use crate::{Client, ClientError};

/// A backup of a service's event log, as it comes.
#[derive(Debug)]
pub struct BackupChunks(Streaming<v1::BackupResponse>);

impl Client {
    /// Has the service send a backup of its event log, with a token that has the scope `admin`.
    ///
    /// # Errors
    ///
    /// The token lacks the scope, or the call failed.
    pub async fn backup(&self) -> Result<BackupChunks, ClientError> {
        let request = Request::new(v1::BackupRequest {});
        let answer = self.admin.clone().backup(request).await;
        let answer = answer.map_err(ClientError::from_status)?;
        Ok(BackupChunks(answer.into_inner()))
    }
}

impl BackupChunks {
    /// The next bytes; none at the end. Whether the whole is whole, the bytes say themselves.
    ///
    /// # Errors
    ///
    /// The service cannot go on, or the connection broke.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let response = self.0.message().await.map_err(ClientError::from_status)?;
        Ok(response.map(|response| response.chunk))
    }
}
