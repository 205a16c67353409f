use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use dragontooth_service_domain::access::{
    AccessEvent, AccessMisfit, AccessState, RecordedAccess, TokenState,
};
use dragontooth_service_vocabulary::{Timestamp, TokenId};

/// The tokens, and when they were used.
#[derive(Debug)]
pub(super) struct TokenBook {
    pub(super) state: AccessState,
    /// The last uses since the service started, in microseconds since the epoch.
    used: HashMap<TokenId, AtomicU64>,
}

impl TokenBook {
    pub(super) fn new(state: AccessState) -> Self {
        let tokens = state.tokens_after(None);
        let used = tokens
            .map(|token| (token.id(), AtomicU64::default()))
            .collect();
        Self { state, used }
    }

    /// Applies an event.
    pub(super) fn follow(&mut self, recorded: &RecordedAccess) -> Result<(), AccessMisfit> {
        self.state.follow(recorded)?;
        if let AccessEvent::Issued(issued) = &recorded.event {
            self.used.insert(issued.hash.id(), AtomicU64::default());
            let state = &self.state;
            self.used.retain(|id, _| state.token(*id).is_some());
        }
        Ok(())
    }

    /// A token is used now.
    pub(super) fn note_use(&self, id: TokenId, now: Timestamp) {
        if let Some(used) = self.used.get(&id) {
            used.store(now.micros(), Ordering::Relaxed);
        }
    }

    /// The last uses since the service started.
    pub(super) fn uses(&self) -> Vec<(TokenId, Timestamp)> {
        let uses = self.used.iter().filter_map(|(id, used)| {
            let used = used.load(Ordering::Relaxed);
            (used > 0).then_some((*id, Timestamp::from_micros(used)))
        });
        uses.collect()
    }

    /// A token with its last use, also if that is not recorded yet.
    pub(super) fn with_last_use(&self, token: &TokenState) -> TokenState {
        let used = self.used.get(&token.id());
        let used = used.map_or(0, |used| used.load(Ordering::Relaxed));
        let used = (used > 0).then_some(Timestamp::from_micros(used));
        TokenState {
            last_used: token.last_used.max(used),
            ..token.clone()
        }
    }
}
