//! The least a durable log must do: a group of records into a file, one sync, the answers.

use std::{
    fs::File,
    future,
    io::{self, Write},
    path::Path,
    thread,
};

use dragontooth_service_store::{
    Append, AppendError, Close, EventLog, Failed, LogAnswer, MAX_QUEUED_APPENDS, NumberedRecords,
    ReadError, StorageError, StreamId,
};
use dragontooth_service_vocabulary::Sequence;
use futures::FutureExt;
use tokio::sync::{mpsc, oneshot};

type Request = (Vec<Vec<u8>>, oneshot::Sender<Result<(), AppendError>>);

/// Appends without checking anything; never read.
#[derive(Debug)]
pub(crate) struct FileLog {
    queue: mpsc::Sender<Request>,
}

impl FileLog {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::create(path)?;
        let (queue, mut requests) = mpsc::channel::<Request>(MAX_QUEUED_APPENDS);
        thread::spawn(move || {
            let mut group = Vec::new();
            while requests.blocking_recv_many(&mut group, MAX_QUEUED_APPENDS) > 0 {
                let bytes: Vec<u8> = group
                    .iter()
                    .flat_map(|(records, _)| records.concat())
                    .collect();
                let written = file.write_all(&bytes).and_then(|()| file.sync_data());
                let written = written.map_err(|source| {
                    AppendError::Storage(StorageError::new("write the file", source))
                });
                for (_, reply) in group.drain(..) {
                    let _ = reply.send(written.clone());
                }
            }
        });
        Ok(Self { queue })
    }
}

impl EventLog for FileLog {
    fn append(&self, _: StreamId, expected: Sequence, records: Vec<Vec<u8>>) -> Append<'_> {
        Box::pin(async move {
            let head = Sequence(expected.0 + records.len() as u64);
            let (reply, answer) = oneshot::channel();
            self.queue
                .send((records, reply))
                .await
                .map_err(|_| AppendError::Closed)?;
            answer
                .await
                .unwrap_or(Err(AppendError::Closed))
                .map(|()| head)
        })
    }

    fn read(
        &self,
        _: StreamId,
        _: Sequence,
        _: usize,
    ) -> LogAnswer<'_, Result<NumberedRecords, ReadError>> {
        future::ready(Ok(Vec::new())).left_future()
    }

    fn head(&self, _: StreamId) -> LogAnswer<'_, Result<Sequence, ReadError>> {
        future::ready(Ok(Sequence::START)).left_future()
    }

    fn streams(
        &self,
        _: Option<StreamId>,
        _: usize,
    ) -> LogAnswer<'_, Result<Vec<(StreamId, Sequence)>, ReadError>> {
        future::ready(Ok(Vec::new())).left_future()
    }

    fn health(&self) -> Result<(), AppendError> {
        Ok(())
    }

    fn failed(&self) -> Failed<'_> {
        Box::pin(std::future::pending())
    }

    fn close(&self) -> Close<'_> {
        Box::pin(std::future::ready(()))
    }
}
