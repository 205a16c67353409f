use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dragontooth_service_store::{MatchLog, SeedUse};
use dragontooth_service_vocabulary::Created;
use tracing::debug;

/// Uses that are remembered, at most.
const MOST: usize = 16_384;

/// The seeds that may be shown: all matches that were announced for each of them are over.
#[derive(Debug)]
pub(crate) struct SpentSeeds {
    log: MatchLog,
    /// Facts learned of matches in a log that services share. They stay true.
    known: Mutex<HashSet<SeedUse>>,
}

impl SpentSeeds {
    pub(super) fn new(log: MatchLog) -> Self {
        Self {
            log,
            known: Mutex::default(),
        }
    }

    /// Returns true if a match that is over has been the last to be played from its seed. If services share the log, that
    /// has to be [learned](Self::learn) first.
    pub(super) fn has(&self, created: &Created) -> bool {
        SeedUse::of(created).is_none_or(|used| match self.log.own_catalogue() {
            Some(catalogue) => catalogue.is_spent(&used),
            None => self.lock().contains(&used),
        })
    }

    /// Asks for matches that are over, if services share the log. What cannot be asked is not shown this time.
    pub(crate) async fn learn<'a>(&self, ended: impl IntoIterator<Item = &'a Created>) {
        if !self.log.is_shared() {
            return;
        }
        let uses: Vec<_> = ended.into_iter().filter_map(SeedUse::of).collect();
        let unknown: Vec<_> = {
            let known = self.lock();
            uses.into_iter()
                .filter(|used| !known.contains(used))
                .collect()
        };
        if unknown.is_empty() {
            return;
        }
        match self.log.catalogue().spent_seeds(unknown).await {
            Ok(spent) => {
                let mut known = self.lock();
                if known.len() + spent.len() > MOST {
                    known.clear();
                }
                known.extend(spent);
            }
            Err(error) => debug!(%error, "it is not known which seeds may be shown"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<SeedUse>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
