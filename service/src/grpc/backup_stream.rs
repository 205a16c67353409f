//! A backup on its way to an operator, from both ends.

use std::io::{self, Write};
use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_proto::v1::admin_service_client::AdminServiceClient;
use dragontooth_service_store::Backup;
use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;
use tonic::{Request, Status};
use tracing::{error, info};

use crate::matches::Matches;

/// Chunks that wait for the reader; the log is read no faster than they are taken.
const WAITING_CHUNKS: usize = 4;

/// The most bytes in a chunk.
const CHUNK_BYTES: usize = 256 * 1024;

/// The chunks of a backup of the log. It is read on a thread of its own, which ends with the stream.
pub(super) fn open(
    matches: &Arc<Matches>,
) -> BoxStream<'static, Result<wire::BackupResponse, Status>> {
    let (sender, receiver) = mpsc::channel(WAITING_CHUNKS);
    let backup = Backup::new(
        matches.log().event_log(),
        matches.now(),
        env!("CARGO_PKG_VERSION"),
    );
    tokio::task::spawn_blocking(move || send(backup, &sender));
    stream::unfold(receiver, |mut receiver| async {
        let chunk = receiver.recv().await?;
        Some((chunk, receiver))
    })
    .boxed()
}

fn send(mut backup: Backup, sender: &mpsc::Sender<Result<wire::BackupResponse, Status>>) {
    let mut waiting = Vec::new();
    loop {
        let is_end = match backup.next() {
            Some(Ok(bytes)) => {
                waiting.extend_from_slice(&bytes);
                false
            }
            Some(Err(error)) => {
                error!(%error, "the backup cannot go on");
                // A reader that has gone away needs no reason.
                let _ = sender.blocking_send(Err(Status::data_loss(error.to_string())));
                return;
            }
            None => true,
        };
        while waiting.len() >= CHUNK_BYTES || is_end && !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(CHUNK_BYTES));
            let chunk = std::mem::replace(&mut waiting, rest);
            if sender
                .blocking_send(Ok(wire::BackupResponse { chunk }))
                .is_err()
            {
                return;
            }
        }
        if is_end {
            let counts = backup.counts();
            info!(
                streams = counts.streams,
                records = counts.records,
                damaged = counts.damaged,
                "backup sent"
            );
            return;
        }
    }
}

/// Why a backup cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// The address is none, or nobody is there.
    #[error("cannot reach the service")]
    Connect(#[from] tonic::transport::Error),
    /// The token cannot be sent.
    #[error("the token has characters that none has")]
    Token(#[from] tonic::metadata::errors::InvalidMetadataValue),
    /// The service refuses, or the connection broke.
    #[error("the service does not send the backup: {}", .0.message())]
    Refused(Status),
    /// The bytes cannot be written.
    #[error("cannot write the backup")]
    Write(#[from] io::Error),
}

/// Has a running service send a backup.
pub(crate) async fn fetch(
    address: String,
    token: &str,
    output: &mut impl Write,
) -> Result<(), FetchError> {
    let channel = Endpoint::from_shared(address)?.connect().await?;
    let mut request = Request::new(wire::BackupRequest {});
    let bearer: MetadataValue<Ascii> = format!("Bearer {token}").parse()?;
    request.metadata_mut().insert("authorization", bearer);
    let answer = AdminServiceClient::new(channel).backup(request).await;
    let mut chunks = answer.map_err(FetchError::Refused)?.into_inner();
    while let Some(response) = chunks.message().await.map_err(FetchError::Refused)? {
        output.write_all(&response.chunk)?;
    }
    Ok(())
}
