use std::{collections::BTreeMap, sync::Arc, vec};

use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::StreamExt;
use sha2::{Digest, Sha256};

use super::{BACKUP_FORMAT, BackupCounts, BackupHeader, DAMAGE, FOOTER, MAGIC, RECORD, STREAM};
use crate::{ChainHead, EventLog, FORMAT_VERSION, MAX_READ_STREAMS, ReadError, StreamId};

/// The bytes of a backup, in chunks that are made as they are taken.
///
/// The backup has each stream up to some moment after it was begun: everything that was acknowledged before,
/// and nothing that is not durable. A stream that is damaged, or whose chain is broken, is left out and
/// named. Appends may continue meanwhile. They end when the storage fails.
#[derive(Debug)]
pub struct Backup {
    log: Arc<dyn EventLog>,
    /// The last of the streams that have been listed, and those of them that are still to come.
    listed: Option<StreamId>,
    streams: vec::IntoIter<StreamId>,
    damaged: BTreeMap<StreamId, Sequence>,
    counts: BackupCounts,
    hash: Sha256,
    stage: WriteStage,
    header: BackupHeader,
}

#[derive(Debug, PartialEq, Eq)]
enum WriteStage {
    Header,
    Streams,
    Damages,
    Done,
}

impl Backup {
    /// A backup of `log` that is begun at `time` by a program of this version.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>, time: Timestamp, program: &str) -> Self {
        let damaged = log.damaged().into_iter();
        Self {
            damaged: damaged.map(|damage| (damage.stream, damage.from)).collect(),
            listed: None,
            streams: Vec::new().into_iter(),
            log,
            counts: BackupCounts::default(),
            hash: Sha256::new(),
            stage: WriteStage::Header,
            header: BackupHeader {
                stored_format: FORMAT_VERSION,
                time,
                program: program.to_owned(),
            },
        }
    }

    /// Number of streams and records taken so far.
    #[must_use]
    pub const fn counts(&self) -> BackupCounts {
        self.counts
    }

    /// The next chunk; `None` after the last.
    ///
    /// # Errors
    ///
    /// The storage has failed; nothing follows.
    pub async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        if self.stage == WriteStage::Done {
            return Ok(None);
        }
        let part = self.part().await;
        if part.is_err() {
            self.stage = WriteStage::Done;
        }
        let mut bytes = part?;
        self.hash.update(&bytes);
        if self.stage == WriteStage::Done {
            bytes.extend_from_slice(&self.hash.clone().finalize());
        }
        Ok(Some(bytes))
    }

    fn header(&self) -> Vec<u8> {
        let program = self.header.program.as_bytes();
        let program = &program[..program.len().min(usize::from(u16::MAX))];
        let len = u16::try_from(program.len()).expect("it was cut to this");
        [
            &MAGIC[..],
            &BACKUP_FORMAT.to_be_bytes(),
            &self.header.stored_format.to_be_bytes(),
            &self.header.time.micros().to_be_bytes(),
            &len.to_be_bytes(),
            program,
        ]
        .concat()
    }

    async fn next_stream(&mut self) -> Result<Option<StreamId>, ReadError> {
        if self.streams.len() == 0 {
            let page = self.log.streams(self.listed, MAX_READ_STREAMS).await?;
            let ids: Vec<_> = page.into_iter().map(|(stream, _)| stream).collect();
            self.listed = ids.last().copied().or(self.listed);
            self.streams = ids.into_iter();
        }
        Ok(self.streams.next())
    }

    /// A stream with its records, or nothing if it is damaged, which is noted.
    async fn stream(&mut self, stream: StreamId) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![STREAM];
        bytes.extend_from_slice(&stream.0);
        let mut head = ChainHead::start(stream);
        let log = Arc::clone(&self.log);
        let mut records = log.records(stream, Sequence::START);
        while let Some(record) = records.next().await {
            let record = match record {
                Ok((_, record)) => record,
                Err(error @ ReadError::Storage(_)) => return Err(error),
                Err(ReadError::Gap { .. } | ReadError::Damaged(_) | ReadError::Key { .. }) => {
                    return Ok(self.left_out(stream, head));
                }
            };
            if head.follow(&record).is_err() {
                return Ok(self.left_out(stream, head));
            }
            bytes.push(RECORD);
            let len = u32::try_from(record.len()).expect("a record is within its limit");
            bytes.extend_from_slice(&len.to_be_bytes());
            bytes.extend_from_slice(&record);
        }
        self.counts.streams += 1;
        self.counts.records += head.sequence.0;
        Ok(bytes)
    }

    fn left_out(&mut self, stream: StreamId, head: ChainHead) -> Vec<u8> {
        let from = head.sequence.checked_add(1).unwrap_or(Sequence::MAX);
        self.damaged.insert(stream, from);
        Vec::new()
    }

    fn damages(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (stream, from) in &self.damaged {
            self.counts.damaged += 1;
            bytes.push(DAMAGE);
            bytes.extend_from_slice(&stream.0);
            bytes.extend_from_slice(&from.0.to_be_bytes());
        }
        bytes.push(FOOTER);
        bytes.extend_from_slice(&self.counts.streams.to_be_bytes());
        bytes.extend_from_slice(&self.counts.records.to_be_bytes());
        bytes.extend_from_slice(&self.counts.damaged.to_be_bytes());
        bytes
    }

    async fn part(&mut self) -> Result<Vec<u8>, ReadError> {
        match self.stage {
            WriteStage::Header => {
                self.stage = WriteStage::Streams;
                Ok(self.header())
            }
            WriteStage::Streams => {
                if let Some(stream) = self.next_stream().await? {
                    return self.stream(stream).await;
                }
                self.stage = WriteStage::Damages;
                Ok(Vec::new())
            }
            WriteStage::Damages | WriteStage::Done => {
                self.stage = WriteStage::Done;
                Ok(self.damages())
            }
        }
    }
}
