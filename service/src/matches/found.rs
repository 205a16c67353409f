use std::sync::Arc;

use dragontooth_service_domain::MatchState;

use super::Shared;

/// A match, live or ended.
pub(crate) enum Found {
    Live(Arc<Shared>),
    Ended(Box<MatchState>),
}

impl Found {
    /// What `read` sees in the match.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&MatchState) -> T) -> T {
        match self {
            Self::Live(shared) => read(&shared.state()),
            Self::Ended(state) => read(state),
        }
    }
}
