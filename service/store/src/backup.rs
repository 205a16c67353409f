//! The file of a backup: every stream of a log up to a moment, with what is needed to see that nothing
//! of it is missing or changed.
//!
//! ```text
//! header   "DTBACKUP", the format of the file, the format of the stored records (4 bytes each),
//!          the time in microseconds since the epoch (8 bytes), the length (2 bytes) and the text of the
//!          version of the program
//! stream   "S", the stream's id (16 bytes); its records follow
//! record   "R", the length (4 bytes), the bytes as they are stored
//! damage   "D", the id of a stream that is damaged and left out, its first damaged sequence (8 bytes)
//! footer   "E", how many streams, records and damages there are (8 bytes each), the SHA-256 of all
//!          bytes of the file before it
//! ```
//!
//! Numbers are greatest byte first. The footer ends the file.

mod read;
mod write;

pub use self::{
    read::{BackupError, BackupReader, Part},
    write::Backup,
};
use dragontooth_service_domain::Timestamp;

/// What a backup begins with.
const MAGIC: [u8; 8] = *b"DTBACKUP";

/// The format of the file that is written and read.
pub const BACKUP_FORMAT: u32 = 1;

const STREAM: u8 = b'S';
const RECORD: u8 = b'R';
const DAMAGE: u8 = b'D';
const FOOTER: u8 = b'E';

/// What a backup says of itself first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupHeader {
    /// The format of the stored records: see [`FORMAT_VERSION`](crate::FORMAT_VERSION).
    pub stored_format: u32,
    /// When it was begun.
    pub time: Timestamp,
    /// The version of the program that made it.
    pub program: String,
}

/// How much is in a backup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackupCounts {
    /// The streams that are in it.
    pub streams: u64,
    /// Their records.
    pub records: u64,
    /// The streams that are damaged and not in it.
    pub damaged: u64,
}
