//! The sizes that every log accepts.

use crate::AppendError;

/// Bytes in one record, at most.
///
/// sled keeps up to seventeen records in a leaf and writes a leaf larger than 128 KiB to a file of
/// its own, which it never syncs. This limit keeps every leaf below that.
pub const MAX_RECORD_BYTES: usize = 4 * 1024;

/// Records in one append, at most.
pub const MAX_APPEND_RECORDS: usize = 256;

/// Bytes in all records of one append, at most.
pub const MAX_APPEND_BYTES: usize = 64 * 1024;

/// Records that one read returns, at most; a larger limit is lowered to this.
pub const MAX_READ_RECORDS: usize = 4096;

/// Streams that one listing returns, at most; a larger limit is lowered to this.
pub const MAX_READ_STREAMS: usize = 4096;

/// Refuses an append that breaks a limit.
pub(crate) fn check(records: &[Vec<u8>]) -> Result<(), AppendError> {
    if records.len() > MAX_APPEND_RECORDS {
        return Err(AppendError::TooManyRecords {
            count: records.len(),
        });
    }
    let mut len_bytes = 0;
    for (index, record) in records.iter().enumerate() {
        if record.len() > MAX_RECORD_BYTES {
            return Err(AppendError::RecordTooLarge {
                index,
                len_bytes: record.len(),
            });
        }
        len_bytes += record.len();
    }
    if len_bytes > MAX_APPEND_BYTES {
        return Err(AppendError::AppendTooLarge { len_bytes });
    }
    Ok(())
}
