//! The event log of matches and its stored form.
//!
//! One match is one stream of records; the tokens have a stream too. The service appends to and reads from an
//! [`EventLog`]; [`MemoryLog`] and [`SledLog`] are two implementations that pass the same tests. The crate exists
//! so that the service does not depend on a storage engine. [`MatchLog`] is the log in terms of matches: it encodes
//! their events and chains them by hashes. Beside the records of a match that is over, a log keeps its [`MatchSummary`].
//! [`TokenLog`] does the same as [`MatchLog`] for tokens.

mod backup;
mod catalogue;
mod chain;
mod codec;
mod damage;
mod error;
mod heads;
mod limits;
mod log;
mod log_answer;
mod match_log;
mod match_summary;
mod memory;
mod restore;
mod scan;
mod sealed;
mod sessions;
mod sled;
mod stored_match;
mod stream;
mod token_codec;
mod token_log;

pub use backup::{
    BACKUP_FORMAT, Backup, BackupCounts, BackupError, BackupHeader, BackupPart, BackupReader,
};
pub use catalogue::{
    Catalogue, EntryChange, Listing, MatchEntry, MatchGroup, MatchKind, MemoryCatalogue, Party,
    PlayerCounts, SeedUse, Shelf,
};
pub use chain::ChainHash;
pub use codec::{DecodeError, EVENT_FORMAT, OLDEST_EVENT_FORMAT, decode, encode};
pub use damage::{Damage, Loss};
pub use error::{AppendError, ReadError, StorageError};
pub use heads::{Heads, NewHead};
pub use limits::{
    MAX_APPEND_BYTES, MAX_APPEND_RECORDS, MAX_READ_RECORDS, MAX_READ_STREAMS, MAX_RECORD_BYTES,
};
pub use log::{
    Append, Close, EventLog, Failed, NumberedRecords, RecordsOfStreams, VisitedStream, check_limits,
};
pub use log_answer::LogAnswer;
pub use match_log::{Durability, EventsRead, KnownMatch, MatchLog, RESERVED_STREAM};
pub use match_summary::{MatchBrief, MatchSummary, creation_name};
pub use memory::MemoryLog;
pub use restore::{RestoreError, check_backup, copy_backup, is_empty_folder, restore};
pub use sealed::{ChainError, ChainHead, SEAL_BYTES};
pub use sessions::{PlayerSession, SessionBoard};
pub use sled::{
    FORMAT_VERSION, GroupCommit, MAX_CACHED_HEADS, MAX_GROUP_APPENDS, MAX_GROUP_BYTES,
    MAX_QUEUED_APPENDS, MAX_SYNC_DELAY, OngoingWrite, OpenError, RESTORE_COMMAND, SledLog,
    SledOptions,
};
pub use stored_match::{ChainedEvent, MatchLogError, MatchReplay, StoredMatch};
pub use stream::StreamId;
pub use token_codec::{TOKEN_EVENT_FORMAT, decode_token_event, encode_token_event};
pub use token_log::{TokenLog, TokenLogError};
