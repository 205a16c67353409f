use dragontooth_service_vocabulary::Recorded;

use crate::{Inconsistent, MatchState};

/// A match rebuilt from its events, one by one.
#[derive(Clone, Debug, Default)]
pub struct Replay(Option<MatchState>);

impl Replay {
    /// Creates a replay before the first event.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Creates a replay that has reached `state`.
    #[must_use]
    pub const fn after(state: MatchState) -> Self {
        Self(Some(state))
    }

    /// Applies an event and returns the match after it.
    ///
    /// # Errors
    ///
    /// The event does not fit those before it or the rules; discard the replay.
    pub fn push(&mut self, recorded: &Recorded) -> Result<&MatchState, Inconsistent> {
        match &mut self.0 {
            Some(state) => state.follow(recorded)?,
            none => *none = Some(MatchState::new(recorded)?),
        }
        Ok(self.0.as_ref().expect("it was set or there"))
    }

    /// Returns the match so far; `None` before the first event.
    #[must_use]
    pub const fn state(&self) -> Option<&MatchState> {
        self.0.as_ref()
    }

    /// Returns the match so far; `None` before the first event.
    #[must_use]
    pub fn into_state(self) -> Option<MatchState> {
        self.0
    }
}

/// Replays `events` from the first; `None` if there are none.
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
