use std::io::{self, Read};

use dragontooth_service_vocabulary::{Sequence, Timestamp};
use sha2::{Digest, Sha256};

use super::{BACKUP_FORMAT, BackupCounts, BackupHeader, DAMAGE, FOOTER, MAGIC, RECORD, STREAM};
use crate::{ChainError, ChainHead, FORMAT_VERSION, MAX_RECORD_BYTES, StreamId};

/// A part of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupPart {
    /// A stream begins.
    Stream(StreamId),
    /// The next record of the stream, which follows from those before it.
    Record(Vec<u8>),
    /// A stream that is damaged from a sequence on and not in the backup.
    Damaged(StreamId, Sequence),
}

/// A file is not a backup, or not a whole one.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It cannot be read.
    #[error("the backup cannot be read")]
    Read(#[source] io::Error),
    /// It is a pipe, a folder or a device. A backup is read twice.
    #[error("the backup is not a regular file; write it to one first")]
    NotAFile,
    /// It does not begin like one.
    #[error("the file is not a backup of an event log")]
    Foreign,
    /// A newer program wrote it.
    #[error("the backup has format {found}, this version knows up to {known}; use a newer one")]
    Newer {
        /// The format of the backup or of its records.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// It ends too early.
    #[error("the end of the backup is missing")]
    Cut,
    /// Something in it is not what was written.
    #[error("the backup has been changed: {0}")]
    Changed(&'static str),
    /// A record does not follow from those before it.
    #[error("the backup has been changed: record {sequence} of stream {stream} breaks the chain")]
    Chain {
        /// The stream.
        stream: StreamId,
        /// The record.
        sequence: Sequence,
        /// In what way.
        source: ChainError,
    },
}

impl From<io::Error> for BackupError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::Cut
        } else {
            Self::Read(error)
        }
    }
}

/// Reads a backup part by part. It is known to be whole and unchanged only once
/// [`next_part`](Self::next_part) has returned `None`.
#[derive(Debug)]
pub struct BackupReader<R> {
    input: R,
    hash: Sha256,
    header: BackupHeader,
    counts: BackupCounts,
    head: Option<(StreamId, ChainHead)>,
}

impl<R: Read> BackupReader<R> {
    /// Begins to read.
    ///
    /// # Errors
    ///
    /// It does not begin like a backup that this version knows.
    pub fn new(mut input: R) -> Result<Self, BackupError> {
        let mut hash = Sha256::new();
        let mut take = |length: usize| take(&mut input, &mut hash, length);
        if take(MAGIC.len())? != MAGIC {
            return Err(BackupError::Foreign);
        }
        let format = number_4(&take(4)?);
        let stored_format = number_4(&take(4)?);
        for (found, known) in [(format, BACKUP_FORMAT), (stored_format, FORMAT_VERSION)] {
            if found > known {
                return Err(BackupError::Newer { found, known });
            }
        }
        let time = Timestamp::from_micros(number_8(&take(8)?));
        let length = take(2)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let program = String::from_utf8_lossy(&take(length)?).into_owned();
        Ok(Self {
            input,
            hash,
            header: BackupHeader {
                stored_format,
                time,
                program,
            },
            counts: BackupCounts::default(),
            head: None,
        })
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &BackupHeader {
        &self.header
    }

    /// Number of streams and records read so far.
    #[must_use]
    pub const fn counts(&self) -> BackupCounts {
        self.counts
    }

    /// The next part; none after the last, when the footer fits to all of them.
    ///
    /// # Errors
    ///
    /// The backup is cut or has been changed; it is not to be read any further.
    pub fn next_part(&mut self) -> Result<Option<BackupPart>, BackupError> {
        match self.take(1)?[0] {
            STREAM => {
                let stream = self.stream_id()?;
                self.counts.streams += 1;
                self.head = Some((stream, ChainHead::start(stream)));
                Ok(Some(BackupPart::Stream(stream)))
            }
            RECORD => {
                let length = usize::try_from(number_4(&self.take(4)?)).unwrap_or(usize::MAX);
                if length > MAX_RECORD_BYTES {
                    return Err(BackupError::Changed("a record is too long"));
                }
                let record = self.take(length)?;
                let Some((stream, head)) = &mut self.head else {
                    return Err(BackupError::Changed("a record belongs to no stream"));
                };
                head.follow(&record).map_err(|source| BackupError::Chain {
                    stream: *stream,
                    sequence: head.sequence.checked_add(1).unwrap_or(Sequence::MAX),
                    source,
                })?;
                self.counts.records += 1;
                Ok(Some(BackupPart::Record(record)))
            }
            DAMAGE => {
                let stream = self.stream_id()?;
                let from = Sequence(number_8(&self.take(8)?));
                self.counts.damaged += 1;
                Ok(Some(BackupPart::Damaged(stream, from)))
            }
            FOOTER => self.footer().map(|()| None),
            _ => Err(BackupError::Changed("a part is of no known kind")),
        }
    }

    fn footer(&mut self) -> Result<(), BackupError> {
        let counts = BackupCounts {
            streams: number_8(&self.take(8)?),
            records: number_8(&self.take(8)?),
            damaged: number_8(&self.take(8)?),
        };
        let computed = self.hash.clone().finalize();
        let stored = self.take(computed.len())?;
        if stored != computed.as_slice() {
            return Err(BackupError::Changed("its check sum is another"));
        }
        if counts != self.counts {
            return Err(BackupError::Changed("its counts are others"));
        }
        let mut rest = [0];
        if self.input.read(&mut rest)? > 0 {
            return Err(BackupError::Changed("something follows its end"));
        }
        Ok(())
    }

    fn stream_id(&mut self) -> Result<StreamId, BackupError> {
        let bytes = self.take(16)?;
        Ok(StreamId(std::array::from_fn(|at| bytes[at])))
    }

    fn take(&mut self, length: usize) -> Result<Vec<u8>, BackupError> {
        take(&mut self.input, &mut self.hash, length)
    }
}

fn take(input: &mut impl Read, hash: &mut Sha256, length: usize) -> Result<Vec<u8>, BackupError> {
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    hash.update(&bytes);
    Ok(bytes)
}

fn number_4(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn number_8(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
