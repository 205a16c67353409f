//! A backup on its way to an operator.

use std::sync::Arc;

use dragontooth_proto::v1 as wire;
use dragontooth_service_store::{Backup, ReadError};
use futures::stream::{self, BoxStream, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tonic::Status;
use tracing::{error, info};

use super::fault::Fault;
use super::stream_ends::StreamEnds;
use crate::matches::{Matches, Refusal};

/// Chunks that wait for the reader; the log is read no faster than they are taken.
const WAITING_CHUNKS: usize = 4;

/// The most bytes in a chunk.
const CHUNK_BYTES: usize = 256 * 1024;

/// The chunks of a backup of the log. A separate thread, which ends with the stream, reads it.
pub(super) fn open(
    matches: &Arc<Matches>,
    ends: StreamEnds,
) -> BoxStream<'static, Result<wire::BackupResponse, Status>> {
    let (sender, receiver) = mpsc::channel(WAITING_CHUNKS);
    let backup = Backup::new(
        matches.log().event_log(),
        matches.now(),
        env!("CARGO_PKG_VERSION"),
    );
    tokio::task::spawn_blocking(move || Handle::current().block_on(send(backup, sender)));
    let draining = matches.draining().clone();
    let open = (receiver, ends, draining);
    stream::unfold(Some(open), |open| async {
        let (mut receiver, ends, draining) = open?;
        let ended = tokio::select! {
            biased;
            () = draining.cancelled() => Fault::from(Refusal::Draining).into(),
            status = ends.status() => status,
            chunk = receiver.recv() => return Some((chunk?, Some((receiver, ends, draining)))),
        };
        Some((Err(ended), None))
    })
    .boxed()
}

async fn send(mut backup: Backup, sender: mpsc::Sender<Result<wire::BackupResponse, Status>>) {
    let mut waiting = Vec::new();
    loop {
        let is_end = match backup.next_chunk().await {
            Ok(Some(bytes)) => {
                waiting.extend_from_slice(&bytes);
                false
            }
            Err(error) => {
                error!(%error, "the backup cannot continue");
                // A reader that has gone away needs no reason.
                let _ = sender.send(Err(ended_by(&error))).await;
                return;
            }
            Ok(None) => true,
        };
        while waiting.len() >= CHUNK_BYTES || is_end && !waiting.is_empty() {
            let rest = waiting.split_off(waiting.len().min(CHUNK_BYTES));
            let chunk = std::mem::replace(&mut waiting, rest);
            let sent = sender.send(Ok(wire::BackupResponse { chunk })).await;
            if sent.is_err() {
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

/// The status that ends a backup that cannot continue.
fn ended_by(error: &ReadError) -> Status {
    match error {
        ReadError::Storage(_) => Fault::from(Refusal::LogUnavailable(error.to_string())).into(),
        ReadError::Gap { .. } | ReadError::Damaged(_) | ReadError::Key { .. } => {
            Status::data_loss(error.to_string())
        }
    }
}
