use std::sync::Arc;

use dragontooth_service_store::StoredMatch;
use dragontooth_service_vocabulary::Timestamp;

use super::SharedMatch;

/// A match, live or ended.
pub(crate) enum FoundMatch {
    Live(Arc<SharedMatch>),
    Ended(Arc<StoredMatch>),
    /// A live match as a spectator sees it: as it was some time ago.
    Earlier(Box<StoredMatch>),
}

impl FoundMatch {
    /// The times at which seats whose players are away lose the match, by [`Seat::index`].
    pub(crate) fn forfeits(&self) -> [Option<Timestamp>; 2] {
        match self {
            Self::Live(shared) => shared.forfeits(),
            Self::Ended(_) | Self::Earlier(_) => [None, None],
        }
    }

    /// Applies `read` to the match.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&StoredMatch) -> T) -> T {
        match self {
            Self::Live(shared) => read(&shared.state()),
            Self::Ended(state) => read(state),
            Self::Earlier(state) => read(state),
        }
    }
}
