//! A match and its events as they were read, with their hashes.

use std::ops::Deref;

use dragontooth_service_domain::{Inconsistent, MatchState, Replay};
use dragontooth_service_vocabulary::{MatchId, Recorded, Sequence};

use crate::{ChainError, ChainHash, ChainHead, DecodeError, ReadError, StreamId};

/// The state of a match after its stored events, and the hash over them.
#[derive(Clone, Debug)]
pub struct StoredMatch {
    state: MatchState,
    head_hash: ChainHash,
}

impl StoredMatch {
    /// A match after the event of `head`.
    #[must_use]
    pub const fn new(state: MatchState, head: ChainHead) -> Self {
        Self {
            state,
            head_hash: head.hash,
        }
    }

    /// Its head, which the next append names.
    #[must_use]
    pub fn chain_head(&self) -> ChainHead {
        ChainHead {
            sequence: Sequence(self.state.head().0),
            hash: self.head_hash,
        }
    }

    /// The hash over its events.
    #[must_use]
    pub const fn head_hash(&self) -> ChainHash {
        self.head_hash
    }

    /// Applies events that were decided on this state and appended; `head` is that of the last one.
    pub fn evolve<'a>(&mut self, events: impl IntoIterator<Item = &'a Recorded>, head: ChainHead) {
        for recorded in events {
            self.state.evolve(recorded);
        }
        self.head_hash = head.hash;
    }

    /// The state, for changes that are not events.
    pub const fn state_mut(&mut self) -> &mut MatchState {
        &mut self.state
    }
}

impl Deref for StoredMatch {
    type Target = MatchState;

    fn deref(&self) -> &MatchState {
        &self.state
    }
}

/// A match that is rebuilt from its log, event by event.
#[derive(Clone, Debug)]
pub struct MatchReplay {
    id: MatchId,
    replay: Replay,
    head: ChainHead,
}

impl MatchReplay {
    /// A replay before the first event.
    #[must_use]
    pub fn new(id: MatchId) -> Self {
        Self {
            id,
            replay: Replay::new(),
            head: ChainHead::start(StreamId(id.bytes())),
        }
    }

    /// A replay that continues after `stored`.
    #[must_use]
    pub fn after(stored: StoredMatch) -> Self {
        Self {
            id: stored.state.created().id,
            head: stored.chain_head(),
            replay: Replay::after(stored.state),
        }
    }

    /// The match so far; `None` before the first event.
    #[must_use]
    pub fn to_match(&self) -> Option<StoredMatch> {
        self.clone().into_match()
    }

    /// The head of the last event applied.
    #[must_use]
    pub const fn head(&self) -> ChainHead {
        self.head
    }

    /// Applies the event that was read after [`head`](Self::head) and returns the match after it.
    ///
    /// # Errors
    ///
    /// The event does not fit those before it or the rules, or belongs to another match; the replay must not be
    /// used any more.
    pub fn push(&mut self, entry: &ChainedEvent) -> Result<&MatchState, MatchLogError> {
        self.head = entry.head;
        let state = self.replay.push(&entry.recorded)?;
        let found = state.created().id;
        if found == self.id {
            Ok(state)
        } else {
            Err(MatchLogError::OtherMatch(found))
        }
    }

    /// The match so far; `None` before the first event.
    #[must_use]
    pub const fn state(&self) -> Option<&MatchState> {
        self.replay.state()
    }

    /// The match so far; `None` before the first event.
    #[must_use]
    pub fn into_match(self) -> Option<StoredMatch> {
        let head = self.head;
        self.replay
            .into_state()
            .map(|state| StoredMatch::new(state, head))
    }
}

/// An event as it was read, with its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainedEvent {
    /// The event.
    pub recorded: Recorded,
    /// The stored bytes of the event, which the hash covers.
    pub payload: Vec<u8>,
    /// The head of the match after it.
    pub head: ChainHead,
}

/// A match cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MatchLogError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An event is damaged.
    #[error("event {sequence} is damaged", sequence = sequence.0)]
    Damaged {
        /// Its number in the match.
        sequence: Sequence,
        /// In what way.
        source: DecodeError,
    },
    /// An event does not follow from those before it.
    #[error("event {sequence} breaks the chain", sequence = sequence.0)]
    Chain {
        /// Its number in the match.
        sequence: Sequence,
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
    /// Returns true if the storage has failed: the match may still be whole, and readable once the log is opened again.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Read(ReadError::Storage(_)))
    }

    /// The first damaged event, if it is known.
    #[must_use]
    pub const fn sequence(&self) -> Option<Sequence> {
        match self {
            Self::Damaged { sequence, .. } | Self::Chain { sequence, .. } => Some(*sequence),
            Self::Inconsistent(inconsistent) => Some(inconsistent.sequence),
            Self::OtherMatch(_) => Some(Sequence(1)),
            Self::Read(ReadError::Gap { expected, .. }) => Some(*expected),
            Self::Read(ReadError::Damaged(damage)) => Some(damage.from),
            Self::Read(ReadError::Key { .. } | ReadError::Storage(_)) => None,
        }
    }
}
