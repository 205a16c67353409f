use std::sync::Arc;

use dragontooth_service_domain::access::{AccessEvent, AccessMisfit, AccessState, RecordedAccess};
use dragontooth_service_vocabulary::{Sequence, Timestamp};
use futures::TryStreamExt;
use tokio::sync::watch;

use crate::token_codec::{decode_token_event, encode_token_event};
use crate::{
    AppendError, ChainError, ChainHead, DecodeError, EventLog, RESERVED_STREAM, ReadError,
};

/// The events of all tokens: one stream of the log, chained by hashes like those of the matches.
#[derive(Clone, Debug)]
pub struct TokenLog(Arc<dyn EventLog>);

/// The tokens cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TokenLogError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An event is damaged.
    #[error("event {sequence} of the tokens is damaged", sequence = sequence.0)]
    Damaged {
        /// Its number.
        sequence: Sequence,
        /// In what way.
        source: DecodeError,
    },
    /// An event does not follow from those before it.
    #[error("event {sequence} of the tokens breaks the chain", sequence = sequence.0)]
    Chain {
        /// Its number.
        sequence: Sequence,
        /// In what way.
        source: ChainError,
    },
    /// An event does not fit those before it.
    #[error("event {sequence} of the tokens does not fit", sequence = sequence.0)]
    Misfit {
        /// Its number.
        sequence: Sequence,
        /// Why.
        source: AccessMisfit,
    },
}

impl TokenLog {
    /// The tokens in `log`.
    #[must_use]
    pub fn new(log: Arc<dyn EventLog>) -> Self {
        Self(log)
    }

    /// Appends `events`, recorded at `time`, to the tokens whose last event is `head`, and gives the new
    /// head. When it returns, they are durable.
    ///
    /// # Errors
    ///
    /// As [`EventLog::append`].
    pub async fn append(
        &self,
        head: ChainHead,
        time: Timestamp,
        events: &[AccessEvent],
    ) -> Result<ChainHead, AppendError> {
        let mut new_head = head;
        let records = events
            .iter()
            .map(|event| new_head.seal(&encode_token_event(time, event)))
            .collect();
        let appended = self.0.append(RESERVED_STREAM, head.sequence, records);
        appended.await?;
        Ok(new_head)
    }

    /// Replays the events into the state of the tokens; returns it with the head of their stream.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or an event is damaged, does not follow from those before it, or does
    /// not fit.
    pub async fn replay(&self) -> Result<(AccessState, ChainHead), TokenLogError> {
        let mut state = AccessState::new();
        let mut head = ChainHead::start(RESERVED_STREAM);
        let follow = |recorded: &RecordedAccess| state.follow(recorded);
        self.read_on(&mut head, follow).await?;
        Ok((state, head))
    }

    /// Calls `follow` with every event after `head`, in order, and moves `head` to the last one that fits.
    ///
    /// # Errors
    ///
    /// As of [`replay`](Self::replay).
    pub async fn read_on(
        &self,
        head: &mut ChainHead,
        mut follow: impl FnMut(&RecordedAccess) -> Result<(), AccessMisfit>,
    ) -> Result<(), TokenLogError> {
        let mut records = self.0.records(RESERVED_STREAM, head.sequence);
        while let Some((sequence, record)) = records.try_next().await? {
            let mut next = *head;
            let payload = next
                .follow(&record)
                .map_err(|source| TokenLogError::Chain { sequence, source })?;
            let (time, event) = decode_token_event(payload)
                .map_err(|source| TokenLogError::Damaged { sequence, source })?;
            let recorded = RecordedAccess {
                sequence,
                time,
                event,
            };
            follow(&recorded).map_err(|source| TokenLogError::Misfit { sequence, source })?;
            *head = next;
        }
        Ok(())
    }

    /// Returns true if other services may write to the log too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.0.sessions().is_some()
    }

    /// As [`EventLog::availability`].
    #[must_use]
    pub fn availability(&self) -> Option<watch::Receiver<bool>> {
        self.0.availability()
    }

    /// Refuses further events and waits until the accepted ones are durable.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
