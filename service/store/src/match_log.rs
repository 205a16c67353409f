use std::sync::Arc;

use dragontooth_service_domain::{
    self as domain, Event, Inconsistent, MatchId, Recorded, Timestamp,
};

use crate::codec::{self, DecodeError};
use crate::{
    AppendError, ChainError, ChainHead, Damage, EventLog, MatchReplay, ReadError, Sequence,
    StoredMatch, StreamId,
};

/// The events of all matches: an [`EventLog`] that speaks of matches instead of bytes, and that
/// chains the events of a match by hashes.
#[derive(Clone, Debug)]
pub struct MatchLog(Arc<dyn EventLog>);

/// The stream that is no match: the log keeps the issued tokens there.
pub const RESERVED_STREAM: StreamId = StreamId([0xff; 16]);

/// An event as it was read, with its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event.
    pub recorded: Recorded,
    /// The stored bytes of the event, over which the hash goes.
    pub payload: Vec<u8>,
    /// The head of the match after it.
    pub head: ChainHead,
}

impl MatchLog {
    /// The matches in `log`.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self(log)
    }

    /// The log that the matches are in.
    #[must_use]
    pub fn event_log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.0)
    }

    /// The head of a match without events.
    #[must_use]
    pub fn start(id: MatchId) -> ChainHead {
        ChainHead::start(stream(id))
    }

    /// Appends `events`, recorded at `time`, to a match whose last event is `head`, and gives the
    /// new head. When it returns, they are durable.
    ///
    /// # Errors
    ///
    /// As [`EventLog::append`].
    pub async fn append(
        &self,
        id: MatchId,
        head: ChainHead,
        time: Timestamp,
        events: &[Event],
    ) -> Result<ChainHead, AppendError> {
        let mut new_head = head;
        let records = events
            .iter()
            .map(|event| new_head.seal(&codec::encode(time, event)))
            .collect();
        self.0.append(stream(id), head.sequence, records).await?;
        Ok(new_head)
    }

    /// At most `limit` events of a match after `head`; none if there is no such match.
    ///
    /// # Errors
    ///
    /// The log cannot be read, an event is damaged, or it does not follow from `head`.
    pub fn read(
        &self,
        id: MatchId,
        head: ChainHead,
        limit: usize,
    ) -> Result<Vec<Entry>, MatchLogError> {
        if stream(id) == RESERVED_STREAM {
            return Ok(Vec::new());
        }
        let mut head = head;
        self.0
            .read(stream(id), head.sequence, limit)?
            .into_iter()
            .map(|(sequence, record)| entry(&mut head, sequence, &record))
            .collect()
    }

    /// The match that its events make; none if there is no such match.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or an event is damaged, does not follow from those before it, or does
    /// not fit.
    pub fn replay(&self, id: MatchId) -> Result<Option<StoredMatch>, MatchLogError> {
        if stream(id) == RESERVED_STREAM {
            return Ok(None);
        }
        let mut replay = MatchReplay::new(id);
        for record in self.0.records(stream(id), Sequence::EMPTY) {
            let (sequence, record) = record?;
            let mut head = replay.head();
            replay.push(&entry(&mut head, sequence, &record)?)?;
        }
        Ok(replay.into_match())
    }

    /// The ids of all matches that are not [`damaged`](Self::damaged), in order.
    ///
    /// # Errors
    ///
    /// In an item: the log cannot be read.
    pub fn ids(&self) -> impl Iterator<Item = Result<MatchId, ReadError>> + '_ {
        self.0
            .all_streams()
            .map(|item| item.map(|(stream, _)| stream))
            .filter(|item| !matches!(item, Ok(RESERVED_STREAM)))
            .map(|item| item.map(|stream| MatchId::from_bytes(stream.0)))
    }

    /// The matches of which the log has found that they are not what they were, in the order of their
    /// ids. [`ids`](Self::ids) leaves them out.
    #[must_use]
    pub fn damaged(&self) -> Vec<(MatchId, Damage)> {
        let damaged = self.0.damaged().into_iter();
        let mut damaged: Vec<_> = damaged
            .filter(|damage| damage.stream != RESERVED_STREAM)
            .map(|damage| (MatchId::from_bytes(damage.stream.0), damage))
            .collect();
        damaged.sort_unstable_by_key(|(id, _)| *id);
        damaged
    }

    /// Whether the log takes events.
    ///
    /// # Errors
    ///
    /// As the next append would be answered.
    pub fn health(&self) -> Result<(), AppendError> {
        self.0.health()
    }

    /// Ready once the log has failed and takes no more events; never for one that does not fail.
    pub async fn failed(&self) {
        self.0.failed().await;
    }

    /// Takes no more events and waits until those that have come are durable.
    pub async fn close(&self) {
        self.0.close().await;
    }
}

/// Why a match cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MatchLogError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An event is damaged.
    #[error("event {sequence} is damaged", sequence = sequence.0)]
    Damaged {
        /// Its number in the match.
        sequence: domain::Sequence,
        /// In what way.
        source: DecodeError,
    },
    /// An event does not follow from those before it.
    #[error("event {sequence} breaks the chain", sequence = sequence.0)]
    Chain {
        /// Its number in the match.
        sequence: domain::Sequence,
        /// In what way.
        source: ChainError,
    },
    /// An event does not fit those before it or the rules.
    #[error(transparent)]
    Inconsistent(#[from] Inconsistent),
    /// The events are those of another match.
    #[error("the events are those of the match {0}")]
    OtherMatch(MatchId),
}

impl MatchLogError {
    /// Whether it says nothing of the match: the storage has failed, and may read it when it is opened again.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Read(ReadError::Storage(_)))
    }

    /// The first event that is not as it was, if that is known.
    #[must_use]
    pub const fn sequence(&self) -> Option<domain::Sequence> {
        match self {
            Self::Damaged { sequence, .. } | Self::Chain { sequence, .. } => Some(*sequence),
            Self::Inconsistent(inconsistent) => Some(inconsistent.sequence),
            Self::OtherMatch(_) => Some(domain::Sequence(1)),
            Self::Read(ReadError::Gap { expected, .. }) => Some(domain::Sequence(expected.0)),
            Self::Read(ReadError::Damaged(damage)) => Some(domain::Sequence(damage.from.0)),
            Self::Read(ReadError::Key { .. } | ReadError::Storage(_)) => None,
        }
    }
}

fn stream(id: MatchId) -> StreamId {
    StreamId(id.bytes())
}

fn entry(head: &mut ChainHead, sequence: Sequence, record: &[u8]) -> Result<Entry, MatchLogError> {
    let sequence = domain::Sequence(sequence.0);
    let payload = head
        .follow(record)
        .map_err(|source| MatchLogError::Chain { sequence, source })?;
    let (time, event) =
        codec::decode(payload).map_err(|source| MatchLogError::Damaged { sequence, source })?;
    Ok(Entry {
        recorded: Recorded {
            sequence,
            time,
            event,
        },
        payload: payload.to_vec(),
        head: *head,
    })
}
