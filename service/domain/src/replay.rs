use dragontooth_service_vocabulary::{Recorded, Sequence};

use crate::{MatchState, Misfit};

/// A match that is made again from its events, one by one.
#[derive(Clone, Debug, Default)]
pub struct Replay(Option<MatchState>);

impl Replay {
    /// A replay before the first event.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// A replay that has come to `state`.
    #[must_use]
    pub const fn after(state: MatchState) -> Self {
        Self(Some(state))
    }

    /// Goes on by an event and gives the match after it.
    ///
    /// # Errors
    ///
    /// The event does not fit those before it or the rules; the replay is not to be used any more.
    pub fn push(&mut self, recorded: &Recorded) -> Result<&MatchState, Inconsistent> {
        match &mut self.0 {
            Some(state) => state.follow(recorded)?,
            none => *none = Some(MatchState::new(recorded)?),
        }
        Ok(self.0.as_ref().expect("it was set or there"))
    }

    /// The match as far as it has come; none before the first event.
    #[must_use]
    pub const fn state(&self) -> Option<&MatchState> {
        self.0.as_ref()
    }

    /// The match as far as it has come; none before the first event.
    #[must_use]
    pub fn into_state(self) -> Option<MatchState> {
        self.0
    }
}

/// The match that `events` make, from the first on; none if there are none.
///
/// # Errors
///
/// The first event that does not fit those before it or the rules.
pub fn replay<'a>(
    events: impl IntoIterator<Item = &'a Recorded>,
) -> Result<Option<MatchState>, Inconsistent> {
    let mut replay = Replay::new();
    for recorded in events {
        replay.push(recorded)?;
    }
    Ok(replay.into_state())
}

/// An event of a log that cannot have happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {sequence} does not fit: {why}", sequence = sequence.0)]
pub struct Inconsistent {
    /// Its number in the match.
    pub sequence: Sequence,
    /// What is wrong with it.
    pub why: Misfit,
}

impl Inconsistent {
    pub(crate) fn new(recorded: &Recorded, why: Misfit) -> Self {
        Self {
            sequence: recorded.sequence,
            why,
        }
    }
}
