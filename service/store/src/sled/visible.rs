//! The boundary between durable records, which readers may see, and those still being written.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use dragontooth_service_vocabulary::Sequence;

use super::{
    recent_records::{MAX_RECENT_BYTES, RecentRecords},
    record::Record,
};
use crate::StreamId;

/// The durable heads of the streams that are being appended to.
///
/// sled shows a batch to readers as soon as it is applied, before the sync. A reader therefore looks at sled
/// first and here second: a record that it saw there belongs to a group that is still in flight, and is hidden,
/// or to one that has become durable since. A group that failed stays in flight for ever.
#[derive(Debug)]
pub(super) struct Visible {
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    /// The durable heads of the streams that the group in flight extends.
    in_flight: HashMap<StreamId, Sequence>,
    recent: RecentRecords,
}

impl Visible {
    pub(super) fn new() -> Self {
        let state = State {
            in_flight: HashMap::new(),
            recent: RecentRecords::new(MAX_RECENT_BYTES),
        };
        Self {
            state: RwLock::new(state),
        }
    }

    /// Hides what a group is about to write: all beyond these durable heads of its streams.
    pub(super) fn hide(&self, durable_heads: impl Iterator<Item = (StreamId, Sequence)>) {
        self.write().in_flight.extend(durable_heads);
    }

    /// Shows the records of that group, once they are durable.
    pub(super) fn show(&self, records: Vec<Record>) {
        let mut state = self.write();
        state.in_flight.clear();
        for (stream, sequence, record) in records {
            state.recent.push(stream, sequence, record);
        }
        let forgotten = state.recent.forget();
        // Dropping the forgotten records takes a while; readers need not wait for it.
        drop(state);
        drop(forgotten);
    }

    /// The durable head of a stream of which a reader has just seen `seen` in sled: that, or a smaller one.
    pub(super) fn durable(&self, stream: StreamId, seen: Sequence) -> Sequence {
        self.state()
            .in_flight
            .get(&stream)
            .map_or(seen, |durable| seen.min(*durable))
    }

    /// The head of a stream, if its recent records are in memory.
    pub(super) fn head(&self, stream: StreamId) -> Option<Sequence> {
        self.state().recent.head(stream)
    }

    /// The records of a read, if all of them are in memory.
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Option<Vec<(Sequence, Vec<u8>)>> {
        self.state().recent.read(stream, after, limit)
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
