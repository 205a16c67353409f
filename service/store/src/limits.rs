//! The sizes that every log accepts.

/// Bytes in one record, at most.
///
/// sled keeps up to seventeen records in a leaf and writes a leaf larger than 128 KiB to a separate
/// file, which it never syncs. This limit keeps every leaf below that.
pub const MAX_RECORD_BYTES: usize = 4 * 1024;

/// Records in one append, at most.
pub const MAX_APPEND_RECORDS: usize = 256;

/// Bytes in all records of one append, at most.
pub const MAX_APPEND_BYTES: usize = 64 * 1024;

/// Records that one read returns, at most; a larger limit is lowered to this.
pub const MAX_READ_RECORDS: usize = 4096;

/// Streams that one listing returns, at most; a larger limit is lowered to this.
pub const MAX_READ_STREAMS: usize = 4096;
