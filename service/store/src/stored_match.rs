//! A match with the hash of its last event.

use std::ops::Deref;

use dragontooth_service_domain::{MatchId, MatchState, Recorded, Replay};

use crate::{ChainHash, ChainHead, Entry, MatchLog, MatchLogError, Sequence};

/// A match as its log has it: what its events make of it, and the hash over them.
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

    /// Its head: what the next append follows.
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

    /// Goes on by events that have been decided on it and appended; `head` is the one of the last.
    pub fn evolve<'a>(&mut self, events: impl IntoIterator<Item = &'a Recorded>, head: ChainHead) {
        for recorded in events {
            self.state.evolve(recorded);
        }
        self.head_hash = head.hash;
    }

    /// What its events make of it, to be changed without an event.
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

/// A match that is made again from its log, event by event.
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
            head: MatchLog::start(id),
        }
    }

    /// A replay that has come to `stored`.
    #[must_use]
    pub fn after(stored: StoredMatch) -> Self {
        Self {
            id: stored.state.created().id,
            head: stored.chain_head(),
            replay: Replay::after(stored.state),
        }
    }

    /// The match as far as it has come; none before the first event.
    #[must_use]
    pub fn to_match(&self) -> Option<StoredMatch> {
        self.clone().into_match()
    }

    /// Where it has come to.
    #[must_use]
    pub const fn head(&self) -> ChainHead {
        self.head
    }

    /// Goes on by the event that was read after [`head`](Self::head), and gives the match after it.
    ///
    /// # Errors
    ///
    /// The event does not fit those before it or the rules, or is another match's; the replay is not
    /// to be used any more.
    pub fn push(&mut self, entry: &Entry) -> Result<&MatchState, MatchLogError> {
        self.head = entry.head;
        let state = self.replay.push(&entry.recorded)?;
        let told = state.created().id;
        if told == self.id {
            Ok(state)
        } else {
            Err(MatchLogError::OtherMatch(told))
        }
    }

    /// The match as far as it has come; none before the first event.
    #[must_use]
    pub const fn state(&self) -> Option<&MatchState> {
        self.replay.state()
    }

    /// The match as far as it has come; none before the first event.
    #[must_use]
    pub fn into_match(self) -> Option<StoredMatch> {
        let head = self.head;
        self.replay
            .into_state()
            .map(|state| StoredMatch::new(state, head))
    }
}
