use crate::{MatchState, Recorded, Sequence};

/// The match that `events` make, from the first on; none if there are none.
///
/// # Errors
///
/// The first event that does not fit those before it or the rules.
pub fn replay<'a>(
    events: impl IntoIterator<Item = &'a Recorded>,
) -> Result<Option<MatchState>, Inconsistent> {
    let mut events = events.into_iter();
    let Some(first) = events.next() else {
        return Ok(None);
    };
    let mut state = MatchState::new(first)?;
    for recorded in events {
        state.follow(recorded)?;
    }
    Ok(Some(state))
}

/// An event of a log that cannot have happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {sequence} does not fit: {why}", sequence = sequence.0)]
pub struct Inconsistent {
    /// Its number in the match.
    pub sequence: Sequence,
    /// What is wrong with it.
    pub why: String,
}

impl Inconsistent {
    pub(crate) fn new(recorded: &Recorded, why: &str) -> Self {
        Self {
            sequence: recorded.sequence,
            why: why.to_owned(),
        }
    }
}
