//! The backup file: every stream of a log up to a moment, with the counts and the hash that show a missing or
//! changed part.
//!
//! ```text
//! header   "DTBACKUP", the format of the file, the format of the stored records (4 bytes each),
//!          the time in microseconds since the epoch (8 bytes), the length (2 bytes) and the text of the
//!          version of the program
//! stream   "S", the stream's id (16 bytes); its records follow
//! record   "R", the length (4 bytes), the bytes as they are stored
//! damage   "D", the id of a stream that is damaged and left out, its first damaged sequence (8 bytes)
//! footer   "E", the numbers of streams, records and damages (8 bytes each), the SHA-256 of all
//!          bytes of the file before it
//! ```
//!
//! Numbers are big-endian. The footer ends the file.

mod read;
mod write;

pub use self::{
    read::{BackupError, BackupPart, BackupReader},
    write::Backup,
};
use dragontooth_service_vocabulary::Timestamp;

/// The first bytes of every backup.
const MAGIC: [u8; 8] = *b"DTBACKUP";

/// The format of the file that is written and read.
pub const BACKUP_FORMAT: u32 = 1;

const STREAM: u8 = b'S';
const RECORD: u8 = b'R';
const DAMAGE: u8 = b'D';
const FOOTER: u8 = b'E';

/// The header of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupHeader {
    /// The format of the stored records: see [`FORMAT_VERSION`](crate::FORMAT_VERSION).
    pub stored_format: u32,
    /// The moment at which the backup was begun.
    pub time: Timestamp,
    /// The version of the program that made it.
    pub program: String,
}

/// Number of streams and records in a backup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackupCounts {
    /// The streams that are in it.
    pub streams: u64,
    /// Their records.
    pub records: u64,
    /// The streams that are damaged and not in it.
    pub damaged: u64,
}
