//! What readers may see.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use super::{
    record::Record,
    tails::{MAX_TAIL_BYTES, Tails},
};
use crate::{Sequence, StreamId};

/// What is durable of the streams that are being appended to.
///
/// sled shows a batch to readers as soon as it is applied, before the sync. A reader therefore looks
/// at sled first and here second: a record that it saw there is either of a group that is still in
/// flight, and then hidden, or of one that has since become durable. A group that failed stays in
/// flight for ever.
#[derive(Debug)]
pub(super) struct Visible {
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    /// The durable heads of the streams that the group in flight extends.
    in_flight: HashMap<StreamId, Sequence>,
    tails: Tails,
}

impl Visible {
    pub(super) fn new() -> Self {
        let state = State {
            in_flight: HashMap::new(),
            tails: Tails::new(MAX_TAIL_BYTES),
        };
        Self {
            state: RwLock::new(state),
        }
    }

    /// Hides a group, before it is applied, beyond the durable heads of its streams.
    pub(super) fn hide(&self, durable_heads: impl Iterator<Item = (StreamId, Sequence)>) {
        self.write().in_flight.extend(durable_heads);
    }

    /// Shows the records of that group, once they are durable.
    pub(super) fn show(&self, records: Vec<Record>) {
        let mut state = self.write();
        state.in_flight.clear();
        for (stream, sequence, record) in records {
            state.tails.push(stream, sequence, record);
        }
        let forgotten = state.tails.forget();
        // Readers need not wait for this.
        drop(state);
        drop(forgotten);
    }

    /// The durable part of what a reader has just seen in sled: `seen`, or a smaller head.
    pub(super) fn durable(&self, stream: StreamId, seen: Sequence) -> Sequence {
        self.state()
            .in_flight
            .get(&stream)
            .map_or(seen, |durable| seen.min(*durable))
    }

    /// The head of a stream, if it need not be looked up in sled.
    pub(super) fn head(&self, stream: StreamId) -> Option<Sequence> {
        self.state().tails.head(stream)
    }

    /// The records that a read asks for, if they need not be looked up in sled.
    pub(super) fn read(
        &self,
        stream: StreamId,
        after: Sequence,
        limit: usize,
    ) -> Option<Vec<(Sequence, Vec<u8>)>> {
        self.state().tails.read(stream, after, limit)
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}
