use std::collections::HashMap;

use dragontooth_service_vocabulary::{MatchId, PlayerId};

/// The matches that were played from the same seed.
#[derive(Debug, Default)]
pub(super) struct Seeds {
    /// The number of matches that were created from each seed.
    matches: HashMap<SeedKey, u32>,
    /// Those of them that are not over.
    live: HashMap<SeedKey, Vec<MatchId>>,
}

/// A creator, and the [mark](crate::MatchBrief::seed_mark) of a seed that it gave.
pub(super) type SeedKey = (PlayerId, [u8; 16]);

impl Seeds {
    /// A match has been created.
    pub(super) fn count(&mut self, key: SeedKey) {
        let matches = self.matches.entry(key).or_default();
        *matches = matches.saturating_add(1);
    }

    /// Notes that a match is live, or is not.
    pub(super) fn play(&mut self, key: SeedKey, id: MatchId, is_live: bool) {
        let mut live = self.live.remove(&key).unwrap_or_default();
        live.retain(|live| *live != id);
        if is_live {
            live.push(id);
        }
        if !live.is_empty() {
            self.live.insert(key, live);
        }
    }

    /// Returns true if `announced` matches have been created, and all but this one are over.
    pub(super) fn is_spent(&self, key: SeedKey, id: MatchId, announced: u32) -> bool {
        let mut live = self.live.get(&key).into_iter().flatten();
        let created = self.matches.get(&key);
        live.all(|live| *live == id) && created.is_some_and(|created| *created >= announced)
    }
}
