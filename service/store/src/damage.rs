//! Damage to a stream.

use dragontooth_service_vocabulary::Sequence;

use crate::StreamId;

/// A stream that has lost durable records. It is neither read nor appended to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stream {stream} is damaged from sequence {from} on: {loss}")]
pub struct Damage {
    /// The stream.
    pub stream: StreamId,
    /// The first sequence that is missing or is not what it was, as far as that is known.
    pub from: Sequence,
    /// The kind of loss.
    pub loss: Loss,
}

/// The kind of damage to a stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// Its end is missing.
    #[error("sequence {known} was written before")]
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
