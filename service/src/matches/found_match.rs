use std::sync::Arc;

use dragontooth_service_domain::Rejection;
use dragontooth_service_store::{MatchSummary, StoredMatch};
use dragontooth_service_vocabulary::{MatchId, Timestamp};

use super::{DecisionView, MatchFacts, SharedMatch};

/// A match, live or ended.
#[derive(Debug)]
pub(crate) enum FoundMatch {
    Live(Arc<SharedMatch>),
    /// One that has no actor: it is over, or the service is shutting down.
    Settled(Arc<StoredMatch>),
    /// One that is over.
    Summarised(Box<MatchSummary>),
    /// A live match as a spectator sees it: as it was some time ago.
    Earlier(Box<StoredMatch>),
}

impl FoundMatch {
    /// The times at which seats whose players are away lose the match, by [`Seat::index`].
    ///
    /// [`Seat::index`]: dragontooth_games::Seat::index
    pub(crate) fn forfeits(&self) -> [Option<Timestamp>; 2] {
        match self {
            Self::Live(shared) => shared.forfeits(),
            Self::Settled(_) | Self::Summarised(_) | Self::Earlier(_) => [None, None],
        }
    }

    /// Applies `read` to the facts of the match.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&MatchFacts<'_>) -> T) -> T {
        match self {
            Self::Live(shared) => read(&(&*shared.state()).into()),
            Self::Settled(state) => read(&(&**state).into()),
            Self::Earlier(state) => read(&(&**state).into()),
            Self::Summarised(summary) => read(&(&**summary).into()),
        }
    }

    /// The decision that is due, with the legal actions.
    pub(crate) fn decision(&self, id: MatchId) -> Result<DecisionView, Rejection> {
        let due = |state: &StoredMatch| {
            DecisionView::of(id, state, true).ok_or_else(|| match state.result() {
                Some(_) => Rejection::Ended,
                None => Rejection::NotStarted,
            })
        };
        match self {
            Self::Live(shared) => due(&shared.state()),
            Self::Earlier(state) => due(state),
            Self::Settled(state) => due(state),
            Self::Summarised(_) => Err(Rejection::Ended),
        }
    }
}
