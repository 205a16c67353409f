use std::{collections::BTreeMap, sync::Arc};

use dragontooth_service_vocabulary::{Sequence, Timestamp};
use sha2::{Digest, Sha256};

use super::{BACKUP_FORMAT, BackupCounts, BackupHeader, DAMAGE, FOOTER, MAGIC, RECORD, STREAM};
use crate::{ChainHead, EventLog, FORMAT_VERSION, ReadError, StreamId, scan::OwnedStreams};

/// An iterator over the bytes of a backup, in chunks that are made as they are taken.
///
/// The backup has each stream up to some moment after it was begun: everything that was acknowledged before,
/// and nothing that is not durable. A stream that is damaged, or whose chain is broken, is left out and
/// named. Appends may continue meanwhile. If the storage fails, the iterator ends with an error.
#[derive(Debug)]
pub struct Backup {
    log: Arc<dyn EventLog>,
    streams: OwnedStreams,
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
            streams: OwnedStreams::new(Arc::clone(&log)),
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

    /// A stream with its records, or nothing if it is damaged, which is noted.
    fn stream(&mut self, stream: StreamId) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![STREAM];
        bytes.extend_from_slice(&stream.0);
        let mut head = ChainHead::start(stream);
        for record in self.log.records(stream, Sequence::START) {
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
}

impl Iterator for Backup {
    type Item = Result<Vec<u8>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = match self.stage {
            WriteStage::Header => {
                self.stage = WriteStage::Streams;
                self.header()
            }
            WriteStage::Streams => match self.streams.next().map(|next| self.stream(next?)) {
                Some(Ok(bytes)) => bytes,
                Some(Err(error)) => {
                    self.stage = WriteStage::Done;
                    return Some(Err(error));
                }
                None => {
                    self.stage = WriteStage::Damages;
                    Vec::new()
                }
            },
            WriteStage::Damages => {
                self.stage = WriteStage::Done;
                self.damages()
            }
            WriteStage::Done => return None,
        };
        self.hash.update(&bytes);
        if self.stage == WriteStage::Done {
            bytes.extend_from_slice(&self.hash.clone().finalize());
        }
        Some(Ok(bytes))
    }
}
