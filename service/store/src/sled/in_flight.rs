//! What has been applied to sled and is not yet durable.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use crate::{Sequence, StreamId};

/// The durable heads of the streams that the group being written extends.
///
/// sled shows a batch to readers as soon as it is applied, before the sync. A reader therefore looks
/// at sled first and here second: a record that it saw is either of a group that is still listed
/// here, and then hidden, or of one that has since become durable. A group that failed stays listed
/// for ever.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    durable_heads: RwLock<HashMap<StreamId, Sequence>>,
}

impl InFlight {
    /// Lists the streams of a group, before it is applied.
    pub(super) fn begin(&self, durable_heads: impl Iterator<Item = (StreamId, Sequence)>) {
        let mut listed = self
            .durable_heads
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        listed.extend(durable_heads);
    }

    /// Ends the listing, once the group is durable.
    pub(super) fn end(&self) {
        self.durable_heads
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The durable part of what a reader has just seen: `seen`, or a smaller head.
    pub(super) fn durable(&self, stream: StreamId, seen: Sequence) -> Sequence {
        let listed = self
            .durable_heads
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        listed
            .get(&stream)
            .map_or(seen, |durable| seen.min(*durable))
    }
}
