use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dragontooth_proto::v1 as wire;
use dragontooth_service_store::MatchReplay;
use dragontooth_service_vocabulary::{MatchId, Sequence};

use crate::grpc::thinking_reader::ThinkingReader;

/// The pages of events that watchers share, one for each match that is watched here.
#[derive(Clone, Debug, Default)]
pub(in crate::grpc) struct SharedPages(Arc<Mutex<HashMap<MatchId, Arc<Slot>>>>);

type Slot = tokio::sync::Mutex<Option<SharedPage>>;

/// The page of events that a watcher of a match has read last, for the others.
#[derive(Clone, Debug)]
pub(super) struct SharedPage {
    /// The event after which it was read.
    pub(super) after: Sequence,
    /// The reader of the thoughts in it.
    pub(super) thinking: ThinkingReader,
    /// The match after it.
    pub(super) replay: Arc<MatchReplay>,
    pub(super) events: Vec<wire::MatchEvent>,
}

/// The place of the shared page of a match, for one of its watchers.
#[derive(Debug)]
pub(super) struct PageSlot {
    pages: SharedPages,
    id: MatchId,
    slot: Arc<Slot>,
}

impl SharedPages {
    /// The place of the page of a match.
    pub(super) fn of(&self, id: MatchId) -> PageSlot {
        PageSlot {
            pages: self.clone(),
            id,
            slot: Arc::clone(self.lock().entry(id).or_default()),
        }
    }

    /// Nothing that holds the lock fails half way.
    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, Arc<Slot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PageSlot {
    /// The page, when it is this watcher's turn. An event wakes all watchers of a match, thousands perhaps, and a player's
    /// request waits behind those that are at work: these are few.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, Option<SharedPage>> {
        self.slot.lock().await
    }

    /// Returns true if this is the match's only watcher.
    pub(super) fn is_alone(&self) -> bool {
        // This one, and the one in the table.
        Arc::strong_count(&self.slot) == 2
    }
}

/// The last watcher of a match takes the page along.
impl Drop for PageSlot {
    fn drop(&mut self) {
        let mut pages = self.pages.lock();
        // Let go of under the lock: of two that end at once, one is the last.
        drop(mem::take(&mut self.slot));
        if pages
            .get(&self.id)
            .is_some_and(|slot| Arc::strong_count(slot) == 1)
        {
            pages.remove(&self.id);
        }
    }
}
