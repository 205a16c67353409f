use std::sync::Arc;

use dragontooth_service_domain::{
    self as domain, Event, Inconsistent, MatchId, MatchState, Recorded, Replay, Timestamp,
};

use crate::codec::{self, DecodeError};
use crate::{AppendError, EventLog, ReadError, Sequence, StreamId};

/// The events of all matches: an [`EventLog`] that speaks of matches instead of bytes.
#[derive(Clone, Debug)]
pub struct MatchLog(Arc<dyn EventLog>);

impl MatchLog {
    /// The matches in `log`.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self(log)
    }

    /// Appends `events`, recorded at `time`, to a match whose last event is `head`. When it
    /// returns, they are durable.
    ///
    /// # Errors
    ///
    /// As [`EventLog::append`].
    pub async fn append(
        &self,
        id: MatchId,
        head: domain::Sequence,
        time: Timestamp,
        events: &[Event],
    ) -> Result<(), AppendError> {
        let records = events
            .iter()
            .map(|event| codec::encode(time, event))
            .collect();
        self.0
            .append(stream(id), Sequence(head.0), records)
            .await
            .map(|_| ())
    }

    /// At most `limit` events of a match after the sequence `after`; none if there is no such
    /// match.
    ///
    /// # Errors
    ///
    /// The log cannot be read or an event is damaged.
    pub fn read(
        &self,
        id: MatchId,
        after: domain::Sequence,
        limit: usize,
    ) -> Result<Vec<Recorded>, MatchLogError> {
        let records = self.0.read(stream(id), Sequence(after.0), limit)?;
        records
            .into_iter()
            .map(|(sequence, bytes)| recorded(sequence, &bytes))
            .collect()
    }

    /// The match that its events make; none if there is no such match.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or an event is damaged or does not fit.
    pub fn replay(&self, id: MatchId) -> Result<Option<MatchState>, MatchLogError> {
        let mut replay = Replay::new();
        for record in self.0.records(stream(id), Sequence::EMPTY) {
            let (sequence, bytes) = record?;
            replay.push(&recorded(sequence, &bytes)?)?;
        }
        let state = replay.into_state();
        match &state {
            Some(state) if state.created().id != id => {
                Err(MatchLogError::OtherMatch(state.created().id))
            }
            Some(_) | None => Ok(state),
        }
    }

    /// The ids of all matches, in order.
    ///
    /// # Errors
    ///
    /// In an item: the log cannot be read.
    pub fn ids(&self) -> impl Iterator<Item = Result<MatchId, ReadError>> + '_ {
        self.0
            .all_streams()
            .map(|item| item.map(|(stream, _)| MatchId::from_bytes(stream.0)))
    }

    /// Whether the log takes events.
    ///
    /// # Errors
    ///
    /// As the next append would be answered.
    pub fn health(&self) -> Result<(), AppendError> {
        self.0.health()
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
    /// An event does not fit those before it or the rules.
    #[error(transparent)]
    Inconsistent(#[from] Inconsistent),
    /// The events are those of another match.
    #[error("the events are those of the match {0}")]
    OtherMatch(MatchId),
}

fn stream(id: MatchId) -> StreamId {
    StreamId(id.bytes())
}

fn recorded(sequence: Sequence, bytes: &[u8]) -> Result<Recorded, MatchLogError> {
    let sequence = domain::Sequence(sequence.0);
    let (time, event) =
        codec::decode(bytes).map_err(|source| MatchLogError::Damaged { sequence, source })?;
    Ok(Recorded {
        sequence,
        time,
        event,
    })
}
