//! What a log has lost.

use crate::{Sequence, StreamId};

/// A stream of which not everything is there that once was durable. Nothing of it is read and nothing
/// is appended to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stream {stream} is damaged from sequence {from} on: {loss}")]
pub struct Damage {
    /// The stream.
    pub stream: StreamId,
    /// The first sequence that is missing or is not what it was, as far as that is known.
    pub from: Sequence,
    /// In what way.
    pub loss: Loss,
}

/// In what way a stream is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// Its end is missing.
    #[error("sequence {known} was written once")]
    Missing {
        /// The last record that is known to have been there.
        known: Sequence,
    },
    /// A record is not the one that was written.
    #[error("another record was written")]
    Changed,
    /// The storage cannot read it.
    #[error("it cannot be read")]
    Unreadable,
}
